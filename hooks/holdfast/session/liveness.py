"""How did a session end: by its SessionEnd, or was it cut off?

SessionStart notes in `last.json` which client process opened the session, SessionEnd takes that back: where the process
is gone, the session was killed or crashed. The note bears the mark of the session's folder (hot/provenance.py), since a
clone may bring whole sessions.
"""

import os
from collections.abc import Mapping
from typing import Any, TypedDict, cast

from holdfast.errors import BadInput
from holdfast.hot import provenance
from holdfast.hot.files import names_in, read_bytes, read_text, safe_name, size_of
from holdfast.hot.jsonc import loads_object, whole_numbers
from holdfast.hot.paths import InSession, session_folder
from holdfast.hot.patterns import matches
from holdfast.session import folders
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.text.lines import one_line


class Process(TypedDict):
    """A process, told apart from a later one with its number by when it started, in the kernel's ticks."""

    pid: str
    birth: str


class Last(TypedDict, total=False):
    """`last.json`: how the session stands, for the starts that come after it."""

    made: str
    """Mark of the session's folder."""
    project: str
    transcript: str
    called: list[int]
    """The bytes of the transcript from which on a model had started the client, and the user again, by turns."""
    open: Process
    """The client that opened it; empty once it has ended."""
    ended: str
    """The client's reason; "" while it goes on."""
    time: float
    """Epoch seconds of the last end of a turn."""
    environment: dict[str, object]
    """What the place looked like then (checkpoint/environment.py)."""
    begun: float
    """Epoch seconds, of a session whose folder was made anew after it."""
    counted: bool
    """Whether the project's memory has counted it."""
    silent: bool
    """Whether its end is not noted, because the user has switched that hook off: it is over, but was not cut off."""


def opened(event: Event, session: Session) -> None:
    """Note that this session runs, and where its transcript is. Raises OSError."""
    # of what was noted elsewhere only stays whether it was counted: a pull may have brought the rest
    before = noted(session.folder) or {"counted": last_of(session.folder).get("counted") is True}
    now: Last = {
        "transcript": event.transcript_path,
        "project": session.project,
        "made": provenance.marked(session.folder),
        "called": _called(before, event, session),
        "open": client(),
        "ended": "",
        "silent": matches("SessionEnd", session.config["hooks.off"]),
    }
    session.write(InSession.LAST, {**before, **now})


def _called(before: Last, event: Event, session: Session) -> list[int]:
    """With this client's turn, where another one's was: a model's from what is folded on, the user's from here on."""
    turns = whole_numbers(before.get("called"))
    is_called = "CLAUDE_CODE_EXECPATH" in os.environ  # hooks have it of a shell alone (2.1.329)
    if is_called is bool(len(turns) % 2):
        return turns
    folded = session.read(InSession.STATE).get("offset")
    here = folded if is_called else size_of(event.transcript_path)
    return [*turns, max(0, here) if isinstance(here, int) else 0]


def goes_on(event: Event, session: Session) -> None:
    """Note a live session anew whose note does not count any more (`chmod -R`, an upgrade, a pull): else it is lost
    where it is killed. Only what the client says in this event is believed. Raises OSError.
    """
    if not noted(session.folder):
        opened(event, session)


def ended(session: Session, reason: str) -> None:
    """Note that it ended as it should. Raises OSError."""
    session.write(InSession.LAST, {**last_of(session.folder), "open": {}, "ended": reason or "other"})


def client() -> Process:
    """The client that runs this hook; pid "" where it does not tell."""
    pid = os.environ.get("CLAUDE_PID", "")
    return _process(pid if pid.isdecimal() else "")


def arguments() -> list[str]:
    """The command line of the client that runs this; only "" where it is not known."""
    pid = client()["pid"]
    line = read_text(f"/proc/{pid}/cmdline", 4_000_000) if pid else ""
    return line.split("\0")


def parent_of(process: Process) -> Process:
    """The process that started this one; pid "" where the system does not tell."""
    return _process(_fields(process["pid"]).get(1, ""))


def _process(pid: str) -> Process:
    """With its birth: numbers are given again, to a container's first above all; the ticks of its start are not."""
    return {"pid": pid, "birth": _fields(pid).get(19, "")}


