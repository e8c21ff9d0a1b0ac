"""Checkpoints as hooks make and use them: at milestones, before a compaction, after a session was cut off."""

import contextlib
import os
from typing import NamedTuple

from holdfast.checkpoint import environment, model, page, store
from holdfast.checkpoint.model import Draft, Environment, StoredCheckpoint
from holdfast.checkpoint.page import PlaceNow
from holdfast.checkpoint.sections import FAILED, Section, error_lines, plan_lines, quoted, run_lines
from holdfast.gauge import hooks as gauge
from holdfast.gauge.suggest import WindowUse
from holdfast.hot import call_log, provenance
from holdfast.hot.jsonc import field
from holdfast.hot.paths import InSession, InState
from holdfast.session import liveness, worklog
from holdfast.session.context import PROGRAM, Session, stamp
from holdfast.session.event import Event
from holdfast.text.lines import age, one_line
from holdfast.text.redaction import redacted
from holdfast.worklog.model import Worklog

AFTER_A_CUT = "found after the session was cut off"
CUT_OFF = "was cut off (killed or crashed)"


def save(session: Session, work: Worklog, reading: WindowUse, reason: str, note: str | None = None) -> StoredCheckpoint:
    """Store a checkpoint of the work as it stands and give it back. Raises OSError.

    note: what is to stand first in it. None takes over the note of the one before; "" lets it go.
    """
    name, before = os.path.basename(session.folder), newest(session)
    draft: Draft = {
        "time": session.now,
        "stamp": stamp(session.now),
        "session": name,
        "made": provenance.marked(session.folder),
        "reason": one_line(redacted(reason), 200),
        "note": {"text": redacted(note), "time": session.now} if note else None,
        "calls": call_log.count(session.path(InSession.CALLS)),
        "tokens": reading.tokens,
        "limit": reading.limit,
        "environment": environment.environment(session, work),
        **model.contents(work, session.read(InSession.ORCHESTRATOR), name),
    }
    if note is None and before and before["note"]:
        draft["note"] = {"number": before["number"], **before["note"]}
    folder, reports = session.path(InSession.CHECKPOINTS), session.path(InSession.HANDOFFS)
    return store.save(folder, draft, lambda saved: page.readable({**saved, "work": work}, reports))


def log_progress(session: Session, saved: StoredCheckpoint, work: Worklog, reason: str) -> None:
    """One entry of the progress log (W6). Where it cannot be written (a link, a full disk) the checkpoint stands."""
    tasks = model.tasks(work)
    runs = [line.removeprefix("- ") for line in run_lines(work, 1)]
    details = (
        ("task", one_line(model.title(work), 240)),
        ("changed", ", ".join(path.rsplit("/", 1)[-1] for path in work["changed"][-8:])),
        ("evidence", one_line("; ".join(work["commits"][-1:] if reason == "commit" else runs), 200)),
        ("open", "; ".join(one_line(error["what"], 120) for error in model.open_errors(work)[-2:])),
        ("next", one_line("; ".join([*tasks["in_progress"], *tasks["planned"]][:2]), 200)),
        ("checkpoint", f"{saved['number']:04d} of session {saved['session']}"),
    )
    with contextlib.suppress(OSError):
        store.add_progress(f"{session.state}/{InState.PROGRESS}", f"{saved['stamp']} {reason}", details)


def at_turn_end(event: Event, session: Session, work: Worklog, reading: WindowUse) -> None:
    """Stop: a checkpoint and an entry where a milestone was reached; what the place looks like now. Raises OSError."""
    agents = session.read(InSession.ORCHESTRATOR)
    reason = model.milestone(newest(session), work, agents, reading.tokens, reading.limit)
    if reason and session.config["checkpoint.on"]:
        log_progress(session, save(session, work, reading, reason), work, reason)
    here = {"time": session.now, "transcript": event.transcript_path, "environment": environment.place(session, work)}
    session.write(InSession.LAST, {**session.read(InSession.LAST), **here})


def newest(session: Session) -> StoredCheckpoint | None:
    """The newest whole checkpoint that was saved here."""
    return store.newest(session.path(InSession.CHECKPOINTS))


def listed(folder: str) -> list[tuple[int, StoredCheckpoint | None]]:
    """(number, checkpoint) of all in a session's folder, oldest first; None for a torn one."""
    return store.listed(f"{folder}/{InSession.CHECKPOINTS}")


def page_path(session: Session, saved: StoredCheckpoint | None) -> str:
    """Path of its page; "" for no checkpoint."""
    return store.readable_path(session.path(InSession.CHECKPOINTS), saved)


