"""Put what a session leaves into the project's memory: what holds at each stop, what is open when it is over.

Everything can be done twice: a record's id follows from its session and its words, and what is there stays as it is. So
nothing is lost or doubled when a stop, an end and the next start come together, or one of them is killed. What is put
away late is as old as the session's last sign.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.hot import call_log
from holdfast.hot.files import Lock, names_in, size_of, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import dumps
from holdfast.hot.paths import InSession
from holdfast.hot.provenance import real_folder
from holdfast.memory import briefing, drafts, lifecycle, pending_sessions, repository, session_page, supersession
from holdfast.memory.drafts import Draft
from holdfast.memory.record import (
    Record,
    called,
    check,
    created_at,
    first,
    is_alive,
    key_of,
    saying,
    unsettled,
    without_secrets,
)
from holdfast.memory.store import PAGES, Memory, project_memory
from holdfast.memory.supersession import OpenMemory
from holdfast.session import faults, folders
from holdfast.session.context import Session, skill
from holdfast.text import redaction
from holdfast.text.dates import DAY, iso
from holdfast.text.lines import one_line
from holdfast.worklog.model import Worklog


class Capture(NamedTuple):
    """What putting away needs."""

    session: Session
    opened: OpenMemory
    work: Worklog
    known: dict[str, str]
    """What this session has said and put away: mark of its words -> id."""
    seen: float
    """When the session showed its last sign, epoch seconds: its things are as old as that."""
    fresh: list[Record]
    """What was stored just now."""


class End(NamedTuple):
    """How a session ended: as the client calls it, epoch seconds of its last sign, tokens in its window; the user's
    rules that the memory has.
    """

    how: str
    seen: float
    tokens: int
    rules: Sequence[str] = ()


def at_stop(session: Session, work: Worklog, rules: Callable[[], Sequence[str]] = list) -> str:
    """Decisions and learnings, when anything new was marked; what the user is told of it. Raises OSError.

    rules: as of End.
    """
    if not work["marks"] or session.read(pending_sessions.FILE).get("mark") == _mark(work):
        return ""
    memory = project_memory(session.project, reads=1_000)
    capture = _opened(session, work, memory, session.now)
    _keep(capture, drafts.lasting(work, rules()))
    _close(capture)
    if capture.fresh:
        briefing.renew(memory, session.now)
    return kept_line(capture.fresh, memory)


def kept_line(records: list[Record], memory: Memory) -> str:
    """What was kept, and how to take it back, for the screen; "" for nothing."""
    if not records:
        return ""
    named = [f'"{one_line(record.title, 60)}"{_doubt(record, memory)}' for record in records[:3]]
    more = f" and {len(records) - 3} more" if len(records) > 3 else ""
    ids = " ".join(map(called, records))
    return f"Holdfast kept {len(records)}: {', '.join(named)}{more}; undo: {skill('forget')} {ids}"


def _doubt(record: Record, memory: Memory) -> str:
    near = ", ".join(called(one.record) for one in memory.known().named(unsettled(record)).values())
    return f" (may contradict {near})" if near else ""


def at_end(session: Session, work: Worklog, end: End) -> bool:
    """All that a session leaves, its page, the compiled memory; also later, in its place. Raises OSError.

    Whether maintenance has removed anything: then what else was made of the memory is to be made anew.
    """
    if not work["messages"]:  # nothing was said in it: it counts for nothing
        pending_sessions.drop(session)
        return False
    memory = project_memory(session.project, reads=200)
    # two starts may find the same dead session; a lock that is not had in time: see above
    with Lock(f"{pending_sessions.notes(session)}/keep.lock"):
        left = drafts.lasting(work, end.rules), drafts.unfinished(work)
        if any(left) or work["changed"] or work["commits"]:
            capture = _opened(session, work, memory, end.seen)
            _put_away(capture, left, end)
            pending_sessions.tell_later(session, kept_line(capture.fresh, memory))
        pending_sessions.mark_done(session, end.how, end.seen)
    if not os.path.isdir(memory.folder):
        return False
    has_removed = False
    if lifecycle.is_due(memory, session.now) and memory.known().is_whole:  # else more ends read on first
        upkeep = lifecycle.maintain(memory, session.now, looked=lifecycle.in_turn(memory))
        has_removed = any(step.verb == "delete" for step in upkeep.actions)
    if briefing.ready(memory, session.now) is None:
        briefing.renew(memory, session.now)
    return has_removed


def _opened(session: Session, work: Worklog, memory: Memory, seen: float) -> Capture:
    known = session.read(pending_sessions.FILE).get("keys")
    opened = OpenMemory(memory, session.now, iso(seen))
    return Capture(session, opened, work, dict(known) if isinstance(known, dict) else {}, seen, [])


def _put_away(capture: Capture, left: tuple[list[Draft], list[Draft]], end: End) -> None:
    """left: what holds whatever becomes of the task, and what is open. Raises OSError."""
    _resolve(capture)
    is_child = pending_sessions.noted(capture.session)["child"]
    kept = _keep(capture, left[0])
    kept += _keep(capture, [one for one in left[1] if not (is_child and one["kind"] == "state")])
    _close(capture)
    unsaid = capture.opened.memory.forgotten()
    all_of_it = (Record("", one["kind"], "", "", one["content"]) for one in (*left[0], *left[1]))
    gone = [first(one.kind, one.content) for one in all_of_it if saying(one) in unsaid]
    try:
        _write_page(capture, end, kept, gone)
    except OSError:  # a page less: what it tells of is in the memory
        faults.log_current_fault("SessionEnd")


def _close(capture: Capture) -> None:
    """Note what was put away, and that this window holds it: it need not be told what it has said itself."""
    session = capture.session
    before = session.read(pending_sessions.FILE)
    keys = before.get("keys")
    fresh = [name for key, name in capture.known.items() if not isinstance(keys, dict) or key not in keys]
    for line in capture.opened.memory.settle_codes() if capture.fresh else ():
        pending_sessions.tell_later(session, f"Holdfast: {line}")
    held = pending_sessions.holding(session, fresh)
    session.write(pending_sessions.FILE, {**before, "keys": capture.known, "mark": _mark(capture.work), **held})


def _mark(work: Worklog) -> str:
    """By which is seen that something new was marked."""
    return fingerprint(dumps(work["marks"]).encode())


def _keep(capture: Capture, found: Iterable[Draft]) -> list[Record]:
    """Store what is new of these; the records that they stand for, those from before included."""
    return [record for one in found if (record := _keep_one(capture, one))]


def _keep_one(capture: Capture, found: Draft) -> Record | None:
    opened, is_state = capture.opened, found["kind"] == "state"
    said = f"{found['kind']} {' '.join(first(found['kind'], found['content']).lower().split())}"
    key = said + (f" {capture.work['messages']}" if is_state else "")
    mark = fingerprint(b"state" if is_state else said.encode("utf-8", "replace"))  # words may have to be forgotten
    before = _there(opened.memory, capture.known.get(mark, ""))
    if mark in capture.known and not is_state:  # may have been forgotten by the user since: then it does not come back
        return before
    try:
        made = _made(capture, found, key)
        record = made and (_renewed(opened, before, made) or _there(opened.memory, made.id) or _put(capture, made))
    except BadInput:  # nothing but control characters, or a file of its name that a person has broken
        return None
    if record:
        capture.known[mark] = record.id
    return record


def _renewed(opened: OpenMemory, before: Record | None, made: Record) -> Record | None:
    """The state that this session has left before, as it is now: one that is resumed leaves no second one.

    None where it is set aside, or somebody else has had a hand in it.
    """
    holds = before and is_alive(before, opened.now) and supersession.is_enough(opened.trust(before), made.trust)
    if not before or not holds or saying(made) in opened.memory.forgotten():
        return None
    new = made._replace(id=before.id, code=before.code)
    opened.memory.update(new)
    return new


def _there(memory: Memory, name: str) -> Record | None:
    """The record of this id."""
    return next((one.record for one in memory.known().named([name]).values()), None)


def _made(capture: Capture, found: Draft, key: str) -> Record | None:
    """The record; None for one that is not worth it. Raises BadInput."""
    session = capture.session
    name, known = os.path.basename(session.folder), [*capture.work["changed"], *capture.work["read"]]
    fields = {
        **found,
        "id": identity(f"{name} {key}"),
        "time": capture.opened.stamp,
        "project": os.path.basename(session.project),
        "session": folders.shown(name),
        "paths": repository.found(session.project, found["paths"], known) if found["paths"] else [],
    }
    record = drafts.tagged(without_secrets(check(fields)))
    days = supersession.kept_days(record)
    record = record._replace(expires=iso(capture.seen + days * DAY) if days else "")
    return None if drafts.rejection(record) else record


def _put(capture: Capture, made: Record) -> Record | None:
    """What the memory has of it then; None for what was forgotten: a session does not bring it back."""
    if saying(made) in capture.opened.memory.forgotten():
        return supersession.equivalent(capture.opened, made)
    done = supersession.upsert(capture.opened, made, together=[one.id for one in capture.fresh])
    if done.stored and not done.under:
        capture.fresh.append(done.record)
    return done.record


def _resolve(capture: Capture) -> None:
    """Mark the issues that this session has seen to; none that came up after it was seen last."""
    memory, now, work = capture.opened.memory, capture.session.now, capture.work
    signs = drafts.signs((run["command"] for run in work["runs"]), [*work["commits"], *drafts.finished(work)])
    ticked = (key_of("issue", mark["text"]) for mark in work["marks"] if mark["kind"] == "done")
    keys = [*(f"open {sign}" for sign in signs), *(f"said {words}" for words in ticked)]
    for old in (one.record for one in memory.catalogue().known_by(keys, 2_000)):
        why = drafts.resolution(old, work) if is_alive(old, now) else ""
        if why and created_at(old, now) <= capture.seen:
            status = {"status": "resolved", "investigation_status": f"resolved {capture.opened.stamp}: {why}"}
            with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
                memory.update(old._replace(content={**old.content, **status}))


def identity(text: str) -> str:
    """A UUID (version 8, made of a hash) that is the same for the same text."""
    mark = "".join(fingerprint(f"{salt}{text}".encode("utf-8", "replace")) for salt in ("", "2 "))
    return f"{mark[:8]}-{mark[8:12]}-8{mark[13:16]}-8{mark[17:20]}-{mark[20:32]}"


def _write_page(capture: Capture, end: End, records: list[Record], unsaid: list[str]) -> None:
    """The session's summary as a page, without what was said and is to be forgotten. Raises OSError."""
    session, work = capture.session, capture.work
    folder, name = f"{capture.opened.memory.folder}/{PAGES}", folders.shown(os.path.basename(session.folder))
    begun = pending_sessions.noted(session)["begun"]
    agents = (file.rsplit(".", 2)[0] for file in names_in(session.path(InSession.HANDOFFS)))
    about = {
        "project": os.path.basename(session.project),
        "begun": iso(begun) if begun else "",
        "ended": f"{iso(capture.seen)} ({session.read(InSession.LAST).get('ended') or 'cut off'})",
        "minutes": str(max(0, int((capture.seen - begun) // 60))) if begun else "",
        "agents": ", ".join(["main", *dict.fromkeys(agents)][:40]),
    }
    gone = tuple(path for path in work["changed"] if size_of(path) < 0)
    facts = session_page.Facts(name, about, end.tokens, call_log.count(session.path(InSession.CALLS)), gone)
    real_folder(capture.opened.memory.folder)
    real_folder(folder)
    page = session_page.without(session_page.page(work, records, facts), (), unsaid)
    text = redaction.redacted(page.replace(f"{session.project}/", ""))
    write_atomic(f"{folder}/{iso(capture.seen)[:10]}-{name}.md", text)
