"""Put what a session leaves into the project's memory: what holds at each stop, what is open when it is over.

Everything can be done twice: a record's id follows from its session and its words, and what is there stays as it is.
So nothing is lost or doubled when a stop, an end and the next start come together, or one of them is killed.
"""

import contextlib
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.core.dates import iso
from holdfast.core.events import Event
from holdfast.core.jsonc import dumps
from holdfast.core.record import Record, check
from holdfast.errors import BadInput
from holdfast.policy.memory import draft, extract, lifecycle, redact, rehydrate, summary, unfinished, worthy
from holdfast.runtime import memory_compile, memory_places, memory_sessions, memory_start, runner, upkeep
from holdfast.runtime.session import Session
from holdfast.store import archive, calls, paths, sessions
from holdfast.store.files import Lock, names_in, size_of, write_atomic
from holdfast.store.memory import Memory
from holdfast.store.memory_cache import is_plain, real_folder, saying
from holdfast.store.memory_place import folder_of

PAGES, PAGES_KEPT = "sessions", 50
"""Folder of the sessions' summaries within the memory, and how many stay."""
AT_WORK = "keep.lock"
CUT_OFF = "cut off"
_PAGE = re.compile(r"\d{4}-\d\d-\d\d-[\w.-]{1,40}\.md")


class _Desk(NamedTuple):
    """What putting away needs."""

    session: Session
    memory: Memory
    work: Mapping[str, Any]
    known: dict[str, str]
    """What this session has said and put away: mark of its key -> id."""
    records: dict[str, Record]
    """The memory as it stands, by id; kept current here."""
    same: dict[str, str]
    """By which the memory's own records are known again: key, or command that shows an issue -> id."""
    stamp: str


def note(session: Session, work: Mapping[str, Any]) -> None:
    """At a stop: decisions and learnings, when anything new was said. Raises OSError."""
    if not work["notes"]:
        return
    mark = archive.fingerprint(dumps(work["notes"]).encode())
    if session.read(memory_start.TOLD).get("mark") != mark:
        desk = _desk(session, work)
        known = len(desk.records)
        _keep(desk, extract.lasting(work))
        _remember(desk, mark)
        if len(desk.records) > known:  # here, so that no start has to wait for it
            memory_compile.compiled(desk.memory, session.now)


def finish(event: Event, session: Session, work: Mapping[str, Any], how: str) -> None:
    """At the end, or later in the session's place: all that it leaves, its summary, the compiled memory.

    how: how it ended, as the client calls it. Raises OSError.
    """
    if not work["messages"]:  # nothing was said in it: it counts for nothing
        return memory_sessions.drop(session)
    left = extract.lasting(work), unfinished.unfinished(work)
    # two starts may find the same dead session; a lock that is not had in time: see above
    with Lock(f"{memory_sessions.notes(session)}/{AT_WORK}"):
        if any(left) or unfinished.has_state(work):
            _finish(event, session, work, left)
        memory_sessions.put_away(session, how)
    folder = folder_of(session.project)
    if os.path.isdir(folder):
        _look_after(session)
        memory_start.current(session, folder)
    return None


def _look_after(session: Session) -> None:
    """Once a day, what has had its time is set aside; one that is killed goes on where it stopped. Raises OSError."""
    from holdfast.runtime import lifecycle as maintenance  # on most days there is nothing to do

    memory = memory_compile.memory_at(session.project)
    if maintenance.is_due(memory, session.now):
        done = maintenance.maintain(memory, session.now)
        if any(step.verb == "delete" for step in done.actions):
            from holdfast.runtime import knowledge

            knowledge.renew(session.now, session.project)


def finish_later(event: Event, session: Session) -> None:
    """Put away a session that is over, at a later start, which is told whatever happens here."""
    try:
        memory_sessions.tried(session)
        _finish_later(event, session)
    except Exception:  # noqa: BLE001 - whatever the memory does, the rest of the start is told
        runner.log_current_fault(event.name)


def _finish_later(event: Event, session: Session) -> None:
    """What it left counts from its last sign. Raises OSError."""
    last, seen = session.read(paths.LAST), min(sessions.last_used(session.folder), session.now)
    then = event._replace(transcript_path=str(last.get("transcript") or ""), fields={})
    work = upkeep.fold(then, session)
    finish(then, session._replace(now=seen), work, str(last.get("ended") or CUT_OFF))


def _finish(event: Event, session: Session, work: Mapping[str, Any], left: tuple[list[Any], list[Any]]) -> None:
    desk = _desk(session, work)
    _resolve(desk)
    kept = _keep(desk, left[0])
    is_child = bool(memory_sessions.noted(session).get("child"))
    kept += _keep(desk, [one for one in left[1] if not (is_child and one["kind"] == "state")])
    _remember(desk, archive.fingerprint(dumps(work["notes"]).encode()))
    _write_page(desk, event, kept)


def _desk(session: Session, work: Mapping[str, Any]) -> _Desk:
    memory = memory_compile.memory_at(session.project)
    known = session.read(memory_start.TOLD).get("keys")
    records = {record.id: record for record in memory.all()} if os.path.isdir(memory.folder) else {}
    alive = [one for one in records.values() if one.kind != "state" and rehydrate.is_alive(one, session.now)]
    same = {mark: one.id for one in alive for mark in _marks(one.kind, one.content)}
    return _Desk(session, memory, work, dict(known) if isinstance(known, dict) else {}, records, same, iso(session.now))


