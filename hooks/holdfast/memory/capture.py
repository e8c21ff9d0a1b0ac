"""Put what a session leaves into the project's memory: what holds at each stop, what is open when it is over.

Everything can be done twice (memory/desk.py), so nothing is lost or doubled when a stop, an end and the next
start come together, or one of them is killed. What is put away late is as old as the session's last sign.
"""

import os
import re
from collections.abc import Mapping
from typing import Any

from holdfast.digest import archive
from holdfast.gauge import hooks as gauge
from holdfast.hot import call_log, paths
from holdfast.hot.files import Lock, names_in, size_of, write_atomic
from holdfast.hot.jsonc import dumps
from holdfast.hot.provenance import is_plain, real_folder
from holdfast.memory import derived, extract, open_items, pending_sessions, session_page, start_hook
from holdfast.memory import desk as memory_desk
from holdfast.memory.desk import Desk
from holdfast.memory.purge import PAGES
from holdfast.memory.record import Record
from holdfast.memory.shapes import DELETE
from holdfast.memory.store import Memory
from holdfast.session import faults, folders, worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.text import redaction
from holdfast.text.dates import iso

PAGES_KEPT = 50  # summaries of sessions
COMPILED = 2_000  # records up to which a stop compiles what it has kept; of more, the session's end does, or a start
AT_WORK = "keep.lock"
CUT_OFF = "cut off"
_PAGE = re.compile(r"\d{4}-\d\d-\d\d-[\w.-]{1,40}\.md")


def note(session: Session, work: Mapping[str, Any]) -> None:
    """At a stop: decisions and learnings, when anything new was said. Raises OSError."""
    if not work["notes"] or session.read(start_hook.TOLD).get("mark") == _mark(work):
        return
    desk = memory_desk.opened(session, work, derived.memory_at(session.project), session.now)
    known = len(desk.records)
    memory_desk.keep(desk, extract.lasting(work))
    memory_desk.close(desk, _mark(work))
    if known < len(desk.records) <= COMPILED:  # here, so that no start has to wait for it
        derived.compiled(desk.memory, session.now)


def finish(event: Event, session: Session, work: Mapping[str, Any], how: str, seen: float = 0.0) -> None:
    """At the end, or later in the session's place: all that it leaves, its summary, the compiled memory.

    how: how it ended, as the client calls it. seen: epoch seconds of its last sign; 0 is now. Raises OSError.
    """
    if not work["messages"]:  # nothing was said in it: it counts for nothing
        return pending_sessions.drop(session)
    memory = derived.memory_at(session.project)
    # two starts may find the same dead session; a lock that is not had in time: see above
    with Lock(f"{pending_sessions.notes(session)}/{AT_WORK}"):
        left = extract.lasting(work), open_items.unfinished(work)
        if any(left) or open_items.has_state(work):
            _finish(event, memory_desk.opened(session, work, memory, seen or session.now), left)
        pending_sessions.put_away(session, how, seen)
    if os.path.isdir(memory.folder):
        _look_after(session, memory)
        if start_hook.ready(session, memory.folder) is None:
            derived.compiled(memory, session.now)
    return None


def _look_after(session: Session, memory: Memory) -> None:
    """Once a day, what has had its time is set aside; one that is killed goes on where it stopped. Raises OSError."""
    from holdfast.memory import maintenance  # on most days there is nothing to do

    if maintenance.is_due(memory, session.now):
        done = maintenance.maintain(memory, session.now)
        if any(step.verb == DELETE for step in done.actions):
            from holdfast.knowledge import build

            build.renew(session.now, session.project)


def finish_later(event: Event, session: Session) -> None:
    """Put away a session that is over, at a later start, which is told whatever happens here."""
    try:
        pending_sessions.tried(session)
        _finish_later(event, session)
    except Exception:  # noqa: BLE001 - whatever the memory does, the rest of the start is told
        faults.log_current_fault(event.name)


def _finish_later(event: Event, session: Session) -> None:
    """What it left is as old as its last sign. Raises OSError."""
    last, seen = session.read(paths.LAST), min(folders.last_used(session.folder), session.now)
    then = event._replace(transcript_path=str(last.get("transcript") or ""), fields={})
    try:
        finish(then, session, worklog.fold(then, session), str(last.get("ended") or CUT_OFF), seen)
    finally:  # what is written for it here is no sign of life
        folders.set_back(session.folder, seen)


def _finish(event: Event, desk: Desk, left: tuple[list[Any], list[Any]]) -> None:
    """left: what holds whatever becomes of the task, and what is open."""
    memory_desk.resolve(desk)
    is_child = bool(pending_sessions.noted(desk.session).get("child"))
    kept = memory_desk.keep(desk, left[0])
    kept += memory_desk.keep(desk, [one for one in left[1] if not (is_child and one["kind"] == "state")])
    memory_desk.close(desk, _mark(desk.work))
    try:
        _write_page(desk, event, kept)
    except OSError:  # a page less: what it tells of is in the memory
        faults.log_current_fault(event.name)


def _mark(work: Mapping[str, Any]) -> str:
    """By which is seen that something new was said."""
    return archive.fingerprint(dumps(work["notes"]).encode())


def _write_page(desk: Desk, event: Event, records: list[Record]) -> None:
    """The session's summary as a page; the oldest pages go."""
    session, work = desk.session, desk.work
    folder, name = f"{desk.memory.folder}/{PAGES}", folders.shown(os.path.basename(session.folder))
    begun = pending_sessions.noted(session).get("begun") or 0.0
    agents = (file.rsplit(".", 2)[0] for file in names_in(session.path(paths.HANDOFFS)))
    facts = session_page.Facts(
        name,
        os.path.basename(session.project),
        iso(begun) if begun else "",
        iso(desk.seen),
        max(0, int((desk.seen - begun) // 60)),
        str(session.read(paths.LAST).get("ended") or CUT_OFF),
        gauge.read(event, session).tokens,
        call_log.count(session.path(paths.CALLS)),
        tuple(path for path in work["changed"] if size_of(path) < 0),
        tuple(dict.fromkeys(agents)),
    )
    real_folder(desk.memory.folder)
    real_folder(folder)
    text = redaction.redacted(session_page.page(work, records, facts).replace(f"{session.project}/", ""))
    write_atomic(f"{folder}/{iso(desk.seen)[:10]}-{name}.md", text)
    today = iso(session.now)[:10]  # what is dated ahead would push out all others
    dated = (page for page in names_in(folder) if _PAGE.fullmatch(page) and page[:10] <= today)
    for path in [path for page in dated if is_plain(path := f"{folder}/{page}")][:-PAGES_KEPT]:
        os.unlink(path)
