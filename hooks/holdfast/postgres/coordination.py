"""What agents of several machines share: `team.store.Store` on the team's server.

What decides who has a file reads and writes in a turn of the project's, so of two at once one is told; a state's
version is decided by its key alone. Times are the server's: a machine's clock may be wrong, and its times are moved by
whole seconds on their way.
"""

import contextlib
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.postgres.connection import Place
from holdfast.team.store import Store

if TYPE_CHECKING:
    from holdfast.postgres.connection import Connection


class PostgresStore(Store):
    """The store of one project of a team. For one thread; psycopg's errors are for `connection.faults`."""

    HERE, REMOVE = Place._fields, "UPDATE {} SET gone = true WHERE {}"

    def __init__(self, connection: "Connection", place: Place) -> None:
        """The server's clock is asked once."""
        self._connection, self.here = connection, place
        (there,) = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone() or (0.0,)
        self.ahead = round(there - time.time())

    @contextlib.contextmanager
    def _deciding(self, key: str = "") -> Iterator[None]:
        """What is read in a turn is what all before it have left.

        Statements go out together, and are waited for where a row is read.
        """
        with self._connection.pipeline(), self._connection.transaction():
            self._connection.execute("SELECT turn(%s, %s, %s)", (*self.here, f"state {key}" if key else "claims"))
            yield

    def _run(self, query: str, *values: object) -> Iterable[Sequence[Any]]:
        return self._connection.execute(query.replace("?", "%s"), values)
