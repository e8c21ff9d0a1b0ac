"""What of the memory is a new session told, and which records does a prompt call up?

Rule of a start: standing rules, the user's first and of these the newest, whatever their age, until they are withdrawn;
the newest state; up to 10 decisions of importance 7 and more of the last 30 days, the most important and then the
newest first; up to 15 open issues that are critical or high, critical before high and the oldest first; up to 5
learnings of the last 60 days, the most used first. Nothing that is set aside, resolved or expired. Where not all fits,
rules, the state and what is critical stay longest and the rest is counted. Sources: requirements J6, J9, H3.

Rule of a prompt: a record comes up when the prompt shares several of its telling words with it: words that few records
hold, of which a name, a path or a code counts double. At least two of weight are needed, and more for a long prompt,
which shares words with anything. Up to three, within 300 tokens, the best first. It is set for silence: a record that
was not asked for costs more than one that must be searched. Source: H9.

What a start tells is compiled, for it cannot afford to open the catalogue. Whoever changes records compiles it, with
the words by which prompts call up; so does a start that finds it old.
"""

import contextlib
import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.errors import Fault
from holdfast.hot import prompt_match
from holdfast.hot.files import write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.memory.catalogue import ALIVE, FILE, TRUSTED, Catalogue
from holdfast.memory.files import PLACES, StoredRecord, dates, id_of, is_as_it_was
from holdfast.memory.location import Name, make_cache, sealed, unsealed
from holdfast.memory.record import (
    KINDS,
    RULE,
    Record,
    believed,
    called,
    first,
    is_alive,
    is_called_by_its_words,
    is_resolved,
    revived,
    texts,
    unsettled,
    wording,
)
from holdfast.memory.store import Memory
from holdfast.session.reply import utf16_length
from holdfast.text import identifiers, quoting
from holdfast.text.dates import DAY, seconds
from holdfast.text.lines import age, clip, one_line

LINE = 420  # characters of a line that is told
SEEN = 300  # files that a start looks at, for each may have been changed by hand


class _Section(NamedTuple):
    most: int
    days: float  # age up to which they are told; 0 is any
    fits: str
    order: str
    """In SQL, over the catalogue: the first comes first. What is dated ahead comes last, or it would outrank all."""


_RULES, _USERS = "kind = 0 AND wording NOT NULL", f"trust = 'trusted' AND {TRUSTED}"
USERS_RULES = _Section(200, 0, f"{_RULES} AND {_USERS}", "time DESC")
"""The user's own rules: more than a start has room for. The rest is counted."""
SELECTION: Mapping[str, _Section] = {
    RULE: _Section(40, 0, f"{_RULES} AND NOT ({_USERS})", "time"),
    "state": _Section(1, 0, f"kind = 2 AND wording NOT NULL AND ({TRUSTED} OR stood(id))", "time DESC"),  # also edited
    "decision": _Section(10, 30, "kind = 0 AND importance >= 7 AND wording IS NULL", "importance DESC, time DESC"),
    "issue": _Section(15, 0, "kind = 1 AND grave <= 1", "grave, time"),
    "learning": _Section(5, 60, "kind = 3", "used(id) DESC, importance DESC, time DESC"),
}
"""Section -> what is told of it, in the order in which a start tells them."""


def section(record: Record) -> str:
    """Where a start tells it: by its kind, but a rule among the rules."""
    return RULE if record.kind == "decision" and RULE in record.tags else record.kind


def is_told_at_any_age(record: Record) -> bool:
    """Whether a start tells it for as long as it holds."""
    is_urgent = record.content.get("severity") in ("critical", "high") and not is_resolved(record)
    return section(record) in (RULE, "state") or is_urgent


def choose(known: Catalogue, now: float) -> list[StoredRecord]:
    """The records that a start at this moment tells, section by section."""
    chosen: list[StoredRecord] = []
    for sort in (USERS_RULES, *SELECTION.values()):
        at = {"now": now, "ahead": now + 60, "from": now - sort.days * DAY, "to": now + DAY}
        fresh = " AND time BETWEEN :from AND :to" if sort.days else ""  # a day ahead is another zone's present
        left = sort.most
        for when in ("time <= :ahead", "time > :ahead"):
            order = f"ORDER BY {sort.order}, id LIMIT {left}"
            found = known.found(f"{ALIVE} AND {sort.fits} AND {when}{fresh}", at, order) if left else []
            chosen, left = [*chosen, *found], left - len(found)
    return chosen


