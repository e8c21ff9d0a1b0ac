"""Which record gives way when one is stored, and which that is there already stands for it?

Rule: of the states of one agent only the newest holds; of two decisions of one title, or of which the newer one begins
with the code of the older, the newer one; what the user said gives way to the user's word only. What is to go otherwise
is named (`--supersedes`). Age goes by the records' times, not by the order of storing: a session that was killed is put
away late, and then a newer record may hold in place of what it left. A record with the same words stands for a new one
where it is trusted here as much, weighs as much, gives reasons where that does, is kept as long and is still told;
otherwise the new one takes its place. Where several say of each other in a circle that the other one holds, as merges
and hand edits make it, the newest of them holds, as if it were not set aside; one that is marked for deletion holds
nothing. What a start tells at any age, a state and an open grave issue, is kept until it is superseded or resolved; of
all else the importance says how long. Sources: requirements J3, J4, J6, J8, N.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from holdfast.memory.briefing import SELECTION
from holdfast.memory.record import Record, created_at, first, in_use, is_alive
from holdfast.text import quoting
from holdfast.text.dates import DAY, seconds

Trust = Callable[[Record], str]
"""How far a stored record is trusted here, whatever it says itself."""


class Place(NamedTuple):
    """Where a new record stands among those in use."""

    over: list[Record]
    """Those that it takes the place of."""
    under: Record | None
    """The newer one that holds in its place."""
    beside: list[Record]
    """Those on the same matter that stand all the same: of the two, the older one is trusted more."""


def _same_agent(newer: Record, older: Record) -> bool:
    return newer.agent == older.agent


def _same_matter(newer: Record, older: Record) -> bool:
    said = first(newer.kind, newer.content)
    return newer.title.casefold() == older.title.casefold() or bool(older.code and said.startswith(older.code))


_REPLACES: Mapping[str, Callable[[Record, Record], bool]] = {"state": _same_agent, "decision": _same_matter}
"""Kind -> whether the newer of two takes the place of the older; of the other kinds both stand."""


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


def _may(older: str, newer: str) -> bool:
    """Whether a record may give way to a newer one by itself. older, newer: how far they are trusted."""
    return older != "trusted" or newer == "trusted"


def is_enough(older: str, newer: str) -> bool:
    """Whether somebody who may be anybody may set a record aside for another one; both by how far they are trusted."""
    return quoting.LABELS[newer].rank >= quoting.LABELS[older].rank


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


def owner(record: Record) -> tuple[str, bool]:
    """Whose states a state is among: the agent, and whether the user said it; trusted as it says itself."""
    return record.agent, record.trust == "trusted"


def newest_states(records: Iterable[Record], now: float) -> dict[tuple[str, bool], Record]:
    """Of each owner the newest state in use: only that one holds."""
    states = [one for one in records if one.kind == "state" and is_alive(one, now)]
    return {owner(one): one for one in sorted(states, key=lambda one: (created_at(one, now), one.id))}


KEPT_DAYS = ((8, 0), (5, 30), (1, 7))
"""Importance from which on, days that a record is kept; 0 is for good. Source: requirement J3."""


def kept_days(record: Record) -> int:
    """How long a record that a session leaves is kept, in days; 0 is for good."""
    told = SELECTION[record.kind]
    by_importance = next(days for least, days in KEPT_DAYS if record.importance >= least)
    return 0 if not told.days and told.fits(record) else by_importance


def holding_in_circles(records: Iterable[Record]) -> Mapping[str, tuple[Record, list[str]]]:
    """Id of the record that holds in each circle -> (it, in use again; ids of the circle)."""
    after = {record.id: record for record in records if record.superseded_by}
    held, seen = dict[str, tuple[Record, list[str]]](), set[str]()
    for start in after:
        way: list[str] = []
        at = start
        while at in after and at not in seen:
            seen.add(at)
            way.append(at)
            at = after[at].superseded_by
        circle = [after[name] for name in way[way.index(at) :]] if at in way else []
        circle.sort(key=lambda one: (one.delete, -seconds(one.time), one.id))
        if circle and not circle[0].delete:
            held[circle[0].id] = in_use(circle[0]), [one.id for one in circle]
    return held


def with_circles_mended(records: Iterable[Record]) -> list[Record]:
    """The records in their order, those that hold in a circle in use again."""
    given = list(records)
    held = holding_in_circles(given)
    return [held[one.id][0] if one.id in held else one for one in given]
