"""What of the memory is a new session told, and which records does a prompt call up?

Rule of a start: the newest state; up to 10 decisions of importance 7 and more of the last 30 days, the most important
and then the newest first; up to 15 open issues that are critical or high, critical before high and the oldest first; up
to 5 learnings of the last 60 days, the most used first. Nothing that is archived, superseded, resolved or expired. Each
line says its age, who said it and its id; what it is about and is not in the code any more is named. Where not all
fits, the state and what is critical stay longest and the rest is counted. Sources: requirements J6, J9, H3.

Rule of a prompt: a record comes up when the prompt shares several of its telling words with it: words that few records
hold, of which a name, a path or a code counts double. No list says which words are common: one that more than a third
of the records hold tells nothing. At least two of weight are needed, and more for a long prompt, which shares words
with anything. Up to three, within 300 tokens together, the best first; otherwise nothing is said.
It is set for silence: a record that was not asked for costs more than one that must be searched. Source: H9.

Both are compiled, so that they cost the same with ten records and ten thousand. `start.json` in the cache has the few
records that a start tells: {"v", "until", "folders", "files", "entries"}. It is old when a record was added or removed
since (the dates of their folders), when a file that it tells of was changed, when `until` has come (0 is never), and
when it is torn or of another version. Whoever changes records compiles them, a stop, an end or a command; so does a
start that finds them old, as after a pull. `recall.tsv` and `recall.bin` have the words by which a prompt calls up.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from holdfast.hot import prompt_match
from holdfast.hot.files import read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.memory.files import date, dates
from holdfast.memory.location import CACHE, ROWS, START, WEIGHTS, is_ours, make_cache
from holdfast.memory.record import (
    UNKNOWN,
    Record,
    believed,
    called,
    created_at,
    first,
    is_alive,
    texts,
    with_circles_mended,
)
from holdfast.memory.store import Memory
from holdfast.session.reply import utf16_length
from holdfast.text import identifiers, quoting
from holdfast.text.dates import DAY, seconds
from holdfast.text.lines import age, one_line
from holdfast.text.tokens import estimate

T = TypeVar("T")
VERSION = 2
RECALLED = 2_000  # records that a prompt can call up: the most important, then the newest
LINE = 420  # characters of a line that is told
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
    return [f"task{share}: {one_line(content['task_description'], 540)}", *told]


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


_FORM = (str, str, int, str, str, (int, float), list, list, (int, float))
"""The types of an Entry as JSON has them."""


def entries(memory: Memory, now: float) -> list[Entry]:
    """The records that a start tells, compiled anew if need be."""
    there = ready(memory.folder, now)
    return renew(memory, now) if there is None else there


def ready(folder: str, now: float) -> list[Entry] | None:
    """The records that a start tells, as they were compiled; None where that is to be done anew."""
    if not is_ours(folder):  # it came with a clone
        return None
    data = loads_object(read_bytes(f"{folder}/{CACHE}/{START}"))
    until, files, rows = data.get("until"), data.get("files"), data.get("entries")
    if data.get("v") != VERSION or data.get("folders") != dates(folder) or not isinstance(until, (int, float)):
        return None
    if not isinstance(rows, list) or not isinstance(files, dict) or 0 < until <= now or not all(map(_is_entry, rows)):
        return None
    if any(date(path) != changed for path, changed in files.items()):
        return None
    found = (Entry(*row) for row in rows)
    return [one._replace(lines=tuple(one.lines), paths=tuple(one.paths)) for one in found]


def _is_entry(row: Any) -> bool:
    """Whether the values are of the types of an entry; a list is one of texts."""
    return (
        isinstance(row, list)
        and len(row) == len(_FORM)
        and all(map(isinstance, row, _FORM))  # type: ignore[arg-type] # of which each is a type, or a tuple of types
        and all(isinstance(text, str) for value in row if isinstance(value, list) for text in value)
    )


def renew(memory: Memory, now: float) -> list[Entry]:
    """Compile all of it; the records that a start tells. A disk that refuses keeps none."""
    folders = dates(memory.folder)  # before reading: what is added meanwhile makes it old
    found = memory.scan().records
    records = with_circles_mended(record for _, record in found.values())
    uses = {name: use.times for name, use in memory.uses().items()}
    chosen, own = choose(records, uses, now), memory.written()
    told = [entry(believed(record, own)) for record in chosen]
    # Of many records an edit by hand is seen by a start only in those that it tells.
    watched = found if len(found) <= 300 else [record.id for record in chosen]
    files = {path: date(path) for path in (found[name][0] for name in watched)}
    state = {"until": holds_until(told), "folders": folders, "files": files, "entries": told}
    try:
        make_cache(memory.folder)
        _write_table(memory, [record for record in records if is_alive(record, now)])
        write_atomic(f"{memory.cache}/{START}", dumps({"v": VERSION, **state}))
    except OSError:  # read-only: each start compiles for itself
        pass
    return told


def _write_table(memory: Memory, alive: Iterable[Record]) -> None:
    worth = sorted(alive, key=lambda record: (record.importance, record.time, record.id), reverse=True)[:RECALLED]
    table = table_of(record for record in worth if record.kind != "state")
    write_atomic(f"{memory.cache}/{ROWS}", render(table))
    write_atomic(f"{memory.cache}/{WEIGHTS}", prompt_match.weights({word: row[0] for word, row in table.items()}))


MOST, TOKENS = 3, 300
PLAIN, NAME = 1, 2
Table = Mapping[bytes, tuple[int, tuple[str, ...]]]
"""What is compiled of the memory for prompts: word -> (weight, ids of the memories that hold it)."""


def table_of(records: Iterable[Record]) -> Table:
    """The telling words of these records."""
    words = cache(prompt_match.words)  # most words stand in many records
    holders: dict[bytes, list[str]] = {}
    names: set[bytes] = set()
    records = list(records)
    for record in records:
        said = _said(record)
        own = set[bytes]().union(*map(words, map(_bytes, identifiers.identifiers(said))))
        names |= own
        for word in own.union(*map(words, prompt_match.tokens(_bytes(said)))):
            holders.setdefault(word, []).append(record.id)
    most = min(20, max(3, len(records) // 50), max(1, len(records) // 3))  # so many may hold a word that tells
    names.update(word for word in holders if b"-" in word)  # bug-12
    rare = {word: tuple(ids) for word, ids in holders.items() if len(ids) <= most}
    return {word: (NAME if word in names else PLAIN, ids) for word, ids in rare.items()}


def _said(record: Record) -> str:
    told = texts(record._replace(content={**record.content, "context": ""}))  # what was worked on then says little
    return "\n".join([record.title, *told, *record.paths, record.code])


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def fitting(table: Table, prompt: str) -> list[str]:
    """Ids of the memories that this prompt matches well, the best first; `table`: the rows of its words at least."""
    asked = prompt_match.words(_bytes(prompt))
    need = min(6, max(prompt_match.ENOUGH, -(-len(asked) // 5)))  # one of weight for every five words, at most six
    shared: Counter[str] = Counter()
    for word in asked:
        weight, ids = table.get(word, (0, ()))
        for name in ids:
            shared[name] += weight
    return sorted((name for name, weight in shared.items() if weight >= need), key=lambda name: (-shared[name], name))


def within(found: Sequence[T], whole: Callable[[list[T]], str]) -> list[T]:
    """The first of what was found that go together within the tokens. whole: the text in which they are told."""
    kept: list[T] = []
    for one in found[:MOST]:
        if estimate(whole([*kept, one])) > TOKENS:
            break
        kept.append(one)
    return kept


_NAMES = b"#"  # begins the line of the ids; in no word


def render(table: Table) -> bytes:
    """The table as a file: a line of ids, then `word TAB weight TAB places in the ids` for each word."""
    ids = list(dict.fromkeys(name for _, names in table.values() for name in names))
    places = {name: str(place) for place, name in enumerate(ids)}
    rows = [b"%s\t%s" % (_NAMES, " ".join(ids).encode())]
    for word, (weight, names) in table.items():
        rows.append(b"%s\t%d\t%s" % (word, weight, " ".join(map(places.__getitem__, names)).encode()))
    return b"\n" + b"\n".join(rows) + b"\n"


def rows(data: bytes, prompt: str) -> Table:
    """Of a file of `render` the rows of a prompt's words. What is torn is passed over."""
    found, ids = {}, "".join(_line(data, _NAMES)[1:2]).split()
    for word in prompt_match.words(_bytes(prompt)):
        parts = _line(data, word)
        if len(parts) == 3 and parts[1] in ("1", "2"):
            places = [int(place) for place in parts[2].split() if place.isdecimal()]
            found[word] = (int(parts[1]), tuple(ids[place] for place in places if place < len(ids)))
    return found


def _line(data: bytes, first: bytes) -> list[str]:
    """The parts of the line that begins with this; [] for none."""
    start = data.find(b"\n%s\t" % first)
    return data[start + 1 : data.find(b"\n", start + 1)].decode("utf-8", "replace").split("\t") if start >= 0 else []
