"""Put what a session has said into the memory, one thing at a time: it is new, or a record says it already.

Everything can be done twice: a record's id follows from its session and its words, and what is there stays as it is.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from holdfast.core.dates import iso
from holdfast.core.record import Record, check
from holdfast.errors import BadInput
from holdfast.policy.memory import draft, redact, rehydrate, succession, unfinished, worthy
from holdfast.runtime import memory_compile, memory_places, memory_start
from holdfast.runtime.session import Session
from holdfast.store import archive
from holdfast.store.memory import Memory
from holdfast.store.memory_cache import saying


class Desk(NamedTuple):
    """What putting away needs."""

    session: Session
    memory: Memory
    work: Mapping[str, Any]
    known: dict[str, str]
    """What this session has said and put away: mark of its key -> id."""
    records: dict[str, Record]
    """The memory as it stands, by id; kept current here."""
    same: dict[str, dict[str, list[str]]]
    """Kind -> by which its records are known again (key, or command that shows an issue) -> ids. Made when needed."""
    seen: float
    """When the session showed its last sign, epoch seconds: its things are as old as that."""
    stamp: str
    """The same as ISO 8601."""


def opened(session: Session, work: Mapping[str, Any], memory: Memory, seen: float) -> Desk:
    """The desk for this session's things."""
    known = session.read(memory_start.TOLD).get("keys")
    there = memory.scan().records if os.path.isdir(memory.folder) else {}
    records = {name: record for name, (_, record) in there.items()}
    keys = dict(known) if isinstance(known, dict) else {}
    return Desk(session, memory, work, keys, records, {}, seen, iso(seen))


def close(desk: Desk, mark: str) -> None:
    """Note what was put away, and that this window holds it: it need not be told what it has said itself.

    mark: of all that was looked at. Raises OSError.
    """
    told = desk.session.read(memory_start.TOLD)
    before = told.get("keys")
    fresh = [name for key, name in desk.known.items() if not isinstance(before, dict) or key not in before]
    held = memory_start.holding(desk.session, fresh)
    desk.session.write(memory_start.TOLD, {**told, "keys": desk.known, "mark": mark, **held})


def keep(desk: Desk, drafts: list[dict[str, Any]]) -> list[Record]:
    """Store what is new of these; the records that they stand for, those from before included."""
    return [record for one in drafts if (record := _keep_one(desk, one))]


def _keep_one(desk: Desk, found: dict[str, Any]) -> Record | None:
    key = draft.key(found) + (f" {desk.work['messages']}" if found["kind"] == "state" else "")
    mark = archive.fingerprint(key.encode("utf-8", "replace"))  # the words themselves may have to be forgotten
    if mark in desk.known:  # may have been forgotten by the user since: then it does not come back
        return desk.records.get(desk.known[mark])
    try:
        made = _made(desk, found, key)
        record = made and (desk.records.get(made.id) or _said_already(desk, made) or _stored(desk, made))
    except BadInput:  # nothing but control characters, or a file of its name that a person has broken
        return None
    if record:
        desk.known[mark] = record.id
    return record


def _made(desk: Desk, found: dict[str, Any], key: str) -> Record | None:
    """The record; None for one that is not worth it. Raises BadInput."""
    session = desk.session
    fields = {
        **found,
        "id": identity(f"{os.path.basename(session.folder)} {key}"),
        "time": desk.stamp,
        "project": os.path.basename(session.project),
        "session": os.path.basename(session.folder),
        "paths": memory_places.found(session.project, found["paths"], desk.work),
    }
    record = worthy.tagged(redact.record(check(fields)))
    days = succession.kept_days(record)
    record = record._replace(expires=iso(desk.seen + days * rehydrate.DAY) if days else "")
    return None if worthy.refusal(record) else record


def _said_already(desk: Desk, made: Record) -> Record | None:
    """The record that says this and is enough; of an issue that shows by the same command it is made so."""
    alike, trust = _alike(desk, made), memory_compile.trust_in(desk.memory)
    for old in alike:
        if succession.stands_for(old, made, trust):
            return old
    by_command = (old for old in alike if _shown(old) and _shown(old) == _shown(made))
    new = next((new for old in by_command if (new := succession.graver(old, made, trust))), None)
    if new:
        desk.memory.update(new)
        desk.records[new.id] = new
    return new


def _alike(desk: Desk, made: Record) -> list[Record]:
    """The records in use that have the same words, or show by the same command; of states each is its own."""
    if made.kind == "state":
        return []
    if made.kind not in desk.same:
        same = desk.same[made.kind] = {}
        own = (one for one in desk.records.values() if one.kind == made.kind)
        for one in (one for one in own if rehydrate.is_alive(one, desk.session.now)):
            for mark in _marks(one):
                same.setdefault(mark, []).append(one.id)
    found = (desk.records[name] for mark in _marks(made) for name in desk.same[made.kind].get(mark, ()))
    return [one for one in found if not rehydrate.is_set_aside(one)]


def _marks(record: Record) -> Iterator[str]:
    yield draft.key({"kind": record.kind, "content": record.content})
    if _shown(record):
        yield f"shown by {_shown(record)}"


def _shown(record: Record) -> str:
    return str(record.content.get("reproduction_steps") or "")


def _stored(desk: Desk, made: Record) -> Record | None:
    """The record, stored, and what gives way to it set aside; None for what was forgotten. Raises BadInput."""
    if saying(made) in desk.memory.forgotten():
        return None
    trust, now = memory_compile.trust_in(desk.memory), desk.session.now
    place = succession.place(made, desk.records.values(), now, trust)
    weaker = [old for old in _alike(desk, made) if succession.gives_way(old, made, now, trust)]
    if place.under:
        made = made._replace(archived=desk.stamp, superseded_by=place.under.id)
    desk.memory.add(made)
    record = desk.records[made.id] = desk.memory.get(made.id)
    holds = record.superseded_by or record.id
    for old in [*place.over, *weaker]:
        with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
            desk.memory.supersede(old.id, holds, desk.stamp)
        desk.records[old.id] = old._replace(archived=desk.stamp, superseded_by=holds)
    return record


def resolve(desk: Desk) -> None:
    """Mark the issues that this session has seen to; none that came up after it was seen last."""
    now = desk.session.now
    for old in list(desk.records.values()):
        why = unfinished.resolution(old, desk.work) if rehydrate.is_alive(old, now) else ""
        if why and rehydrate.made(old, now) <= desk.seen:
            content = {**old.content, "status": "resolved", "investigation_status": f"resolved {desk.stamp}: {why}"}
            desk.records[old.id] = old._replace(content=content)
            with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
                desk.memory.update(desk.records[old.id])


def identity(text: str) -> str:
    """A UUID (version 8, made of a hash) that is the same for the same text."""
    mark = archive.fingerprint(text.encode("utf-8", "replace")) + archive.fingerprint(
        f"2 {text}".encode("utf-8", "replace")
    )
    return f"{mark[:8]}-{mark[8:12]}-8{mark[13:16]}-8{mark[17:20]}-{mark[20:32]}"
