"""Enforce mode asks the team's server who holds a file, for 150 ms at most; all else that hooks do is local.

A process of its own synchronises at starts and ends, and no hook waits for it: what it did, or what failed, is the one
line of `server.log` in the memory's cache, without the address.
"""

import contextlib
import os
import threading
from typing import Any

from holdfast.errors import Fault, HoldfastError
from holdfast.hot.files import read_text, write_atomic
from holdfast.memory.location import folder_of, make_cache
from holdfast.postgres.connection import LIMIT, Place, ServerSettings, connected, settings
from holdfast.session import detached
from holdfast.session.context import Session, packages
from holdfast.team.hooks import Ask
from holdfast.team.model import Agent, Claim, Refusal, Wanted
from holdfast.text.lines import age, one_line

LIMIT_S = 0.15
_SYNC = """import sys
sys.path[:0] = filter(None, sys.argv[1:])
from holdfast.cli.main import main
sys.exit(main(["server", "sync"]))"""


def at_start(session: Session) -> list[str]:
    """Synchronise; a line for the user where the last try failed, the same one once a day, or does not end.

    Raises OSError.
    """
    told, name = _failure(session), _name(session.project)
    if begin(session.project):
        return told
    since = session.now - os.stat(f"{name}.log").st_mtime  # it writes when it is done
    what = f"a synchronisation that began {age(since)} ago has not ended, and no other begins before it"
    todo = f"End the process that holds {name}.lock (`fuser` names it)"
    return [f"Holdfast, the team's server: {what}. {todo}"] if since > 2 * LIMIT else told


def begin(project: str) -> bool:
    """Synchronise in the background; False where that is under way. Raises OSError."""
    hooks = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return detached.begin(_name(project), _SYNC, (hooks, packages()), project, lambda: True)


def _failure(session: Session) -> list[str]:
    name = _name(session.project)
    said, told = read_text(f"{name}.log", 4_000).partition("\n")[0], f"{name}.told"
    with contextlib.suppress(FileNotFoundError):
        if read_text(told) == said and session.now - os.stat(told).st_mtime < 24 * 3_600:
            return []
    if not said.startswith("holdfast: "):
        return []
    write_atomic(told, said)
    return [f"Holdfast, {one_line(said.removeprefix('holdfast: '), 300)}"]


def _name(project: str) -> str:
    return f"{make_cache(folder_of(project))}/server"


def enforced(session: Session) -> Ask | None:
    """How to ask the server before an edit; None where nothing is to be asked."""
    if not session.config["store.url"] or session.config["coordination.mode"] != "enforce":
        return None
    own = settings(session.config, session.project)
    return lambda agent, wanted, until, now: _asked(own, agent, wanted, (until, now))


def _asked(own: ServerSettings, agent: Agent, wanted: Wanted, lease: tuple[float, float]) -> Claim | Refusal:
    """What the server says. Raises Fault where it says nothing in time; then it is not known who else has the file."""
    packages()
    with contextlib.suppress(ImportError):
        import psycopg as _  # noqa: F401 - before the clock runs: 0.1 s of the processor's, none of the server's
    said: list[Any] = []

    def ask() -> None:
        from holdfast.postgres.coordination import PostgresStore
        from holdfast.postgres.migration import team_of

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
    if isinstance(error := said[0], Exception):
        what = error.args if isinstance(error, HoldfastError) else (type(error).__name__, "the team's server")
        raise Fault(*what)
    answer: Claim | Refusal = said[0]
    return answer