def _place(record: Record) -> int:
    """Lower stays longer when room is short."""
    sort = section(record)
    is_grave = sort == "state" or record.content.get("severity") == "critical" or record.importance >= 9
    is_users = sort == RULE and record.trust == "trusted"
    return (0 if is_grave or is_users else 10) + list(SELECTION).index(sort)


_PARTS: Mapping[str, Mapping[str, str]] = {
    "decision": {"rationale": "Reason: ", "alternatives_considered": "Not: "},
    "issue": {"reproduction_steps": "Reproduce: ", "attempted_fixes": "Tried: ", "next_actions": "Next: "},
    "learning": {"applicability": ""},
}
"""What is told behind the first field of a record, and what stands before each."""


def line_of(record: Record, now: float, gone: Iterable[str] = (), where: str = "") -> str:
    """What a record says, with its age, its id, what of it is gone from the code, and where else than here it holds."""
    missing = ", ".join(gone)
    after = f"; not in the code: {missing}" if missing else ""
    head, *rest = _state(record.content) if record.kind == "state" else [_said_in_full(record)]
    shown = head if record.kind == "state" else clip(head, LINE)
    whole = f"; whole: memory show {called(record)}" if shown != head else ""
    mark = f"[{called(record)}, {age(now - seconds(record.time))} ago{where}{after}{whole}]"
    return "\n".join([f"- {shown} {mark}", *(f"  {line}" for line in rest)])


def _said_in_full(record: Record) -> str:
    content, says = record.content, first(record.kind, record.content)
    if not is_called_by_its_words(record):
        says = f"{record.title}: {says}"
    severity = content.get("severity", "high")  # which an issue is without anybody saying so
    head = says if severity == "high" else f"{severity}: {says}"
    rest = [f"{label}{_flat(content[name])}" for name, label in _PARTS[record.kind].items() if content[name]]
    return one_line(". ".join([head.rstrip("."), *rest]) if rest else head)


def _state(content: Mapping[str, Any]) -> list[str]:
    done, left, following = content["substeps_completed"], content["substeps_remaining"], content["next_actions"]
    parts = {
        "to-do list": f"{content['completion_percentage']} % done" if left or done else "",
        "done, not to do again": done,
        "to do": left,
        "blocked by": content["blockers"],
        "next": [one for one in following if one not in left],
    }
    told = [f"{label}: {one_line(_flat(value), LINE)}" for label, value in parts.items() if value]
    return [f"task: {one_line(content['task_description'], 540)}", *told]


def _flat(value: Any) -> str:
    return "; ".join(value) if isinstance(value, (list, tuple)) else str(value)


def page(given: Iterable[tuple[Record, str]], room: int, beyond: int = 0) -> tuple[str, list[str]]:
    """(the texts, fenced, within `room` UTF-16 units; the ids of the records told): what matters least goes first.

    beyond: rules that are not among these.
    """
    everything = list(given)
    order = sorted(range(len(everything)), key=lambda place: (_place(everything[place][0]), place))

    def made(size: int) -> tuple[str, list[str]]:
        kept = [everything[place] for place in sorted(order[:size])]
        text = quoting.fenced(_blocks(kept, [everything[place][0] for place in order[size:]], beyond))
        return text, [one.id for one, _ in kept]

    sizes = range(1, len(order) + 1)
    size = bisect_left(sizes, True, key=lambda size: utf16_length(made(size)[0]) > room)
    return made(size) if size else ("", [])


def _blocks(kept: list[tuple[Record, str]], left: list[Record], beyond: int) -> Iterable[quoting.Quoted]:
    """One per kind and speaker, so that the labels stand once for many lines."""
    rules = sum(section(one) == RULE for one in left)
    out = ((rules + beyond, "more rules hold too", " --tag rule"), (len(left) - rules, "more records", ""))
    marks = [f"{many} {what}, without room here: memory list{tag}" for many, what, tag in out if many]
    for kind in SELECTION:
        own = [(one, text) for one, text in kept if section(one) == kind]
        for trust in dict.fromkeys(one.trust for one, _ in own):
            text = "\n".join(text for one, text in own if one.trust == trust)
            yield quoting.Quoted(text, trust, "", kind, "", tuple(marks))
            marks = []


def continuity(sessions: int, ended: float, how: str, now: float) -> str:
    """One line on the sessions before, "" for none. ended, now: epoch seconds, 0 where it is not known.

    how: the log may come with a clone, so no other word of it is told than the client's and ours.
    """
    known = ("clear", "resume", "logout", "prompt_input_exit", "bypass_permissions_disabled", "cut_off")
    how = f" ({how.replace('_', ' ')})" if how in known else ""
    if not sessions:
        return ""
    many = f"{sessions} session{'s' if sessions > 1 else ''} here before this one"
    return f"{many}; the last ended {age(now - ended)} ago{how}." if ended else f"{many}."


