"""What of the memory is a new session told, and in what order?

Rule: the newest state; up to 10 decisions of importance 7 and more of the last 30 days, the most important and then
the newest first; up to 15 open issues that are critical or high, critical before high and the oldest first; up to 5
learnings of the last 60 days, the most used first. Nothing that is archived, superseded, resolved or expired. Each
line says its age, who said it and its id; what it is about and is not in the code any more is named. Where not all
fits, the state and what is critical stay longest and the rest is counted. Sources: requirements J6, J9, H3.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.memory.record import UNKNOWN, Record, called, created_at, first, is_alive
from holdfast.session.reply import utf16_length
from holdfast.text import quoting
from holdfast.text.dates import DAY, seconds
from holdfast.text.lines import age, one_line

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


class _Section(NamedTuple):
    most: int
    days: float
    """Age up to which they are told; 0 is any."""
    fits: Callable[[Record], bool]
    order: Callable[[Record, int], tuple[Any, ...]]
    """Of a record and how often it was used: the first comes first."""


SELECTION: Mapping[str, _Section] = {
    "state": _Section(1, 0, lambda record: True, lambda record, used: (-seconds(record.time),)),
    "decision": _Section(
        10,
        30,
        lambda record: record.importance >= 7,
        lambda record, used: (-record.importance, -seconds(record.time)),
    ),
    "issue": _Section(
        15,
        0,
        lambda record: record.content["severity"] in GRAVE and record.content["status"] == "open",
        lambda record, used: (GRAVE[record.content["severity"]], seconds(record.time)),
    ),
    "learning": _Section(
        5, 60, lambda record: True, lambda record, used: (-used, -record.importance, -seconds(record.time))
    ),
}
"""Kind -> what is told of it, in the order in which a start tells them."""


def choose(records: Iterable[Record], used: Mapping[str, int], now: float) -> list[Record]:
    """The records that a start at this moment tells, section by section. used: id -> times.

    Circles of superseded records are mended already (supersession.py).
    """
    alive = [record for record in records if is_alive(record, now)]
    chosen: list[Record] = []
    for kind, sort in SELECTION.items():
        own = [record for record in alive if record.kind == kind and sort.fits(record) and _is_fresh(record, sort, now)]
        own.sort(key=lambda one: (created_at(one, now) == UNKNOWN, *sort.order(one, used.get(one.id, 0)), one.id))
        chosen += own[: sort.most]
    return chosen


def _is_fresh(record: Record, sort: _Section, now: float) -> bool:
    """Up to a day ahead is the present of a wrong clock, or of another zone."""
    return not sort.days or -DAY <= now - seconds(record.time) <= sort.days * DAY


def holds_until(chosen: Iterable[Entry]) -> float:
    """When another choice may be due, epoch seconds; 0 for never: the first of them is too old then."""
    return min((one.until for one in chosen if one.until), default=0.0)


def entry(record: Record) -> Entry:
    """A record as a start and a prompt tell it."""
    said, days = seconds(record.time), SELECTION[record.kind].days
    ends = [*([said + days * DAY] if days else []), *([seconds(record.expires)] if record.expires else [])]
    grave = record.kind == "state" or record.content.get("severity") == "critical" or record.importance >= 9
    place = (0 if grave else 10) + list(SELECTION).index(record.kind)
    lines, until = tuple(_lines(record)), min(ends, default=0.0)
    return Entry(record.id, record.kind, place, called(record), record.trust, said, lines, record.paths, until)


_PARTS: Mapping[str, Mapping[str, str]] = {
    "decision": {"rationale": "Reason: ", "alternatives_considered": "Not: "},
    "issue": {"reproduction_steps": "Reproduce: ", "attempted_fixes": "Tried: ", "next_actions": "Next: "},
    "learning": {"applicability": ""},
}
"""What is told behind the first field of a record, and what stands before each."""


def _lines(record: Record) -> list[str]:
    content = record.content
    if record.kind == "state":
        return _state(content)
    says = first(record.kind, content)
    head = f"{content['severity']}: {says}" if record.kind == "issue" else says
    rest = [f"{label}{_flat(content[name])}" for name, label in _PARTS[record.kind].items() if content[name]]
    return [one_line(". ".join([head.rstrip("."), *rest]) if rest else head, LINE)]


def _state(content: Mapping[str, Any]) -> list[str]:
    done, left, following = content["substeps_completed"], content["substeps_remaining"], content["next_actions"]
    share = f" ({content['completion_percentage']} % done)" if left or done else ""
    parts = (
        ("done, not to do again", done),
        ("to do", left),
        ("blocked by", content["blockers"]),
        ("next", [one for one in following if one not in left]),
    )
    told = [f"{label}: {one_line(_flat(value), LINE)}" for label, value in parts if value]
    return [f"task{share}: {one_line(content['task_description'], TASK)}", *told]


def _flat(value: Any) -> str:
    return "; ".join(value) if isinstance(value, (list, tuple)) else str(value)


def line_of(one: Entry, now: float, gone: Iterable[str] = ()) -> str:
    """What an entry says, with its age, its id, and what of it is gone from the code."""
    missing = ", ".join(gone)
    after = f"; not in the code any more: {missing}" if missing else ""
    head, *rest = one.lines
    return "\n".join([f"- {head} [{one.name}, {age(now - one.time)} ago{after}]", *(f"  {line}" for line in rest)])


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
    for kind in SELECTION:
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
