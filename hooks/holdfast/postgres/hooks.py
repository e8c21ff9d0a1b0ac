"""Enforce mode asks the team's server who holds a file, for 150 ms at most; all else that hooks do is local.

The hot road looks for others at work among files (hot/presence.py). So that it does not pass an edit by where others
may be at work on other machines, a start leaves a file there that is nobody's.
"""

import contextlib
import os
import sys
import threading
from typing import Any

from holdfast.errors import Fault
from holdfast.hot import presence
from holdfast.hot.files import claim, variable
from holdfast.postgres.settings import Settings, settings
from holdfast.session.context import Session
from holdfast.team.hooks import Ask, folder_for
from holdfast.team.model import Agent, Claim, Refusal, Wanted

LIMIT_S = 0.15


def enforced(session: Session) -> Ask | None:
    """How to ask the server before an edit; None where nothing is to be asked."""
    if not session.config["store.url"] or session.config["coordination.mode"] != "enforce":
        return None
    own = settings(session.config, session.project)
    return lambda agent, wanted, until, now: _asked(own, agent, wanted, (until, now))


def mark(session: Session) -> None:
    """At a start: let the hot road stop at edits where the server is asked, and nowhere else."""
    path = f"{folder_for(session)}/{presence.AGENTS}/elsewhere"
    if enforced(session):
        claim(path)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _asked(own: Settings, agent: Agent, wanted: Wanted, lease: tuple[float, float]) -> Claim | Refusal:
    """What the server says. Raises Fault where it says nothing in time; then it is not known who else has the file."""
    if (site := variable("HOLDFAST_SITE")) and site not in sys.path:
        sys.path.append(site)
    with contextlib.suppress(ImportError):
        import psycopg as _  # noqa: F401 - before the clock runs: 0.1 s of the processor's, none of the server's
    said: list[Any] = []

    def ask() -> None:
        from holdfast.postgres.connection import connected
        from holdfast.postgres.coordination import PostgresStore
        from holdfast.postgres.migration import team_of
        from holdfast.postgres.settings import Place

        try:
            with connected(own.url) as connection:
                place = Place(team_of(connection, own.team).team, own.project)
                here = agent._replace(place=f"{os.uname().nodename}:{agent.place}")
                said.append(PostgresStore(connection, place).claim(here, wanted, *lease))
        except Exception as error:  # noqa: BLE001 - told by whoever waits
            said.append(error)

    asking = threading.Thread(target=ask, daemon=True)  # libpq has no limit below a second, names take their time
    asking.start()
    asking.join(LIMIT_S)
    if not said:
        raise Fault(f"it has not answered in {LIMIT_S * 1_000:.0f} ms", "the team's server", "See `server status`")
    if isinstance(said[0], Exception):
        raise said[0]
    answer: Claim | Refusal = said[0]
    return answer
