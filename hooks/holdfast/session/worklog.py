"""The session's worklog, kept in `state.json`: what the transcript has grown by is folded in."""

import contextlib
import itertools
import os
import time
from typing import cast

from holdfast.hot import call_log, provenance
from holdfast.hot.files import read_text, size_of, write_atomic
from holdfast.hot.jsonc import whole_numbers
from holdfast.hot.paths import InSession
from holdfast.session import liveness
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.worklog import model as worklog
from holdfast.worklog import reader
from holdfast.worklog.model import UserPrompt, Worklog


def fold(event: Event, session: Session, write: bool = True) -> Worklog:
    """The worklog with the transcript's growth folded in; write: and kept, else what a fold died of is not read."""
    work, size = kept(session), size_of(event.transcript_path)
    if 0 <= size < work["offset"]:  # another file under the same name: begin again
        work = worklog.empty()
    note = session.path(InSession.FOLDING)
    if size > work["offset"] and (write or not _died(note)):
        turns = [*whole_numbers(liveness.noted(session.folder).get("called")), size]
        work["arguments"] = liveness.arguments()
        for number, end in enumerate(min(one, size) for one in turns):
            if end > work["offset"]:
                work["called"] = number % 2 == 1
                path = event.transcript_path
                work = _grown(path, work, end, session) if write else reader.grown(path, work, end)
        work["arguments"] = []
        if write:
            with session.noting():
                keep(session, work)
    return work


def keep(session: Session, work: Worklog) -> None:
    """As the next fold is to find it. Raises OSError."""
    session.write(InSession.STATE, {**work, "arguments": [], "made": provenance.mark(session.folder)})


def kept(session: Session) -> Worklog:
    """As the last fold left it; nothing of what does not bear the mark of the session's folder: a pull writes over what
    git ignores.
    """
    stored = session.read(InSession.STATE)
    return worklog.load(stored if provenance.bears(session.folder, stored.get("made")) else {})


def said_here(work: Worklog, folder: str) -> Worklog:
    """The worklog with nothing of the user's in rows that are older than the session: they are another one's, of which
    it is a copy (a fork, say), and were read there, by whoever had started the client. Clocks may differ by a minute.
    """
    begun = liveness.noted(folder).get("begun") or provenance.born(folder)
    born = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(max(0, begun - 60)))
    copied = [*itertools.takewhile(lambda one: "" < one.get("at", "")[:19] < born, work["prompts"])]
    if not copied:
        return work
    last = copied[-1]["n"]
    prompts = [cast("UserPrompt", {**one, "own": ""}) if one["n"] <= last else one for one in work["prompts"]]
    marks = [one for one in work["marks"] if one["n"] > last or one["by"] != "user"]
    return cast("Worklog", {**work, "prompts": prompts, "marks": marks})


def _grown(path: str, work: Worklog, size: int, session: Session) -> Worklog:
    """The growth folded in. Where a fold is stands in the note, which one that dies leaves behind.

    The next one then goes row by row, steps over the row at which such a one has died as well, and keeps the state
    behind it, and each second: else the one after that begins again, and dies where this one went by.
    """
    note = session.path(InSession.FOLDING)
    died, due = _died(note), time.monotonic() + 1

    def begin(work: Worklog) -> bool:
        nonlocal due
        if time.monotonic() > due:
            with session.noting():
                keep(session, work)
            due = time.monotonic() + 1
        _note(note, "row", work["offset"])
        is_deadly = died == ("row", work["offset"])
        due = 0 if is_deadly else due
        return not is_deadly

    if not died:
        _note(note, "growth", work["offset"])
    work = reader.grown(path, work, size, begin if died else None)
    with contextlib.suppress(OSError):
        os.unlink(note)
    return work


def _note(note: str, what: str, offset: int) -> None:
    with contextlib.suppress(OSError):  # a disk that refuses: only who dies then is not known
        write_atomic(note, f"{os.getpid()} {what} {offset}")


def _died(note: str) -> tuple[str, int] | None:
    """("growth" or "row", offset) at which a fold died; None where none did, or it is still at work."""
    match read_text(note, 100).split():
        case [pid, what, offset] if pid.isdecimal() and offset.isdecimal():
            with contextlib.suppress(PermissionError):  # somebody else's process
                try:
                    os.kill(int(pid), 0)
                except (ProcessLookupError, OverflowError):
                    return what, int(offset)
    return None


def fold_settled(event: Event, session: Session) -> Worklog:
    """As `fold`, but waits for results that are not in the transcript yet: before a compaction they count.

    The client writes it up to 100 ms late (client 2.1.329); 300 ms are enough. Where it has not grown by then, nothing
    is on its way: a call was cut off, and nobody will answer it.
    """
    begun = size = size_of(event.transcript_path)
    work = fold(event, session)
    for number in range(61):
        is_behind = _is_behind(event.transcript_path, session.path(InSession.CALLS))
        if size != (size := size_of(event.transcript_path)):  # looked at last: it may grow meanwhile
            work = fold(event, session)
        is_kept = size_of(session.path(InSession.STATE)) >= 0  # else each look would be whole
        if not (is_behind or work["open_calls"]) or not is_kept or number == 60 or (number == 20 and size == begun):
            break
        time.sleep(5 / 1_000)
    return work


def _is_behind(transcript: str, calls: str) -> bool:
    """Whether nothing was written to it since the journal of calls has its last one, of which it lacks the result."""
    with contextlib.suppress(OSError, ValueError):
        return call_log.count(calls) > 0 and os.stat(transcript).st_mtime <= os.stat(calls).st_mtime
    return False
