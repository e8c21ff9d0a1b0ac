"""Put a record into the memory, whoever gives it: one that is there stands for it, or it is stored and others give way.

A session's desk and the command go the same way, so that what is doubled, what gives way and what stands beside it is
one rule for both: memory/supersession.py.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.memory import briefing, derived, draft, supersession
from holdfast.memory.record import Record
from holdfast.memory.store import Memory


class Shelf(NamedTuple):
    """A memory as it stands while records are put into it."""

    memory: Memory
    records: dict[str, Record]
    """By id; kept current here."""
    same: dict[str, dict[str, list[str]]]
    """Kind -> by which its records are known again (key, or command that shows an issue) -> ids. Made when needed."""
    now: float
    """Epoch seconds."""
    stamp: str
    """Since when what gives way is set aside, ISO 8601."""


class Put(NamedTuple):
    """What became of a record."""

    record: Record
    """As the memory has it: the new one, or the one that stands for it."""
    stored: bool = False
    over: tuple[Record, ...] = ()
    """Those that were set aside for it."""
    under: Record | None = None
    """The newer one that holds in its place: it was archived at once."""
    beside: tuple[Record, ...] = ()
    """Those that say otherwise and stand all the same."""


def opened(memory: Memory, now: float, stamp: str) -> Shelf:
    """The memory, read once."""
    there = memory.scan().records if os.path.isdir(memory.folder) else {}
    return Shelf(memory, {name: record for name, (_, record) in there.items()}, {}, now, stamp)


def put(shelf: Shelf, made: Record, instead: Record | None = None) -> Put:
    """Store a record, unless one stands for it. Raises BadInput and OSError.

    instead: the record that it is expressly to take the place of; then it is stored whatever else is there.
    """
    there = None if instead else standing(shelf, made)
    if there:
        return Put(there)
    trust = derived.trust_in(shelf.memory)
    place = supersession.place(made, shelf.records.values(), shelf.now, trust)
    weaker = [old for old in _alike(shelf, made) if supersession.gives_way(old, made, shelf.now, trust)]
    over = {old.id: old for old in [*([instead] if instead else []), *place.over, *weaker]}
    under = None if instead else place.under
    if under:
        made = made._replace(archived=shelf.stamp, superseded_by=under.id)
    shelf.memory.add(made)
    record = shelf.records[made.id] = shelf.memory.get(made.id)
    if made.kind in shelf.same:
        _note(shelf.same[made.kind], record)
    for old in over.values():
        _set_aside(shelf, old, record.superseded_by or record.id)
    beside = (one for one in place.beside if one.id not in over)
    return Put(record, True, tuple(over.values()), under, tuple(beside))


def _set_aside(shelf: Shelf, old: Record, holds: str) -> None:
    with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
        shelf.memory.supersede(old.id, holds, shelf.stamp)
    shelf.records[old.id] = old._replace(archived=shelf.stamp, superseded_by=holds)


def standing(shelf: Shelf, made: Record) -> Record | None:
    """The record that says this and is enough; of an issue that shows by the same command it is made so.

    Raises BadInput and OSError.
    """
    alike, trust = _alike(shelf, made), derived.trust_in(shelf.memory)
    for old in alike:
        if supersession.stands_for(old, made, trust):
            return old
    by_command = (old for old in alike if _shown(old) and _shown(old) == _shown(made))
    new = next((new for old in by_command if (new := supersession.graver(old, made, trust))), None)
    if new:
        shelf.memory.update(new)
        shelf.records[new.id] = new
    return new


def _alike(shelf: Shelf, made: Record) -> list[Record]:
    """The records in use that have the same words, or show by the same command; of states each is its own."""
    if made.kind == "state":
        return []
    if made.kind not in shelf.same:
        same = shelf.same[made.kind] = {}
        own = (one for one in shelf.records.values() if one.kind == made.kind)
        for one in (one for one in own if briefing.is_alive(one, shelf.now)):
            _note(same, one)
    names = dict.fromkeys(name for mark in _marks(made) for name in shelf.same[made.kind].get(mark, ()))
    return [shelf.records[name] for name in names if not briefing.is_set_aside(shelf.records[name])]


def _note(same: dict[str, list[str]], record: Record) -> None:
    for mark in _marks(record):
        same.setdefault(mark, []).append(record.id)


def _marks(record: Record) -> Iterator[str]:
    yield draft.key({"kind": record.kind, "content": record.content})
    if _shown(record):
        yield f"shown by {_shown(record)}"


def _shown(record: Record) -> str:
    return str(record.content.get("reproduction_steps") or "")
