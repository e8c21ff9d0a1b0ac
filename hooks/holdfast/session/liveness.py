"""How did a session end: by its SessionEnd, or was it cut off?

SessionStart notes which client process opened the session, SessionEnd takes the note back. A note whose process
is gone means that the session was killed or crashed. Everything stands in `last.json`, which bears the mark of the
session's folder (hot/provenance.py): a clone may bring whole sessions, and what they say is nobody's word here.
"""

import os
from typing import Any

from holdfast.hot import paths, provenance
from holdfast.hot.files import names_in, read_bytes, read_text, size_of
from holdfast.hot.jsonc import loads_object
from holdfast.session.context import Session
from holdfast.session.event import Event


def opened(event: Event, session: Session) -> None:
    """Note that this session runs, and where its transcript is. Raises OSError.

    Of what was noted elsewhere only stays whether it was counted: a pull may have brought the rest.
    """
    before = noted(session.folder) or {"counted": session.read(paths.LAST).get("counted") is True}
    told = {"transcript": event.transcript_path, "project": session.project, "made": provenance.marked(session.folder)}
    session.write(paths.LAST, {**before, **told, "open": client(), "ended": ""})


def goes_on(event: Event, session: Session) -> None:
    """A live session whose note does not count any more (`chmod -R`, an upgrade, a pull) is noted anew.

    Else it would be lost where it is killed. Nothing is believed by it but what the client says in this event: the
    files without the new mark stay what they are. Raises OSError.
    """
    if not noted(session.folder):
        opened(event, session)


def ended(session: Session, reason: str) -> None:
    """Note that it ended as it should. Raises OSError."""
    session.write(paths.LAST, {**session.read(paths.LAST), "open": {}, "ended": reason or "other"})


def client() -> dict[str, str]:
    """{pid, birth} of the client that runs this hook; "" where it does not tell."""
    pid = os.environ.get("CLAUDE_PID", "")
    return _process(pid if pid.isdigit() else "")


def parent_of(process: dict[str, str]) -> dict[str, str]:
    """{pid, birth} of the process that started this one; "" where the system does not tell."""
    return _process(_fields(process["pid"]).get(1, ""))


def _process(pid: str) -> dict[str, str]:
    return {"pid": pid, "birth": _birth(pid)}


def _birth(pid: str) -> str:
    """When a process started, in the kernel's ticks: numbers are given again, to a container's first above all."""
    return _fields(pid).get(19, "")


def _fields(pid: str) -> dict[int, str]:
    """What the kernel says of a process, by its place behind the name; {} where it says nothing."""
    text = read_text(f"/proc/{pid}/stat", 4_096) if pid else ""
    return dict(enumerate(text.rpartition(")")[2].split()))


def last_of(folder: str) -> dict[str, Any]:
    """What is noted of a session, whoever has noted it; {} where a link, a pipe or nothing stands there."""
    path = f"{folder}/{paths.LAST}"
    return loads_object(read_bytes(path)) if provenance.is_plain(path) else {}


def noted(folder: str) -> dict[str, Any]:
    """What was noted on this machine of another session; {} for one that a clone or an archive has brought."""
    root, name = os.path.split(folder)
    last = last_of(folder) if provenance.real_within(root, [name]) else {}
    return last if provenance.bears(folder, last.get("made")) else {}


def was_cut_off(last: dict[str, Any]) -> bool:
    """Whether the session of this record was opened, never ended, and its client is gone."""
    by = last.get("open")
    return isinstance(by, dict) and bool(by) and not _runs(by)


def _runs(by: dict[str, Any]) -> bool:
    pid = str(by.get("pid") or "")
    if not pid.isdigit() or int(pid) < 1:
        return False
    try:
        os.kill(int(pid), 0)
    except PermissionError:  # somebody else's process
        return _birth(pid) == by.get("birth")
    except (OSError, OverflowError):
        return False
    return _birth(pid) == by.get("birth")


def cut_off_before(session: Session) -> str:
    """Folder of the session that was at work last in this project, when it was cut off; "" otherwise.

    Sessions without any work are passed over, and so are those of other projects that share the state folder.
    """
    root = f"{session.state}/sessions"
    others = [f"{root}/{name}" for name in names_in(root) if f"{root}/{name}" != session.folder]
    for folder in sorted(others, key=_last_active, reverse=True):
        last = noted(folder)
        if last.get("project") == session.project and _has_work(folder, last):
            return folder if was_cut_off(last) else ""
    return ""


def _last_active(folder: str) -> float:
    dates = [0.0]
    for name in (paths.CALLS, paths.LAST, paths.STATE):
        try:
            dates.append(os.stat(f"{folder}/{name}").st_mtime)
        except OSError:  # not every session has each
            pass
    return max(dates)


def _has_work(folder: str, last: dict[str, Any]) -> bool:
    saved = any(name.endswith(".json") for name in names_in(f"{folder}/{paths.CHECKPOINTS}"))
    return saved or size_of(str(last.get("transcript") or "")) > 0