def _marks(kind: str, content: Mapping[str, Any]) -> list[str]:
    shown = content.get("reproduction_steps")
    return [draft.key({"kind": kind, "content": content}), *([f"{kind} shown by {shown}"] if shown else [])]


def _remember(desk: _Desk, mark: str) -> None:
    told = desk.session.read(memory_start.TOLD)
    ids = [*(told.get("told") or ()), *desk.known.values()]  # what this window has said itself need not be told in it
    desk.session.write(memory_start.TOLD, {**told, "keys": desk.known, "mark": mark, "told": list(dict.fromkeys(ids))})


def _keep(desk: _Desk, drafts: list[dict[str, Any]]) -> list[Record]:
    """Store what is new of these; the records that they stand for, those from before included."""
    return [record for one in drafts if (record := _keep_one(desk, one))]


def _keep_one(desk: _Desk, found: dict[str, Any]) -> Record | None:
    key = draft.key(found) + (f" {desk.work['messages']}" if found["kind"] == "state" else "")
    mark = archive.fingerprint(key.encode("utf-8", "replace"))  # the words themselves may have to be forgotten
    if mark in desk.known:  # may have been forgotten by the user since: then it does not come back
        return desk.records.get(desk.known[mark])
    before = next((desk.same[mark] for mark in _marks(found["kind"], found["content"]) if mark in desk.same), "")
    record = desk.records[before] if before else _stored(desk, found, key)
    if record:
        desk.known[mark] = record.id
    return record


def _stored(desk: _Desk, found: dict[str, Any], key: str) -> Record | None:
    """The record, stored; None for one that is not worth it."""
    session, name = desk.session, identity(f"{os.path.basename(desk.session.folder)} {key}")
    if name in desk.records:  # stored by one that was killed before it could note that
        return desk.records[name]
    days = draft.days(found["importance"])
    fields = {
        **found,
        "id": name,
        "time": desk.stamp,
        "expires": iso(session.now + days * rehydrate.DAY) if days else "",
        "project": os.path.basename(session.project),
        "session": os.path.basename(session.folder),
        "paths": memory_places.found(session.project, found["paths"], desk.work),
    }
    try:
        record = worthy.tagged(redact.record(check(fields)))
        if worthy.refusal(record) or saying(record) in desk.memory.forgotten():
            return None
        desk.memory.add(record)
        record = desk.memory.get(record.id)
    except BadInput:  # nothing but control characters, or a file of its name that a person has broken
        return None
    desk.records[record.id] = record
    _supersede(desk, record)
    return record


def _supersede(desk: _Desk, new: Record) -> None:
    """Set aside what the new record takes the place of: older states, and decisions in conflict."""
    alive = [old for old in desk.records.values() if old.id != new.id and rehydrate.is_alive(old, desk.session.now)]
    states = [old for old in alive if old.kind == new.kind == "state"]
    for old in states or lifecycle.replaced(new, alive):
        with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
            desk.memory.supersede(old.id, new.id, desk.stamp)
        desk.records[old.id] = old._replace(archived=desk.stamp, superseded_by=new.id)


def _resolve(desk: _Desk) -> None:
    """Mark the issues that this session has seen to."""
    for old in list(desk.records.values()):
        why = unfinished.resolution(old, desk.work) if rehydrate.is_alive(old, desk.session.now) else ""
        if why:
            content = {**old.content, "status": "resolved", "investigation_status": f"resolved {desk.stamp}: {why}"}
            desk.records[old.id] = old._replace(content=content)
            with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
                desk.memory.update(desk.records[old.id])


def _write_page(desk: _Desk, event: Event, records: list[Record]) -> None:
    """The session's summary as a page; the oldest pages go."""
    session, work = desk.session, desk.work
    folder, name = f"{desk.memory.folder}/{PAGES}", os.path.basename(session.folder)
    begun = float(memory_sessions.noted(session).get("begun") or 0)
    facts = summary.Facts(
        name,
        os.path.basename(session.project),
        upkeep.stamp(begun) if begun else "",
        upkeep.stamp(session.now),
        max(0, int((session.now - begun) // 60)),
        str(session.read(paths.LAST).get("ended") or CUT_OFF),
        upkeep.gauge(event, session).tokens,
        calls.count(session.path(paths.CALLS)),
        tuple(path for path in work["changed"] if size_of(path) < 0),
    )
    real_folder(desk.memory.folder)
    real_folder(folder)
    text = redact.redacted(summary.page(work, records, facts).replace(f"{session.project}/", ""))
    write_atomic(f"{folder}/{desk.stamp[:10]}-{name[:40]}.md", text)
    pages = [path for page in names_in(folder) if _PAGE.fullmatch(page) and is_plain(path := f"{folder}/{page}")]
    for path in pages[:-PAGES_KEPT]:
        os.unlink(path)


def identity(text: str) -> str:
    """A UUID (version 8, made of a hash) that is the same for the same text."""
    mark = archive.fingerprint(text.encode("utf-8", "replace")) + archive.fingerprint(
        f"2 {text}".encode("utf-8", "replace")
    )
    return f"{mark[:8]}-{mark[8:12]}-8{mark[13:16]}-8{mark[17:20]}-{mark[20:32]}"
