"""Put a record into the memory, whoever gives it: one that is there stands for it, or it is stored and others give way.

A session's capture and the command go the same way, so that what is doubled, what gives way and what stands beside it
is one rule for both: supersession.py.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.memory import supersession
from holdfast.memory.provenance import key
from holdfast.memory.record import Record, is_alive, is_set_aside
from holdfast.memory.store import Memory


class OpenMemory(NamedTuple):
    """A memory as it stands while records are put into it."""

    memory: Memory
    records: dict[str, Record]
    """By id; kept current here."""
    same: dict[str, list[str]]
    """By which records in use are known again (their words, the command that shows an issue) -> ids."""
    now: float
    """Epoch seconds."""
    stamp: str
    """Since when what gives way is set aside, ISO 8601."""


class Outcome(NamedTuple):
    """What became of a record."""

    record: Record
    """As the memory has it: the new one, or the one that stands for it."""
    stored: bool = False
    over: tuple[Record, ...] = ()
    """Those that were set aside for it."""
    under: Record | None = None
    """The newer one that holds in its place: it was archived at once."""
    beside: tuple[Record, ...] = ()
    """Those on the same matter that stand all the same."""


def opened(memory: Memory, now: float, stamp: str) -> OpenMemory:
    """The memory, read once."""
    there = memory.scan().records if os.path.isdir(memory.folder) else {}
    records = {name: record for name, (_, record) in there.items()}
    same: dict[str, list[str]] = {}
    for record in (one for one in records.values() if one.kind != "state" and is_alive(one, now)):
        _note(same, record)
    return OpenMemory(memory, records, same, now, stamp)


def upsert(opened: OpenMemory, made: Record, instead: Record | None = None) -> Outcome:
    """Store a record, unless one stands for it. Raises BadInput and OSError.

    instead: the record that it is expressly to take the place of; then it is stored whatever else is there.
    """
    there = None if instead else equivalent(opened, made)
    if there:
        return Outcome(there)
    trust = opened.memory.trust_of
    place = supersession.place(made, opened.records.values(), opened.now, trust)
    weaker = [old for old in _alike(opened, made) if supersession.gives_way(old, made, opened.now, trust)]
    over = {old.id: old for old in [*([instead] if instead else []), *place.over, *weaker]}
    under = None if instead else place.under
    if under:
        made = made._replace(archived=opened.stamp, superseded_by=under.id)
    opened.memory.add(made)
    record = opened.records[made.id] = opened.memory.get(made.id)
    _note(opened.same, record)
    for old in over.values():
        _set_aside(opened, old, record.superseded_by or record.id)
    beside = (one for one in place.beside if one.id not in over)
    return Outcome(record, True, tuple(over.values()), under, tuple(beside))


def equivalent(opened: OpenMemory, made: Record) -> Record | None:
    """The record that says this and is enough."""
    trust = opened.memory.trust_of
    return next((old for old in _alike(opened, made) if supersession.stands_for(old, made, trust)), None)


def _set_aside(opened: OpenMemory, old: Record, holds: str) -> None:
    with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
        opened.memory.supersede(old.id, holds, opened.stamp)
    opened.records[old.id] = old._replace(archived=opened.stamp, superseded_by=holds)


def _alike(opened: OpenMemory, made: Record) -> list[Record]:
    """The records in use that have the same words, or show by the same command; of states each is its own."""
    marks = _marks(made) if made.kind != "state" else ()
    found = (opened.records[name] for name in dict.fromkeys(one for mark in marks for one in opened.same.get(mark, ())))
    return [old for old in found if not is_set_aside(old)]


def _note(same: dict[str, list[str]], record: Record) -> None:
    for mark in _marks(record):
        same.setdefault(mark, []).append(record.id)


def _marks(record: Record) -> Iterator[str]:
    yield key(record)
    if record.content.get("reproduction_steps"):
        yield f"{record.kind} shown by {record.content['reproduction_steps']}"