def told(memory: Memory, now: float) -> list[Record]:
    """The records that a start tells, as far as they are trusted here, chosen anew if need be."""
    there = ready(memory, now)
    if there is not None:
        return there
    changed = {name.rpartition("/")[0] for name, _ in _changed(memory, compiled(memory).get("seen", {}))}
    return renew(memory, now, [number for number, place in enumerate(PLACES) if place in changed])


def ready(memory: Memory, now: float) -> list[Record] | None:
    """As `told`, of what was chosen before; None where that is torn or old.

    It is old when a record was added or removed since (the dates of their folders), when a file of those that it was
    chosen from, or of those that cannot be read, was changed, or when `until` has come.
    """
    data = compiled(memory)
    until, seen = data.get("until", -1.0), data.get("seen", {})
    if data.get("folders") != dates(memory.folder) or 0 < until <= now:
        return None
    if next(_changed(memory, seen), None):
        return None
    return [revived(values) for values in data.get("told", [])]


def _changed(memory: Memory, seen: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Those of the files, name and mark, that are other ones than these were made from."""
    return (one for one in seen.items() if not is_as_it_was(f"{memory.folder}/{one[0]}", int(one[1])))


def compiled(memory: Memory) -> dict[str, Any]:
    """What a start tells and goes by, as far as it was compiled: see `renew`."""
    return memory.compiled or loads_object(unsealed(memory.folder, Name.START))


def renew(memory: Memory, now: float, also: Collection[int] = ()) -> list[Record]:
    """Compile all of it; the records that a start tells, without secrets. A disk that refuses keeps none.

    also: as of `Memory.catalogue`.
    """
    folders, start = dates(memory.folder), len(memory.folder) + 1  # before reading: what is added then makes it old
    known, own = memory.catalogue(also), memory.written()
    known.count_uses(memory.uses())
    found = _with_rivals(known, choose(known, now), own, now)
    chosen = [believed(one.record, own) for one in found]
    # Of many records an edit by hand is seen by a start only in those that it tells, and in what it cannot read.
    which = "mark > 0" if known.highest() <= SEEN else "mark > 0 AND fault != ''"  # 0: no plain file; KEPT is below
    rows_seen = known.select(f"SELECT {FILE}, mark FROM texts WHERE {which} LIMIT {SEEN}")  # noqa: S608 - ours
    seen = {one.path[start:]: one.mark for one in found if one.mark} | dict(rows_seen)
    ends = [] if known.is_whole else [now + 600]
    for one in chosen:  # until it stops being told
        days = SELECTION[section(one)].days
        ends += [seconds(one.time) + days * DAY] if days else []
        ends += [seconds(one.expires)] if one.expires else []
    query = f"SELECT count(*) FROM texts WHERE fault IS NULL AND {ALIVE} AND {USERS_RULES.fits}"  # noqa: S608 - ours
    ((rules,),) = known.select(query, {"now": now})
    state = {
        "until": min(ends, default=0.0),
        "folders": folders,
        "seen": {name: str(mark) for name, mark in seen.items()},
        "kept": sorted(called(one.record) for one in memory.kept.values()),  # that read otherwise than the user said
        "beyond": max(0, rules - USERS_RULES.most),
        "unread": known.unread(),
        "told": [[*one] for one in chosen],
    }
    memory.compiled = state
    try:
        make_cache(memory.folder)
        places = prompt_match.weights(weights(rows(known, now)))
        write_atomic(f"{memory.cache}/{Name.WEIGHTS}", places)
        write_atomic(f"{memory.cache}/{Name.START}", sealed(memory.folder, dumps(state)))
    except OSError:  # read-only: each start compiles for itself
        pass
    return chosen


def against(records: Sequence[Record]) -> dict[str, str]:
    """By id, what is told behind a record that may contradict another one of these."""
    names = {one.id: called(one) for one in records}
    pairs = {(one.id, other) for one in records for other in unsettled(one) if other in names}
    both = sorted(pairs | {(other, one) for one, other in pairs})
    said = {one: [names[other] for name, other in both if name == one][:3] for one, _ in both}
    return {one: f"; may contradict {', '.join(others)}" for one, others in said.items()}


def _with_rivals(known: Catalogue, chosen: list[StoredRecord], own: Container[str], now: float) -> list[StoredRecord]:
    """The chosen ones, each followed by those that it may contradict: neither is told without the other.

    Up to ten come along, and none that a clone has brought: it can name anything.
    """
    there = {one.record.id: one for one in chosen}
    naming, pairs = _naming(known, there), {name: unsettled(one.record) for name, one in there.items()}
    for name, others in pairs.items():
        others += [other for other in naming.get(name, ()) if other not in others]
    found = known.named(name for names in pairs.values() for name in names if name not in there).items()
    ours = ((name, one) for name, one in found if is_alive(one.record, now) and wording(one.record) in own)
    there |= dict(itertools.islice(ours, 10))
    together = dict.fromkeys(name for one in chosen for name in (one.record.id, *pairs[one.record.id]))
    return [there[name] for name in together if name in there]


def _naming(known: Catalogue, ids: Container[str]) -> dict[str, list[str]]:
    """Id, of these -> ids of the newest that say that they may contradict it."""
    naming: dict[str, list[str]] = {}
    rows = known.select("SELECT against, id FROM texts WHERE against != '' ORDER BY time DESC")
    pairs = ((other, id_of(name)) for against, name in rows for other in against.split("\n") if other in ids)
    for other, name in itertools.islice(pairs, 200):
        naming.setdefault(other, []).append(name)
    return naming


POOL = 2_000
"""Records that are compared: so many of the best, and half as many of the newest decisions and learnings."""


class RecordWords(NamedTuple):
    """One of them; words between blanks, as hot/prompt_match.py has them."""

    id: str
    kind: str
    words: bytes  # all that may tell
    names: bytes  # the names and codes among them


def rows(known: Catalogue, now: float, fills: bool = True) -> list[RecordWords]:
    """Those that are compared, the best first; fills: with those that are new among them, which are read."""
    if fills:
        with contextlib.suppress(Fault):
            _fill(known, now)
    query = "SELECT id, kind, words, names FROM calls JOIN texts USING(n) ORDER BY importance DESC, time DESC"
    return [RecordWords(id_of(name), KINDS[kind], *rest) for name, kind, *rest in known.select(query)]


def _fill(known: Catalogue, now: float) -> None:
    which = f"SELECT n FROM texts WHERE fault IS NULL AND {ALIVE} AND kind "  # noqa: S608 - ours
    queries = [f"{which} != 2 ORDER BY importance DESC, time DESC LIMIT {POOL}"]
    queries += [f"{which} = {kind} ORDER BY time DESC LIMIT {POOL // 2}" for kind in (0, 3)]
    wanted = {n: None for one in queries for (n,) in known.select(one, {"now": now})}
    had = {n for (n,) in known.select("SELECT n FROM calls")}
    if wanted.keys() != had:
        fresh = known.read(sorted(wanted.keys() - had))
        with known.writing() as db:
            db.executemany("DELETE FROM calls WHERE n = ?", ((n,) for n in had - wanted.keys()))
            made = ((n, *words_of(record)) for n, record in fresh.items())
            db.executemany("INSERT OR REPLACE INTO calls VALUES (?, ?, ?)", made)


def words_of(record: Record) -> tuple[bytes, bytes]:
    """`words` and `names` of its RecordWords."""
    content = {**record.content, "context": ""}  # what was worked on then says little
    told = "\n".join([record.title, *texts(record._replace(content=content)), *record.paths, record.code])
    names = set[bytes]().union(*map(prompt_match.words, map(_bytes, identifiers.identifiers(told))))
    words = names.union(*map(prompt_match.words, prompt_match.tokens(_bytes(told))))
    names.update(word for word in words if b"-" in word)  # bug-12
    return b" ".join(sorted(words)), b" ".join(sorted(names))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def weights(rows: Sequence[RecordWords]) -> dict[bytes, int]:
    """What a word tells, by these records: 1, or 2 for a name; words that many hold tell nothing."""
    counts = Counter(itertools.chain.from_iterable(row.words.split() for row in rows))
    names = set(itertools.chain.from_iterable(row.names.split() for row in rows))
    most = min(20, max(3, len(rows) // 50), max(1, len(rows) // 3))  # so many may hold a word that tells
    return {word: 2 if word in names else 1 for word, count in counts.items() if count <= most}


def fitting(rows: Sequence[RecordWords], prompt: str) -> list[str]:
    """Ids of the records that this prompt matches well, the best first."""
    asked = prompt_match.words(_bytes(prompt))
    need = min(6, max(prompt_match.ENOUGH, -(-len(asked) // 5)))  # one of weight for every five words, at most six
    known = weights([row._replace(words=b" ".join(asked.intersection(row.words.split()))) for row in rows])
    shared = {row.id: sum(known.get(word, 0) for word in asked.intersection(row.words.split())) for row in rows}
    return sorted((name for name, weight in shared.items() if weight >= need), key=lambda name: (-shared[name], name))
