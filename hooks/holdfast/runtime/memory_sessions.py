"""Which sessions have not been put into the memory yet, and how many there were before this one.

A session's name stands in `unsaved/` of the state folder from its start until what it leaves is in the memory: where
it was killed, or had no time at its end, the next start finds the name there. `sessions.log` has a line for each
session that was put away: number, epoch seconds, how it ended; what tells of the sessions before is its last line.
"""

import os
from typing import Any

from holdfast.core.jsonc import dumps, loads_object
from holdfast.runtime import endings
from holdfast.runtime.session import Session
from holdfast.store import git, paths
from holdfast.store.files import append, make_folder, names_in, read_bytes, read_from, safe_name, size_of, write_atomic

UNSAVED, LOG = "unsaved", "sessions.log"
AT_ONCE = 3  # sessions put away by one start
LINE = 128  # bytes of the log that hold its last line
ANCESTORS = 12


def begun(session: Session) -> None:
    """Note that there is something to put away later. Raises OSError."""
    make_folder(f"{session.state}/{UNSAVED}")
    noted = _noted(session)
    note = {"begun": noted.get("begun") or session.now, "child": noted.get("child") or _is_child(session)}
    write_atomic(_marker(session), dumps({**note, "pid": endings.client()["pid"]}))


def noted(session: Session) -> dict[str, Any]:
    """{begun: epoch seconds, child: whether a session of this project started it}; {} where nothing is noted."""
    return _noted(session)


def has_memory(session: Session) -> bool:
    """Whether there may be a memory: a look that a project without one can afford at every start."""
    places = (session.state, f"{git.main_checkout(session.project)}/.claude/holdfast")
    return any(os.path.isdir(f"{place}/memory") for place in places)


def put_away(session: Session, how: str) -> None:
    """Note that all that this session left is in the memory. Raises OSError."""
    count = before(session)[0] + (0 if session.read(paths.LAST).get("counted") else 1)
    append(f"{session.state}/{LOG}", f"{count} {int(session.now)} {safe_name(how, 30)}\n")
    session.write(paths.LAST, {**session.read(paths.LAST), "counted": True})
    drop(session)


def drop(session: Session) -> None:
    """Nothing of this session is left to be put away. Raises OSError."""
    if os.path.exists(_marker(session)):
        os.unlink(_marker(session))


def left_behind(session: Session) -> list[Session]:
    """Other sessions of this project that are over and not put away, as they were; the first few of them."""
    others = [name for name in names_in(f"{session.state}/{UNSAVED}") if name != os.path.basename(session.folder)]
    found = []
    for name in others:
        other = session._replace(folder=f"{session.state}/sessions/{name}", call=0)
        last = other.read(paths.LAST)
        if not os.path.isdir(other.folder):  # somebody has removed it
            drop(other)
        elif last.get("project") == session.project and (last.get("ended") or endings.was_cut_off(last)):
            found.append(other)
    return found[:AT_ONCE]


def before(session: Session) -> tuple[int, float, str]:
    """(how many were put away, epoch seconds at which the last ended, how it ended); zeros and "" for none."""
    path = f"{session.state}/{LOG}"
    tail = read_from(path, max(0, size_of(path) - LINE), LINE).decode("utf-8", "replace")
    for line in reversed(tail.splitlines()):
        count, _, rest = line.partition(" ")
        ended, _, how = rest.partition(" ")
        if count.isdecimal() and ended.isdecimal():
            return int(count), float(ended), how
    return 0, 0.0, ""


def _marker(session: Session) -> str:
    return f"{session.state}/{UNSAVED}/{os.path.basename(session.folder)}"


def _noted(session: Session) -> dict[str, Any]:
    return loads_object(read_bytes(_marker(session)))


def _is_child(session: Session) -> bool:
    """Whether a client that runs a session of this project is above ours: it started it, e.g. by `claude -p`."""
    others = {
        str(loads_object(read_bytes(f"{session.state}/{UNSAVED}/{name}")).get("pid") or "-")
        for name in names_in(f"{session.state}/{UNSAVED}")
        if name != os.path.basename(session.folder)
    }
    above = endings.client()["pid"]
    for _ in range(ANCESTORS if others else 0):
        above = endings.parent_of(above)
        if above in others:
            return True
    return False
