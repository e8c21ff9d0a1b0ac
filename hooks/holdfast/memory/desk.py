"""Put what a session has said into the memory, one thing at a time: it is new, or a record says it already.

Everything can be done twice: a record's id follows from its session and its words, and what is there stays as it is.
"""

import contextlib
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.digest import archive
from holdfast.errors import BadInput
from holdfast.memory import admission, briefing, code_references, draft, open_items, start_hook, supersession, upsert
from holdfast.memory.cache import saying
from holdfast.memory.record import Record, check
from holdfast.memory.store import Memory
from holdfast.memory.upsert import Shelf
from holdfast.session import folders
from holdfast.session.context import Session
from holdfast.text import redaction
from holdfast.text.dates import DAY, iso


class Desk(NamedTuple):
    """What putting away needs."""

    session: Session
    shelf: Shelf
    work: Mapping[str, Any]
    known: dict[str, str]
    """What this session has said and put away: mark of its key -> id."""
    seen: float
    """When the session showed its last sign, epoch seconds: its things are as old as that."""

    @property
    def memory(self) -> Memory:
        """The memory that is written to."""
        return self.shelf.memory

    @property
    def records(self) -> dict[str, Record]:
        """The memory as it stands, by id."""
        return self.shelf.records


def opened(session: Session, work: Mapping[str, Any], memory: Memory, seen: float) -> Desk:
    """The desk for this session's things."""
    known = session.read(start_hook.TOLD).get("keys")
    shelf = upsert.opened(memory, session.now, iso(seen))
    return Desk(session, shelf, work, dict(known) if isinstance(known, dict) else {}, seen)


def close(desk: Desk, mark: str) -> None:
    """Note what was put away, and that this window holds it: it need not be told what it has said itself.

    mark: of all that was looked at. Raises OSError.
    """
    told = desk.session.read(start_hook.TOLD)
    before = told.get("keys")
    fresh = [name for key, name in desk.known.items() if not isinstance(before, dict) or key not in before]
    held = start_hook.holding(desk.session, fresh)
    desk.session.write(start_hook.TOLD, {**told, "keys": desk.known, "mark": mark, **held})


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
        record = made and (desk.records.get(made.id) or _put(desk, made))
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
        "time": desk.shelf.stamp,
        "project": os.path.basename(session.project),
        "session": folders.shown(os.path.basename(session.folder)),
        "paths": code_references.found(session.project, found["paths"], desk.work),
    }
    record = admission.tagged(redaction.record(check(fields)))
    days = supersession.kept_days(record)
    record = record._replace(expires=iso(desk.seen + days * DAY) if days else "")
    return None if admission.refusal(record) else record


def _put(desk: Desk, made: Record) -> Record | None:
    """What the memory has of it then; None for what was forgotten: a session does not bring it back."""
    if saying(made) in desk.memory.forgotten():
        return upsert.standing(desk.shelf, made)
    return upsert.put(desk.shelf, made).record


def resolve(desk: Desk) -> None:
    """Mark the issues that this session has seen to; none that came up after it was seen last."""
    now = desk.session.now
    for old in list(desk.records.values()):
        why = open_items.resolution(old, desk.work) if briefing.is_alive(old, now) else ""
        if why and briefing.made(old, now) <= desk.seen:
            status = {"status": "resolved", "investigation_status": f"resolved {desk.shelf.stamp}: {why}"}
            desk.records[old.id] = old._replace(content={**old.content, **status})
            with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
                desk.memory.update(desk.records[old.id])


def identity(text: str) -> str:
    """A UUID (version 8, made of a hash) that is the same for the same text."""
    mark = archive.fingerprint(text.encode("utf-8", "replace")) + archive.fingerprint(
        f"2 {text}".encode("utf-8", "replace")
    )
    return f"{mark[:8]}-{mark[8:12]}-8{mark[13:16]}-8{mark[17:20]}-{mark[20:32]}"
