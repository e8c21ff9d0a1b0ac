"""Put a record into the memory, whoever gives it: which one gives way, and which that is there already stands for it?

Rule: of the states of one agent only the newest holds; of two decisions of one title, or of which the newer one begins
with the code of the older, the newer one; what the user said gives way to the user's word only. What is to go otherwise
is named (`--supersedes`). Age goes by the records' times, not by the order of storing: a session that was killed is put
away late, and then a newer record may hold in place of what it left. A record with the same words stands for a new one
where it is trusted here as much, weighs as much, gives reasons where that does, is kept as long and is still told;
otherwise the new one takes its place. What a start tells at any age, a state and an open grave issue, is kept until it
is superseded or resolved; of all else the importance says how long. Sources: requirements J3, J4, J6, J8, N.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.memory.briefing import SELECTION
from holdfast.memory.record import Record, created_at, first, is_alive, is_set_aside, key, trust_of
from holdfast.memory.store import Memory
from holdfast.text import quoting
from holdfast.text.dates import DAY, seconds

Trust = Callable[[Record], str]
"""How far a stored record is trusted here, whatever it says itself."""


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

    def trust(self, record: Record) -> str:
        """How far a stored record is trusted here."""
        return trust_of(record, self.memory.written())


class Place(NamedTuple):
    """Where a new record stands among those in use."""

    over: list[Record]
    """Those that it takes the place of."""
    under: Record | None
    """The newer one that holds in its place."""
    beside: list[Record]
    """Those on the same matter that stand all the same: of the two, the older one is trusted more."""


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
    among = place(made, opened.records.values(), opened.now, opened.trust)
    weaker = [old for old in _alike(opened, made) if gives_way(old, made, opened.now, opened.trust)]
    going = {old.id: old for old in [*([instead] if instead else []), *among.over, *weaker]}
    under = None if instead else among.under
    if under:
        made = made._replace(archived=opened.stamp, superseded_by=under.id)
    opened.memory.add(made)
    record = opened.records[made.id] = opened.memory.get(made.id)
    _note(opened.same, record)
    for old in going.values():
        holds = record.superseded_by or record.id
        with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
            opened.memory.supersede(old.id, holds, opened.stamp)
        opened.records[old.id] = old._replace(archived=opened.stamp, superseded_by=holds)
    beside = (one for one in among.beside if one.id not in going)
    return Outcome(record, True, tuple(going.values()), under, tuple(beside))


def place(new: Record, others: Iterable[Record], now: float, trust: Trust) -> Place:
    """Where a record stands that is about to be stored; it is trusted as it says itself. now: epoch seconds."""
    replaces = _REPLACES.get(new.kind)
    if not replaces:
        return Place([], None, [])
    rivals = [one for one in others if one.kind == new.kind and one.id != new.id and is_alive(one, now)]
    dated, when = [(created_at(one, now), one) for one in rivals], created_at(new, now)
    older = [(one, _may(trust(one), new.trust)) for made, one in dated if made <= when and replaces(new, one)]
    newer = [(made, one.id, one) for made, one in dated if made > when and replaces(one, new)]
    under = [row for row in newer if _may(new.trust, trust(row[2]))]
    beside = [one for one, may in older if not may] + [row[2] for row in newer if row not in under]
    return Place([one for one, may in older if may], max(under)[2] if under else None, beside)


def _same_agent(newer: Record, older: Record) -> bool:
    return newer.agent == older.agent


def _same_matter(newer: Record, older: Record) -> bool:
    said = first(newer.kind, newer.content)
    return newer.title.casefold() == older.title.casefold() or bool(older.code and said.startswith(older.code))


_REPLACES: Mapping[str, Callable[[Record, Record], bool]] = {"state": _same_agent, "decision": _same_matter}
"""Kind -> whether the newer of two takes the place of the older; of the other kinds both stand."""


def _may(older: str, newer: str) -> bool:
    """Whether a record may give way to a newer one by itself. older, newer: how far they are trusted."""
    return older != "trusted" or newer == "trusted"


def is_enough(older: str, newer: str) -> bool:
    """Whether somebody who may be anybody may set a record aside for another one; both by how far they are trusted."""
    return quoting.LABELS[newer].rank >= quoting.LABELS[older].rank


def equivalent(opened: OpenMemory, made: Record) -> Record | None:
    """The record that says this and is enough."""
    return next((old for old in _alike(opened, made) if stands_for(old, made, opened.trust)), None)


def stands_for(old: Record, new: Record, trust: Trust) -> bool:
    """Whether a record with the same words is enough, so that the new one need not be stored."""
    days = SELECTION[old.kind].days
    is_told_still = not days or seconds(new.time) - seconds(old.time) <= days * DAY
    lasts = is_told_still and (not old.expires or bool(new.expires))
    if not lasts or old.importance < new.importance or not is_enough(new.trust, trust(old)):
        return False
    reasons = all(old.content[name] or not said for name, said in new.content.items() if name != "context")
    return reasons or not _may(trust(old), new.trust)  # the user's would not go: both would be told


def gives_way(old: Record, new: Record, now: float, trust: Trust) -> bool:
    """Whether a record with the same words that is not enough goes for the new one."""
    return created_at(old, now) <= created_at(new, now) and _may(trust(old), new.trust)


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


def owner(record: Record) -> tuple[str, bool]:
    """Whose states a state is among: the agent, and whether the user said it; trusted as it says itself."""
    return record.agent, record.trust == "trusted"


def newest_states(records: Iterable[Record], now: float) -> dict[tuple[str, bool], Record]:
    """Of each owner the newest state in use: only that one holds."""
    states = [one for one in records if one.kind == "state" and is_alive(one, now)]
    return {owner(one): one for one in sorted(states, key=lambda one: (created_at(one, now), one.id))}


def kept_days(record: Record) -> int:
    """How long a record that a session leaves is kept, in days; 0 is for good."""
    told = SELECTION[record.kind]
    if record.importance >= 8 or (not told.days and told.fits(record)):
        return 0
    return 30 if record.importance >= 5 else 7
