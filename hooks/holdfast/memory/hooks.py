"""What the events of a session have to do with the memory: a start and a prompt are told, a stop and an end put away.

The records that a start tells stand ready (briefing.py), so that it costs the same with ten records and ten thousand.
Of a prompt the hot road has found that words of it could stand for a record (hot/prompt_match.py); here it is decided,
and the records themselves are read, so that one that was archived or forgotten meanwhile is not told.
"""

from typing import Any

from holdfast.errors import BadInput
from holdfast.gauge import hooks as gauge
from holdfast.hot.files import read_bytes
from holdfast.hot.paths import InSession
from holdfast.hot.provenance import is_real
from holdfast.memory import pending_sessions
from holdfast.memory.location import ROWS, folder_of, is_ours
from holdfast.session import folders, worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import utf16_length
from holdfast.text import quoting
from holdfast.text.lines import one_line
from holdfast.worklog.model import Worklog

HEAD = "Holdfast: from this project's memory, since the prompt touches it."


def start(session: Session, room: int, without_task: bool) -> str:
    """What this start tells of the memory, at most `room` UTF-16 units; "" when there is nothing. Raises OSError.

    without_task: the old task is not told, because the user has cleared it away or because it is told already.
    """
    folder = folder_of(session.project)
    if not is_real(folder) or room < 400:  # not worth to begin
        return ""
    from holdfast.memory import briefing, repository, store  # a project without a memory does not pay for it

    entries = briefing.entries(store.Memory(folder), session.now)
    seen: dict[str, str] = {}
    told = []
    for one in (one for one in entries if not (without_task and one.kind == "state")):
        gone = repository.gone(session.project, one.paths, seen) if one.paths else []
        told.append((one, briefing.line_of(one, session.now, gone)))
    before = briefing.continuity(*pending_sessions.before(session), session.now)
    place = one_line(quoting.clean(folder), 300)  # the project's own name may come from an archive
    head = f"Holdfast: what earlier sessions left in this project's memory ({place}). {before}".rstrip()
    page = briefing.page(told, room - utf16_length(head) - 1)
    if not page.ids:
        return ""
    pending_sessions.note_told(session, folder, page.ids)
    return f"{head}\n{page.text}"


def prompt(event: Event, session: Session) -> str:
    """What a prompt calls up; "" when nothing fits well. Commands of the client and sub-agents get none."""
    from holdfast.memory import briefing, store

    said = event.text("prompt")
    memory = store.project_memory(session.project)
    if event.in_subagent or said.lstrip().startswith("/") or not is_ours(memory.folder):  # a clone's is not followed
        return ""
    table = briefing.rows(read_bytes(f"{memory.cache}/{ROWS}"), said)
    told = pending_sessions.told(session)
    ids = [name for name in briefing.fitting(table, said) if name not in told][:8]  # some may have been archived
    found = [(name, one) for name in ids if (one := _quoted(memory, name, session))]
    kept = briefing.within([one for _, one in found], _whole)
    if not kept:
        return ""
    pending_sessions.note_told(session, memory.folder, [name for name, _ in found[: len(kept)]])
    return _whole(kept)


def _whole(quoted: list[quoting.Quoted]) -> str:
    return f"{HEAD}\n{quoting.fenced(quoted)}"


def _quoted(memory: Any, name: str, session: Session) -> quoting.Quoted | None:
    """The record as data, without secrets, when it still holds."""
    from holdfast.memory import briefing, record, repository

    try:
        found = record.believed(memory.get(name), memory.written())
    except BadInput:  # forgotten meanwhile, or broken by hand
        return None
    if not record.is_alive(found, session.now):
        return None
    gone = repository.gone(session.project, found.paths, {})
    return quoting.Quoted(briefing.line_of(briefing.entry(found), session.now, gone), found.trust, "", found.kind, "")


def stop(session: Session, work: Worklog) -> None:
    """What was marked. Raises OSError."""
    from holdfast.memory import capture

    capture.at_stop(session, work)


def end(event: Event, session: Session, work: Worklog) -> bool:
    """All that the session leaves; whether maintenance has removed records (capture.at_end). Raises OSError."""
    from holdfast.memory import capture

    tokens = gauge.read(event, session).tokens
    return capture.at_end(session, work, capture.End(event.text("reason"), session.now, tokens))


def end_late(event: Event, session: Session) -> bool:
    """Put away a session that is over, at a later start: what it left is as old as its last sign. Raises OSError."""
    from holdfast.memory import capture

    pending_sessions.note_try(session)
    last, seen = session.read(InSession.LAST), min(folders.last_used(session.folder), session.now)
    then = event._replace(transcript_path=str(last.get("transcript") or ""), fields={})
    how = str(last.get("ended") or capture.CUT_OFF)
    try:
        tokens = gauge.read(then, session).tokens
        return capture.at_end(session, worklog.fold(then, session), capture.End(how, seen, tokens))
    finally:  # what is written for it here is no sign of life
        folders.set_back(session.folder, seen)
