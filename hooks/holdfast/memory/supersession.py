"""Put a record into the memory, whoever gives it: which one gives way, and which that is there already stands for it?

Rule: of the states of one owner only the newest holds; of two decisions of one title, or of which the newer one begins
with the code of the older, the newer one. Nothing gives way to what is trusted less; what is to go otherwise is named
(`--supersedes`). Age goes by the records' times: a session that was killed is put away late, and then a newer record
may hold in place of what it left. A record with the same words stands for a new one where it is trusted here as much,
weighs as much, gives reasons where that does, is kept as long and is still told; else the new one takes its place.
Sources: requirements J3, J4, J6, J8, N.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.memory.briefing import SELECTION, section
from holdfast.memory.files import Scan
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
    is_whole: bool = True
    """Whether all of the memory's files were looked at."""

    def trust(self, record: Record) -> str:
        """How far a stored record is trusted here."""
        return trust_of(record, self.memory.written())


class Outcome(NamedTuple):
    """What became of a record."""

    record: Record
    """As the memory has it: the new one, or the one that stands for it."""
    stored: bool = False
    over: tuple[Record, ...] = ()
    """Those that it took the place of."""
    under: Record | None = None
    """The newer one that holds in its place: it was archived at once."""
    beside: tuple[Record, ...] = ()
    """Those on the same matter that stand all the same: of the two, the older one is trusted more."""


def opened(memory: Memory, now: float, stamp: str) -> OpenMemory:
    """The memory, read once."""
    scan = memory.scan() if os.path.isdir(memory.folder) else Scan({}, [])
    records = {name: one.record for name, one in scan.records.items()}
    same: dict[str, list[str]] = {}
    for record in (one for one in records.values() if one.kind != "state" and is_alive(one, now)):
        _note(same, record)
    return OpenMemory(memory, records, same, now, stamp, scan.is_whole)


def upsert(opened: OpenMemory, made: Record, instead: Record | None = None) -> Outcome:
    """Store a record, unless one stands for it. Raises BadInput and OSError.

    instead: the record that it is expressly to take the place of; then it is stored whatever else is there.
    """
    there = None if instead else equivalent(opened, made)
    if there:
        return Outcome(there)
    found = place(made, opened.records.values(), opened.now, opened.trust)
    weaker = [old for old in _alike(opened, made) if gives_way(old, made, opened.now, opened.trust)]
    going = {old.id: old for old in [*([instead] if instead else []), *found.over, *weaker]}
    under = None if instead else found.under
    if under:
        made = made._replace(archived=opened.stamp, superseded_by=under.id)
    record = opened.records[made.id] = opened.memory.add(made).record
    _note(opened.same, record)
    for old in going.values():
        holds = record.superseded_by or record.id
        with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
            opened.memory.supersede(old.id, holds, opened.stamp)
        opened.records[old.id] = old._replace(archived=opened.stamp, superseded_by=holds)
    beside = tuple(one for one in found.beside if one.id not in going)
    return Outcome(record, True, tuple(going.values()), under, beside)


def place(new: Record, others: Iterable[Record], now: float, trust: Trust) -> Outcome:
    """Where a record would stand that is trusted as it says itself. now: epoch seconds."""
    replaces = _REPLACES.get(new.kind)
    if not replaces:
        return Outcome(new)
    rivals = [one for one in others if one.kind == new.kind and one.id != new.id and is_alive(one, now)]
    dated, when = [(created_at(one, now), one) for one in rivals], created_at(new, now)
    older = [(one, is_enough(trust(one), new.trust)) for made, one in dated if made <= when and replaces(new, one)]
    newer = [(made, one.id, one) for made, one in dated if made > when and replaces(one, new)]
    under = [row for row in newer if is_enough(new.trust, trust(row[2]))]
    beside = [one for one, enough in older if not enough] + [row[2] for row in newer if row not in under]
    over = tuple(one for one, enough in older if enough)
    return Outcome(new, False, over, max(under)[2] if under else None, tuple(beside))


def _same_matter(newer: Record, older: Record) -> bool:
    said = first(newer.kind, newer.content)
    return newer.title.casefold() == older.title.casefold() or bool(older.code and said.startswith(older.code))


_REPLACES: Mapping[str, Callable[[Record, Record], bool]] = {
    "state": lambda newer, older: newer.agent == older.agent,
    "decision": _same_matter,
}
"""Kind -> whether the newer of two takes the place of the older; of the other kinds both stand."""


def is_enough(older: str, newer: str) -> bool:
    """Whether a record may be set aside for another one; both by how far they are trusted here."""
    return quoting.LABELS[newer].rank >= quoting.LABELS[older].rank


def equivalent(opened: OpenMemory, made: Record) -> Record | None:
    """The record that says this and is enough."""
    return next((old for old in _alike(opened, made) if stands_for(old, made, opened.trust)), None)


def stands_for(old: Record, new: Record, trust: Trust) -> bool:
    """Whether a record with the same words is enough, so that the new one need not be stored."""
    days = SELECTION[section(old)].days
    is_told_still = not days or seconds(new.time) - seconds(old.time) <= days * DAY
    lasts = is_told_still and (not old.expires or bool(new.expires))
    if not lasts or old.importance < new.importance or not is_enough(new.trust, trust(old)):
        return False
    reasons = all(old.content[name] or not said for name, said in new.content.items() if name != "context")
    return reasons or not is_enough(trust(old), new.trust)  # the user's would not go: both would be told


def gives_way(old: Record, new: Record, now: float, trust: Trust) -> bool:
    """Whether a record with the same words that is not enough goes for the new one."""
    return created_at(old, now) <= created_at(new, now) and is_enough(trust(old), new.trust)


def _alike(opened: OpenMemory, made: Record) -> list[Record]:
    """The records in use that have the same words, or show by the same command; of states each is its own."""
    marks = _marks(made) if made.kind != "state" else []
    found = (opened.records[name] for name in dict.fromkeys(one for mark in marks for one in opened.same.get(mark, ())))
    return [old for old in found if not is_set_aside(old)]


def _note(same: dict[str, list[str]], record: Record) -> None:
    for mark in _marks(record):
        same.setdefault(mark, []).append(record.id)


def _marks(record: Record) -> list[str]:
    shown = record.content.get("reproduction_steps")
    return [key(record), *([f"{record.kind} shown by {shown}"] if shown else [])]


def owner(record: Record) -> tuple[str, bool]:
    """Whose states a state is among: the agent, and whether the user said it; trusted as it says itself."""
    return record.agent, record.trust == "trusted"


def newest_states(records: Iterable[Record], now: float) -> dict[tuple[str, bool], Record]:
    """Of each owner the newest state in use: only that one holds."""
    states = [one for one in records if one.kind == "state" and is_alive(one, now)]
    return {owner(one): one for one in sorted(states, key=lambda one: (created_at(one, now), one.id))}


def kept_days(record: Record) -> int:
    """How long a record that a session leaves is kept, in days; 0 is for good, as all that a start tells at any age."""
    told = SELECTION[section(record)]
    if record.importance >= 8 or (not told.days and told.fits(record)):
        return 0
    return 30 if record.importance >= 5 else 7
