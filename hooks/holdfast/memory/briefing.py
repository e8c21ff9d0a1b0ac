"""What of the memory is a new session told, and in what order?

Rule: the newest state; up to 10 decisions of importance 7 and more of the last 30 days, the most important and then
the newest first; up to 15 open issues that are critical or high, critical before high and the oldest first; up to 5
learnings of the last 60 days, the most used first. Nothing that is archived, superseded, resolved or expired. Each
line says its age, who said it and its id; what it is about and is not in the code any more is named. Where not all
fits, the state and what is critical stay longest and the rest is counted. Sources: requirements J6, J9, H3.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.memory import circles
from holdfast.memory.record import Record
from holdfast.session.reply import utf16_length
from holdfast.text import quoting
from holdfast.text.dates import DAY, seconds
from holdfast.text.lines import age, clip, one_line

LINE, TASK = 420, 540
GRAVE = {"critical": 0, "high": 1}


class Entry(NamedTuple):
    """One record as a start tells it. Kept as JSON between sessions, so only plain values."""

    id: str
    kind: str
    place: int
    """Lower stays longer when room is short."""
    name: str
    """Its code, or the beginning of its id."""
    trust: str
    time: float
    """Epoch seconds of when it was said."""
    lines: tuple[str, ...]
    paths: tuple[str, ...]
    until: float
    """When it stops being told, epoch seconds; 0 for never."""


class Page(NamedTuple):
    """What a start tells: the text, and the ids of the records in it."""

    text: str
    ids: tuple[str, ...]


class _Sort(NamedTuple):
    most: int
    days: float
    """Age up to which they are told; 0 is any."""
    fits: Callable[[Record], bool]
    order: Callable[[Record, int], tuple[Any, ...]]
    """Of a record and how often it was used: the first comes first."""


SORTS: Mapping[str, _Sort] = {
    "state": _Sort(1, 0, lambda record: True, lambda record, used: (-seconds(record.time),)),
    "decision": _Sort(
        10,
        30,
        lambda record: record.importance >= 7,
        lambda record, used: (-record.importance, -seconds(record.time)),
    ),
    "issue": _Sort(
        15,
        0,
        lambda record: record.content["severity"] in GRAVE and record.content["status"] == "open",
        lambda record, used: (GRAVE[record.content["severity"]], seconds(record.time)),
    ),
    "learning": _Sort(
        5, 60, lambda record: True, lambda record, used: (-used, -record.importance, -seconds(record.time))
    ),
}
"""Kind -> what is told of it, in the order in which a start tells them."""


def choose(records: Iterable[Record], used: Mapping[str, int], now: float) -> list[Record]:
    """The records that a start at this moment tells, section by section. used: id -> times."""
    alive = [record for record in circles.mended(records) if is_alive(record, now)]
    chosen: list[Record] = []
    for kind, sort in SORTS.items():
        own = [record for record in alive if record.kind == kind and sort.fits(record) and _is_fresh(record, sort, now)]
        own.sort(key=lambda one: (made(one, now) == UNKNOWN, *sort.order(one, used.get(one.id, 0)), one.id))
        chosen += own[: sort.most]
    return chosen


def is_alive(record: Record, now: float) -> bool:
    """Whether it is to be told at all: not archived, replaced, marked for removal, resolved or expired."""
    gone = is_set_aside(record) or is_resolved(record)
    return not gone and not (record.expires and seconds(record.expires) <= now)


def is_resolved(record: Record) -> bool:
    """Whether it is an issue that has been seen to."""
    return record.content.get("status") == "resolved"


def is_set_aside(record: Record) -> bool:
    """Whether it is archived, replaced or marked for removal; by hand or in a merge one comes without the other."""
    return bool(record.archived or record.superseded_by or record.delete)


def made(record: Record, now: float) -> float:
    """When a record was made, epoch seconds; UNKNOWN where its date is ahead: else it would outrank all that comes."""
    said = seconds(record.time)
    return said if said <= now + SLACK else UNKNOWN


UNKNOWN = 0.0  # counts as old
SLACK = 60.0  # seconds by which clocks differ


def _is_fresh(record: Record, sort: _Sort, now: float) -> bool:
    """Up to a day ahead is the present of a wrong clock, or of another zone."""
    return not sort.days or -DAY <= now - seconds(record.time) <= sort.days * DAY


def holds_until(chosen: Iterable[Entry]) -> float:
    """When another choice may be due, epoch seconds; 0 for never: the first of them is too old then."""
    return min((one.until for one in chosen if one.until), default=0.0)


def called(record: Record) -> str:
    """What people call a record: its code, or the beginning of its id."""
    return record.code or record.id[:8]


def entry(record: Record) -> Entry:
    """A record as a start and a prompt tell it."""
    said, days = seconds(record.time), SORTS[record.kind].days
    ends = [*([said + days * DAY] if days else []), *([seconds(record.expires)] if record.expires else [])]
    grave = record.kind == "state" or record.content.get("severity") == "critical" or record.importance >= 9
    place = (0 if grave else 10) + list(SORTS).index(record.kind)
    lines = tuple(line for line in _WORDS[record.kind](record.content) if line)
    return Entry(
        record.id, record.kind, place, called(record), record.trust, said, lines, record.paths, min(ends, default=0.0)
    )


def _decision(content: Mapping[str, Any]) -> list[str]:
    what = content["decision"]
    why = f" Reason: {content['rationale']}" if content["rationale"] else ""
    instead = "; ".join(one for one in content["alternatives_considered"] if one not in what)
    more = f"{why}{f' Not: {instead}' if instead else ''}"
    return [clip(_flat(f"{what.rstrip('.')}.{more}" if more else what), LINE)]


def _issue(content: Mapping[str, Any]) -> list[str]:
    shown = f" Reproduce: {content['reproduction_steps']}" if content["reproduction_steps"] else ""
    tried = f" Tried: {'; '.join(content['attempted_fixes'])}" if content["attempted_fixes"] else ""
    following = f" Next: {content['next_actions']}" if content["next_actions"] else ""
    return [clip(_flat(f"{content['severity']}: {content['description']}{shown}{tried}{following}"), LINE)]


def _learning(content: Mapping[str, Any]) -> list[str]:
    return [clip(_flat(f"{content['lesson']} {content['applicability']}"), LINE)]


def _state(content: Mapping[str, Any]) -> list[str]:
    left, following = content["substeps_remaining"], content["next_actions"]
    share = f" ({content['completion_percentage']} % done)" if left or content["substeps_completed"] else ""
    return [
        f"task{share}: {one_line(content['task_description'], TASK)}",
        f"done, not to do again: {_joined(content['substeps_completed'])}" if content["substeps_completed"] else "",
        f"to do: {_joined(left)}" if left else "",
        f"blocked by: {_joined(content['blockers'])}" if content["blockers"] else "",
        f"next: {_joined(following)}" if following and tuple(following) != tuple(left[: len(following)]) else "",
    ]


_WORDS: Mapping[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "decision": _decision,
    "issue": _issue,
    "learning": _learning,
    "state": _state,
}


def _joined(texts: Iterable[str]) -> str:
    return clip("; ".join(_flat(text) for text in texts), LINE)


def _flat(text: str) -> str:
    return " ".join(text.split())


def told(one: Entry, now: float, gone: Iterable[str] = ()) -> str:
    """What an entry says, with its age, its id, and what of it is gone from the code."""
    missing = ", ".join(gone)
    after = f"; not in the code any more: {missing}" if missing else ""
    first, *rest = one.lines
    return "\n".join([f"- {first} [{one.name}, {age(now - one.time)} ago{after}]", *(f"  {line}" for line in rest)])


def page(given: Iterable[tuple[Entry, str]], room: int) -> Page:
    """The entries with their texts, fenced, within `room` UTF-16 units: what matters least goes first."""
    everything = list(given)
    kept = everything.copy()
    while kept:
        text = quoting.fenced(_blocks(kept, len(everything) - len(kept)))
        if utf16_length(text) <= room:
            return Page(text, tuple(one.id for one, _ in kept))
        del kept[max(range(len(kept)), key=lambda place: (kept[place][0].place, place))]
    return Page("", ())


def _blocks(kept: list[tuple[Entry, str]], left: int) -> Iterable[quoting.Quoted]:
    """One per kind and speaker, so that the labels stand once for many lines."""
    marks = [f"{left} more left out, see: holdfast memory list"] if left else []
    for kind in SORTS:
        own = [(one, text) for one, text in kept if one.kind == kind]
        for trust in dict.fromkeys(one.trust for one, _ in own):
            text = "\n".join(text for one, text in own if one.trust == trust)
            yield quoting.Quoted(text, trust, "", kind, "", tuple(marks))
            marks = []


ENDS = ("clear", "resume", "logout", "prompt_input_exit", "bypass_permissions_disabled", "cut_off")
"""How a session ended, as the client and we call it. The log may come with a clone, so no other word of it is told."""


def continuity(sessions: int, ended: float, how: str, now: float) -> str:
    """One line on the sessions before, "" for none. ended, now: epoch seconds, 0 where it is not known."""
    how = how.replace("_", " ") if how in ENDS else ""
    if not sessions:
        return ""
    many = f"{sessions} session{'s' if sessions > 1 else ''} here before this one"
    return f"{many}; the last ended {age(now - ended)} ago{f' ({how})' if how else ''}." if ended else f"{many}."