def _fields(pid: str) -> dict[int, str]:
    """What the kernel says of a process, by its place behind the name; {} where it says nothing."""
    text = read_text(f"/proc/{pid}/stat", 4_096) if pid else ""
    return dict(enumerate(text.rpartition(")")[2].split()))


def last_of(folder: str) -> Last:
    """What is noted in a session's folder, whoever has noted it; {} where a link or nothing stands there."""
    path = f"{folder}/{InSession.LAST}"
    return cast("Last", loads_object(read_bytes(path)) if provenance.is_plain(path) else {})


def noted(folder: str) -> Last:
    """What was noted on this machine; {} for a session that a clone or an archive has brought."""
    found: Last = last_of(folder) if provenance.real_within(os.path.dirname(folder), [os.path.basename(folder)]) else {}
    return found if provenance.bears(folder, found.get("made")) else {}


def past(state: str) -> list[str]:
    """Folders of the sessions that ran on this machine: what a clone or a pull has brought is nobody's to remove."""
    return [folder for folder in folders.listed(state) if noted(folder)]


def newest(state: str) -> str:
    """Folder of the session that was active last on this machine, one that goes on first, those without a transcript
    last; "" for none. What a clone has brought is none.
    """
    ours = {folder: noted(folder) for folder in past(state)}
    told = [one for one, last in ours.items() if size_of(str(last.get("transcript") or "")) > 0]
    return max(told or ours, key=lambda one: (not is_over(ours[one]), folders.last_used(one)), default="")


def meant(state: str, session_id: str = "") -> str:
    """Folder of the session that is named, else of the one whose client runs this shell, else the newest; "" for none.

    Raises BadInput for a name that is none. A clone's session of the client's id hides none of this machine's.
    """
    if session_id:
        return named(state, session_id)
    own = session_folder(state, os.environ.get("CLAUDE_CODE_SESSION_ID", "") or "none")
    return own if noted(own) else newest(state)


def named(state: str, session_id: str) -> str:
    """Folder of the session of this id, or of the only one that begins so. Raises BadInput that lists the newest."""
    wanted, there = safe_name(session_id), {os.path.basename(folder): folder for folder in folders.listed(state)}
    fits = [wanted] if wanted in there else [name for name in there if name.startswith(wanted)]
    if len(fits) == 1:
        return there[fits[0]]
    known = sorted(there, key=lambda name: folders.last_used(there[name]))[:-6:-1]
    what = f"there is no session {one_line(session_id, 60)}" if not fits else f"{len(fits)} sessions begin so"
    newest_ones = f"The newest are: {', '.join(known)}" if known else "None has run here yet"
    raise BadInput(what, f"{state}/sessions", newest_ones)


def was_cut_off(last: Mapping[str, Any]) -> bool:
    """Whether the session of this record was opened, never ended, and its client is gone."""
    return is_over(last) and not last.get("ended") and not last.get("silent")


def is_over(last: Mapping[str, Any]) -> bool:
    """Whether it has ended, or its client is gone."""
    if last.get("ended"):
        return True
    by = last.get("open")
    return isinstance(by, dict) and bool(by) and not _runs(by)


def _runs(by: Mapping[str, Any]) -> bool:
    pid = str(by.get("pid") or "")
    try:
        if int(pid) < 1:
            return False
        os.kill(int(pid), 0)
    except PermissionError:  # somebody else's process
        pass
    except (OSError, OverflowError, ValueError):
        return False
    return _process(pid)["birth"] == by.get("birth")


def cut_off_before(session: Session) -> str:
    """Folder of the session that was at work last in this project, when it was cut off; "" otherwise."""
    others = [folder for folder in folders.listed(session.state) if folder != session.folder]
    for folder in sorted(others, key=folders.last_used, reverse=True):
        told = noted(folder)
        if told.get("project") != session.project:  # projects may share the state folder
            continue
        saved = any(name.endswith(".json") for name in names_in(f"{folder}/{InSession.CHECKPOINTS}"))
        if saved or size_of(str(told.get("transcript") or "")) > 0:  # else it did nothing
            return folder if was_cut_off(told) else ""
    return ""
