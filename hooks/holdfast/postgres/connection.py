"""The way to the team's server: whose it is for, one connection by libpq's own means, each of its faults as one line.

The address comes from the user's own settings (`store.url`); password and certificates come from where libpq looks for
them (PGPASSFILE, a service file, sslmode in the address). The address is never told: libpq's message is, without what
may be a password.
"""

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.checkpoint import git
from holdfast.errors import BadInput, Fault, missing
from holdfast.text.lines import one_line
from holdfast.text.redaction import redacted

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

SCHEMA = "holdfast"
NEWEST = 5
"""The schema that this pack knows: the number of its last migration (sql/)."""
LIMIT, OF_LOOK = 600, 60
"""Seconds after which a connection is cut off, from this side: a server that hangs ends nothing by itself."""
AGAIN = "Work goes on without it; `holdfast server sync` tries again"


class Place(NamedTuple):
    """Whose records these are on the server."""

    team: str
    project: str


class ServerSettings(NamedTuple):
    """url: "" for no server; team: "" for the only one; project: its name there."""

    url: str
    team: str
    project: str
    folder: str
    """The main checkout."""


def settings(values: Mapping[str, Any], project: str) -> ServerSettings:
    """As they are in force for the project in this folder."""
    folder = git.main_checkout(project)
    name = one_line(values["store.projects"].get(folder) or os.path.basename(folder), 200)
    return ServerSettings(values["store.url"], values["store.team"], name or "root", folder)


@contextlib.contextmanager
def connected(url: str, newest: int = NEWEST, limit: float = LIMIT) -> "Iterator[Connection]":
    """A connection to a server whose schema is the one that this pack knows. Raises BadInput and Fault.

    newest: 0 for whoever looks at the schema itself; limit: seconds until it is cut off. Nothing is committed but by
    `transaction()`.
    """
    with faults(url):
        connection, late = _connect(url), threading.Event()
        timer = threading.Timer(limit, _cut_off, (connection, late))
        timer.daemon = True
        timer.start()
        try:
            if newest:
                refuse_other_schema(schema_of(connection), newest)
            yield connection
        except Exception:
            if late.is_set():
                what = f"it has not come to an end in {limit:,.0f} s"
                raise Fault(what, "the team's server", AGAIN) from None
            raise
        finally:
            timer.cancel()
            connection.close()


def _cut_off(connection: "Connection", late: threading.Event) -> None:
    import socket

    late.set()
    with contextlib.suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)


def _connect(url: str) -> "Connection":
    if not url:
        todo = "`holdfast config set store.url postgresql://HOST/DATABASE`"
        raise BadInput("no server is named", "store.url", todo)
    try:
        import psycopg
    except ImportError:
        raise missing("a team's server", "psycopg[binary]>=3.2") from None
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:  # its message holds what it does not understand, which may be the password
        todo = "Say `holdfast config set store.url postgresql://HOST/DATABASE`"
        raise BadInput("it is no address that libpq reads", "store.url", todo) from None
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # it would warn of what is told as a Fault
    own = f"-c search_path={SCHEMA},pg_temp -c statement_timeout=60000"
    own += " -c idle_in_transaction_session_timeout=60000"  # of ours, where this end of it is lost
    return psycopg.connect(url, autocommit=True, connect_timeout=5, options=own, application_name="holdfast")


@contextlib.contextmanager
def faults(url: str) -> "Iterator[None]":
    """What psycopg raises as a Fault of one line, without the address."""
    try:
        yield
    except ImportError:
        raise
    except Exception as error:
        psycopg = sys.modules.get("psycopg")
        if psycopg is None or not isinstance(error, psycopg.Error):
            raise
        raise _fault(error, url) from None  # the chain would bring the message along


def _fault(error: Any, url: str) -> Fault:
    state = error.sqlstate or ""
    if state == "42501":  # insufficient_privilege
        return Fault("your role may not do that", "the team's server", "`holdfast server roles` says who may what")
    if state in ("42P01", "3F000", "42883"):  # no such table, schema or function
        return Fault("it has no schema of ours", "the team's server", "Its owner runs `holdfast server migrate`")
    said = one_line(redacted(without_password(str(error).strip().partition("\n")[0], url)), 200)
    if not state or state[:2] in ("08", "57", "28", "53"):  # connections, shutdowns, log-ins, resources
        return Fault(f"it cannot be reached ({said})", "the team's server", AGAIN)
    return Fault(f"it refuses ({said})", "the team's server", AGAIN)


def without_password(text: str, url: str) -> str:
    """The text without the address's own password, wherever it stands."""
    import psycopg

    try:
        password = str(psycopg.conninfo.conninfo_to_dict(url).get("password") or "")
    except psycopg.Error:
        return "the address cannot be read"
    rest = url.partition("://")[2].rpartition("@")[0].partition(":")[2]  # of one with an @ libpq takes half for a host
    for one in filter(None, (password, *rest.split("@"))):
        text = text.replace(one, "[redacted: password]")
    return text


def schema_of(connection: "Connection") -> int:
    """The number of the last migration; 0 where there was none."""
    found = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.migrations",)).fetchone()
    if not found or found[0] is None:
        return 0
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM migrations").fetchone() or (0,)
    return int(number)


def refuse_other_schema(found: int, known: int = NEWEST) -> None:
    """Raises Fault for a schema that is not the one this pack knows."""
    if found > known:
        what = f"its schema has the number {found}, this pack knows {known}"
        raise Fault(what, "the team's server", "Update Holdfast; work goes on without it")
    if found < known:
        what = f"its schema has the number {found}, this pack needs {known}"
        raise Fault(what, "the team's server", "Its owner runs `holdfast server migrate`")
