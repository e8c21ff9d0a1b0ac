"""After a session was cut off: its newest whole checkpoint, and what the next start says of it.

What the transcript still tells beyond the checkpoint is folded and saved first, so that the newest one is the whole
of what is known.
"""

import os
from typing import Any, NamedTuple

from holdfast.checkpoint import bootstrap, store
from holdfast.checkpoint import hooks as checkpoints
from holdfast.checkpoint.environment import differences, environment, last_sign
from holdfast.checkpoint.page import Section
from holdfast.compaction.restore import Known
from holdfast.gauge import hooks as gauge
from holdfast.hot import paths
from holdfast.session import liveness, worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.text.lines import age
from holdfast.worklog import fold

REASON = "found after the session was cut off"


class Point(NamedTuple):
    """What a start has to say of a session that was cut off; empty when none was."""

    sections: list[Section] = []  # noqa: RUF012 - a default that nobody changes
    user: list[str] = []  # noqa: RUF012 - as above
    path: str = ""
    age: float = -1.0

    def of(self, known: Known) -> Known:
        """What a restore draws on, with the source and age of what is told here."""
        return known._replace(path=self.path, age=self.age) if self.path else known


def at_start(event: Event, session: Session, source: str, cut_off: bool) -> Point:
    """For a session that comes back after it was cut off, or for a new one beside it. Raises OSError."""
    if cut_off:
        return _point(event, session, itself=True)
    folder = liveness.cut_off_before(session) if source == "startup" else ""
    if not folder:
        return Point()
    dead = session._replace(folder=folder, call=0)
    transcript = str(dead.read(paths.LAST).get("transcript") or "")
    return _point(event._replace(transcript_path=transcript, fields={}), dead, itself=False)


def _point(event: Event, session: Session, itself: bool) -> Point:
    saved = newest(event, session)
    if not saved:
        return Point()
    seen, name = session.now - float(saved["time"]), os.path.basename(session.folder)
    here = found(session, saved)
    section = bootstrap.restored(saved, here) if itself else bootstrap.cut_off(saved, here)
    number = f"checkpoint {saved['number']:04d} ({here.age} old)"
    user = (
        f"Holdfast: this session {bootstrap.CUT_OFF}; restored from {number}."
        if itself
        else f"Holdfast: the last session here {bootstrap.CUT_OFF}; {number} has its state. "
        f"To go on with it: claude --resume {name}"
    )
    return Point([section], [user], here.path, seen)


def newest(event: Event, session: Session) -> dict[str, Any]:
    """The newest whole checkpoint, after what its session did later has been saved too; {} for none. Raises OSError."""
    work, saved = worklog.fold(event, session), store.newest(session.path(paths.CHECKPOINTS))
    known = fold.load(saved.get("work") or {})
    if work["messages"] > known["messages"]:
        return checkpoints.save(session, work, gauge.read(event, session), REASON)
    return saved


def found(session: Session, saved: dict[str, Any]) -> bootstrap.Found:
    """The place of the work now, compared with a checkpoint of the session."""
    work, before = fold.load(saved.get("work") or {}), saved.get("environment") or {}
    seen = last_sign(session.path(paths.CALLS), float(saved["time"]))
    names = before.get("files") or ()
    there = sum(os.path.exists(f"{session.project}/{name}") for name in names)
    return bootstrap.Found(
        age(session.now - float(saved["time"])),
        store.readable_path(session.path(paths.CHECKPOINTS), saved),
        environment(session, work),
        differences(session, work, before, seen),
        (there, len(names)),
    )
