"""Which record gives way when one is stored, and which that is there already stands for it?

Rule: of the states of one agent only the newest holds, of two decisions in conflict the newer one; what the user
said gives way to the user's word only. Age goes by the records' times, not by the order of storing: a session that
was killed is put away late, and then a newer record may hold in place of what it left. A record with the same words
stands for a new one where it is trusted here as much, weighs as much, gives reasons where that does (or is the
user's), is kept as long and is still told; otherwise the new one takes its place. What a start tells at any age, a
state and an open grave issue, is kept until it is superseded or resolved; of all else the importance says how long.
Sources: requirements J3, J4, J6, J8, N.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from holdfast.memory import briefing, conflicts, draft
from holdfast.memory.record import Record
from holdfast.memory.shapes import SEVERITIES
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
    """Those that say otherwise and stand all the same: of the two, the older one is trusted more."""


def _same_agent(newer: Record, older: Record) -> bool:
    return newer.agent == older.agent


def _in_conflict(newer: Record, older: Record) -> bool:
    return conflicts.replaces(_choice(newer), _choice(older))


_REPLACES: Mapping[str, Callable[[Record, Record], bool]] = {"state": _same_agent, "decision": _in_conflict}
"""Kind -> whether the newer of two takes the place of the older; of the other kinds both stand."""


def _choice(record: Record) -> conflicts.Choice:
    instead = [f"instead of {one}" for one in record.content["alternatives_considered"]]
    return conflicts.Choice("; ".join([str(record.content["decision"]), *instead]), record.code)


def place(new: Record, others: Iterable[Record], now: float, trust: Trust) -> Place:
    """Where a record stands that is about to be stored; it is trusted as it says itself. now: epoch seconds."""
    replaces = _REPLACES.get(new.kind)
    if not replaces:
        return Place([], None, [])
    rivals = [one for one in others if one.kind == new.kind and one.id != new.id and briefing.is_alive(one, now)]
    dated, when = [(briefing.made(one, now), one) for one in rivals], briefing.made(new, now)
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
    return quoting.VOICES[newer].rank >= quoting.VOICES[older].rank


def voice(record: Record) -> tuple[str, bool]:
    """Whose states a state is among: the agent, and whether the user said it; trusted as it says itself."""
    return record.agent, record.trust == "trusted"


def newest_states(records: Iterable[Record], now: float) -> dict[tuple[str, bool], Record]:
    """Of each voice the newest state in use: only that one holds."""
    states = [one for one in records if one.kind == "state" and briefing.is_alive(one, now)]
    return {voice(one): one for one in sorted(states, key=lambda one: (briefing.made(one, now), one.id))}


def stands_for(old: Record, new: Record, trust: Trust) -> bool:
    """Whether a record with the same words is enough, so that the new one need not be stored."""
    weighs = old.importance >= new.importance and _severity(old) <= _severity(new)
    lasts = not old.expires or bool(new.expires)
    if not (weighs and lasts and _is_told_still(old, new) and _is_worth(old, new, trust)):
        return False
    return _says_no_less(old, new) or not _may(trust(old), new.trust)  # the user's would not go: both would be told


def _says_no_less(old: Record, new: Record) -> bool:
    """Whether the old one gives reasons where the new one does; when it was said is no reason."""
    return all(old.content[name] or not said for name, said in new.content.items() if name != "context")


def _is_told_still(old: Record, new: Record) -> bool:
    """Whether a start tells the old one; what is said again when that is over is said anew."""
    days = briefing.SORTS[old.kind].days
    return not days or seconds(new.time) - seconds(old.time) <= days * DAY


def gives_way(old: Record, new: Record, now: float, trust: Trust) -> bool:
    """Whether a record with the same words that is not enough goes for the new one."""
    return briefing.made(old, now) <= briefing.made(new, now) and _may(trust(old), new.trust)


def graver(old: Record, new: Record, trust: Trust) -> Record | None:
    """An issue that shows by the same command as a new one, as grave as that; None where it is trusted less."""
    if not _is_worth(old, new, trust):
        return None
    worse = min(old.content["severity"], new.content["severity"], key=SEVERITIES.index)
    importance, expires = max(old.importance, new.importance), new.expires if old.expires else ""
    return old._replace(content={**old.content, "severity": worse}, importance=importance, expires=expires)


def _is_worth(old: Record, new: Record, trust: Trust) -> bool:
    return is_enough(new.trust, trust(old))


def _severity(record: Record) -> int:
    return SEVERITIES.index(record.content["severity"]) if record.kind == "issue" else 0


def kept_days(record: Record) -> int:
    """How long a record that a session leaves is kept, in days; 0 is for good."""
    told = briefing.SORTS[record.kind]
    return 0 if not told.days and told.fits(record) else draft.days(record.importance)