def last_progress(session: Session) -> str:
    """The end of the progress log."""
    return store.last_progress(f"{session.state}/{InState.PROGRESS}")


def recorded(session: Session) -> tuple[Environment, float]:
    """The place as the last turn's end or the newest checkpoint left it, whichever is later, and when: 0 for never.

    Not as it was found after a cut: that is the place as it is now.
    """
    saved, last = newest(session), session.read(InSession.LAST)
    noted = field(last, "time", 0.0)
    if saved and saved["time"] > noted and saved["reason"] != AFTER_A_CUT:
        return saved["environment"], saved["time"]
    return field(last, "environment", Environment()), noted


class Point(NamedTuple):
    """What a start has to say of a session that was cut off; empty when none was."""

    sections: tuple[Section, ...] = ()
    user: str = ""
    path: str = ""
    """Of the checkpoint's page."""
    seconds: float = -1.0
    """Its age."""


def at_start(event: Event, session: Session, source: str, cut_off: bool) -> Point:
    """For a session that comes back after it was cut off, or for a new one beside it."""
    if not session.config["checkpoint.on"]:
        return Point()
    if not cut_off:
        folder = liveness.cut_off_before(session) if source == "startup" else ""
        if not folder:
            return Point()
        session = session._replace(folder=folder, call=0)
        event = event._replace(transcript_path=str(session.read(InSession.LAST).get("transcript") or ""), fields={})
    saved = caught_up(event, session)
    if not saved:
        return Point()
    here = found(session, saved)
    number = f"checkpoint {saved['number']:04d} ({here.age} old)"
    if cut_off:
        user = f"Holdfast: this session {CUT_OFF}; its state was put back from {number}."
        lines = [
            f"This session {CUT_OFF}. Its state was put back from {number}, the newest whole one: {here.path}",
            "What was running then may have been left half done: look before you rely on it.",
        ]
    else:
        way = f"To go on with it: claude --resume {saved['session']}"
        user = f"Holdfast: the last session here {CUT_OFF}; {number} has its state. {way}"
        lines = _beside(saved, here, number)
    title = "This session was cut off" if cut_off else "The last session here was cut off"
    return Point(((title, lines),), user, here.path, session.now - saved["time"])


def _beside(saved: StoredCheckpoint, here: PlaceNow, number: str) -> list[str]:
    """For a new session: where the checkpoint is, and the state in a few lines."""
    work, of = saved["work"], f" --session {saved['session']}"
    marked = [f"- marked to do: {one_line(one['text'], 240)}" for one in work["marks"] if one["kind"] == "todo"]
    told = (
        ("note", model.note_of(saved)),
        ("task", model.title(work)),
        ("files changed", ", ".join(path.rpartition("/")[2] for path in work["changed"][-8:])),
        ("drift", "; ".join(here.drift)),
    )
    return [
        f"Session {saved['session']} {CUT_OFF}; its newest whole checkpoint is {number.partition(' ')[2]}: {here.path}",
        *(f"- {label}: {one_line(text, 240)}" for label, text in told if text),
        *plan_lines(work)[:5],
        *marked[:-6:-1],
        *(f"- {FAILED.lower()}: {line[2:]}" for line in error_lines(work, solved=False)[:1]),
        f"If the user wants this work to go on: `{PROGRAM} checkpoint resume{of}` prints all of it; `{PROGRAM} handoff "
        f"package --kind emergency{of}` writes a file from which another agent goes on. Otherwise leave it alone.",
    ]


def caught_up(event: Event, session: Session) -> StoredCheckpoint | None:
    """The newest whole checkpoint, after what its session did later has been saved too."""
    work, saved = worklog.fold(event, session), newest(session)
    if work["messages"] > (saved["work"]["messages"] if saved else 0):
        with session.noting():
            return save(session, work, gauge.read(event, session), AFTER_A_CUT)
    return saved


def found(session: Session, saved: StoredCheckpoint) -> PlaceNow:
    """The place of the work now, compared with a checkpoint of the session."""
    return PlaceNow(
        age(session.now - saved["time"]),
        page_path(session, saved),
        environment.environment(session, saved["work"]),
        environment.drift(session, saved["work"], saved["environment"], saved["time"]),
        session.path(InSession.HANDOFFS),
    )


def note_lines(saved: StoredCheckpoint | None, now: float) -> list[str]:
    """What was left for this moment, with its age; [] when nothing was."""
    note = saved["note"] if saved else None
    if not note:
        return []
    head = f"Left with checkpoint {note['number']}" if "number" in note else "Left"
    return [f"{head} {age(now - note['time'])} ago:", *quoted(note["text"])]
