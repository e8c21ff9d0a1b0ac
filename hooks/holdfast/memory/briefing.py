"""What of the memory is a new session told, and which records does a prompt call up?

Rule of a start: standing rules, the user's first, whatever their age, until they are withdrawn; the newest state; up to
10 decisions of importance 7 and more of the last 30 days, the most important and then the newest first; up to 15 open
issues that are critical or high, critical before high and the oldest first; up to 5 learnings of the last 60 days, the
most used first. Nothing that is set aside, resolved or expired. Where not all fits, rules, the state and what is
critical stay longest and the rest is counted. Sources: requirements J6, J9, H3.

Rule of a prompt: a record comes up when the prompt shares several of its telling words with it: words that few records
hold, of which a name, a path or a code counts double. At least two of weight are needed, and more for a long prompt,
which shares words with anything. Up to three, within 300 tokens, the best first. It is set for silence: a record that
was not asked for costs more than one that must be searched. Source: H9.

Both are compiled, so that they cost the same with ten records and ten thousand: which files a start tells, and the
words by which a prompt calls up. Whoever changes records compiles them; so does a start that finds them old.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.hot import prompt_match
from holdfast.hot.files import write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.memory import files, location, markdown
from holdfast.memory.files import Found, dates, is_as_it_was, read
from holdfast.memory.location import Name, make_cache, sealed, unsealed
from holdfast.memory.record import (
    Record,
    believed,
    called,
    created_at,
    first,
    is_alive,
    texts,
    trust_of,
    unsettled,
    without_secrets,
    wording,
)
from holdfast.memory.store import Memory
from holdfast.session.reply import utf16_length
from holdfast.text import identifiers, quoting
from holdfast.text.dates import DAY, seconds
from holdfast.text.lines import age, one_line

LINE = 420  # characters of a line that is told
RULE = "rule"
"""Tag of a decision that is a standing rule, and the name of their section."""


class _Section(NamedTuple):
    most: int
    days: float
    """Age up to which they are told; 0 is any."""
    fits: Callable[[Record], bool]
    order: Callable[[Record, int], tuple[Any, ...]]
    """Of a record and how often it was used: the first comes first."""


SELECTION: Mapping[str, _Section] = {
    RULE: _Section(40, 0, lambda one: True, lambda one, used: (one.trust != "trusted", seconds(one.time))),
    "state": _Section(1, 0, lambda one: True, lambda one, used: (-seconds(one.time),)),
    "decision": _Section(
        10, 30, lambda one: one.importance >= 7, lambda one, used: (-one.importance, -seconds(one.time))
    ),
    "issue": _Section(
        15,
        0,
        lambda one: one.content["severity"] in ("critical", "high") and one.content["status"] == "open",
        lambda one, used: (one.content["severity"] != "critical", seconds(one.time)),
    ),
    "learning": _Section(5, 60, lambda one: True, lambda one, used: (-used, -one.importance, -seconds(one.time))),
}
"""Section -> what is told of it, in the order in which a start tells them."""


def section(record: Record) -> str:
    """Where a start tells it: by its kind, but a rule among the rules."""
    return RULE if record.kind == "decision" and RULE in record.tags else record.kind


def choose(records: Iterable[Record], used: Mapping[str, int], now: float, most: int = 0) -> list[Record]:
    """The records that a start at this moment tells, section by section. used: id -> times; most: of each, if not 0."""
    alive = [record for record in records if is_alive(record, now)]
    chosen: list[Record] = []
    for kind, sort in SELECTION.items():
        own = [one for one in alive if section(one) == kind and sort.fits(one) and _is_fresh(one, sort, now)]
        own.sort(key=lambda one: (not created_at(one, now), *sort.order(one, used.get(one.id, 0)), one.id))
        chosen += own[: most or sort.most]
    return chosen


def _is_fresh(record: Record, sort: _Section, now: float) -> bool:
    """Up to a day ahead is the present of a wrong clock, or of another zone."""
    return not sort.days or -DAY <= now - seconds(record.time) <= sort.days * DAY


def _until(record: Record) -> float:
    """When it stops being told, epoch seconds; 0 for never."""
    days = SELECTION[section(record)].days
    ends = [seconds(record.time) + days * DAY] if days else []
    return min([*ends, *([seconds(record.expires)] if record.expires else [])], default=0.0)


def _place(record: Record) -> int:
    """Lower stays longer when room is short."""
    is_grave = record.kind == "state" or record.content.get("severity") == "critical" or record.importance >= 9
    return (0 if is_grave else 10) + list(SELECTION).index(section(record))


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
    mark = f"[{called(record)}, {age(now - seconds(record.time))} ago{where}{after}]"
    return "\n".join([f"- {head} {mark}", *(f"  {line}" for line in rest)])


def _said_in_full(record: Record) -> str:
    content, says = record.content, first(record.kind, record.content)
    if not says.startswith(record.title.removesuffix("…").rstrip()):
        says = f"{record.title}: {says}"
    head = f"{content['severity']}: {says}" if record.kind == "issue" else says
    rest = [f"{label}{_flat(content[name])}" for name, label in _PARTS[record.kind].items() if content[name]]
    return one_line(". ".join([head.rstrip("."), *rest]) if rest else head, LINE)


def _state(content: Mapping[str, Any]) -> list[str]:
    done, left, following = content["substeps_completed"], content["substeps_remaining"], content["next_actions"]
    share = f" ({content['completion_percentage']} % done)" if left or done else ""
    parts = {
        "done, not to do again": done,
        "to do": left,
        "blocked by": content["blockers"],
        "next": [one for one in following if one not in left],
    }
    told = [f"{label}: {one_line(_flat(value), LINE)}" for label, value in parts.items() if value]
    return [f"task{share}: {one_line(content['task_description'], 540)}", *told]


def _flat(value: Any) -> str:
    return "; ".join(value) if isinstance(value, (list, tuple)) else str(value)


def page(given: Iterable[tuple[Record, str]], room: int) -> tuple[str, list[str]]:
    """(the texts, fenced, within `room` UTF-16 units; the ids of the records told): what matters least goes first."""
    everything = list(given)
    kept = everything.copy()
    while kept:
        text = quoting.fenced(_blocks(kept, len(everything) - len(kept)))
        if utf16_length(text) <= room:
            return text, [one.id for one, _ in kept]
        del kept[max(range(len(kept)), key=lambda place: (_place(kept[place][0]), place))]
    return "", []


def _blocks(kept: list[tuple[Record, str]], left: int) -> Iterable[quoting.Quoted]:
    """One per kind and speaker, so that the labels stand once for many lines."""
    marks = [f"{left} more left out, see: holdfast memory list"] if left else []
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
    return renew(memory, now) if there is None else there


def unmerged(memory: Memory) -> int:
    """How many records a merge has left with its marks in them, as far as that was compiled."""
    return int(_compiled(memory).get("unmerged", 0))


def ready(memory: Memory, now: float) -> list[Record] | None:
    """As `told`, of what was chosen before; None where that is torn or old.

    It is old when a record was added or removed since (the dates of their folders), when a file of those that it was
    chosen from was changed, or when `until` has come.
    """
    data = _compiled(memory)
    until, told, seen = data.get("until", -1.0), data.get("told", {}), data.get("seen", {})
    if data.get("folders") != dates(memory.folder) or 0 < until <= now:
        return None
    if not all(is_as_it_was(f"{memory.folder}/{name}", mark) for name, mark in seen.items()):
        return None
    try:
        own = location.own(memory.folder) if data.get("kept") else {}
        texts_of = {name: markdown.parse(own[name][2]) for name in told if name in own}
        records = [(texts_of.get(name) or read(f"{memory.folder}/{name}"), trust) for name, trust in told.items()]
    except BadInput:  # gone in this moment
        return None
    return [without_secrets(record._replace(trust=trust)) for record, trust in records]


def differing(memory: Memory) -> list[str]:
    """What the records are called that read otherwise than the user said them, as far as that was compiled."""
    return list(map(str, _compiled(memory).get("kept", [])))


def pooled(memory: Memory) -> dict[str, Found]:
    """By id the best of each section, as they were compiled, as they read now."""
    return files.named(memory.folder, map(str, _compiled(memory).get("pool", [])))


def is_current(memory: Memory) -> bool:
    """Whether nothing was added to or removed from the memory since it was compiled."""
    return bool(_compiled(memory).get("folders") == dates(memory.folder))


def _compiled(memory: Memory) -> dict[str, Any]:
    return loads_object(unsealed(memory.folder, Name.START))


def renew(memory: Memory, now: float) -> list[Record]:
    """Compile all of it; the records that a start tells. A disk that refuses keeps none.

    Of a large memory of which only the newest part is looked at, that and the best of the rest, as they were compiled:
    for whoever has changed what was current.
    """
    folders, start = dates(memory.folder), len(memory.folder) + 1  # before reading: what is added then makes it old
    scan = memory.scan()
    pool = pooled(memory) if scan.is_newest else {}
    found = {**pool, **scan.records}
    uses = {name: use.times for name, use in memory.uses().items()}
    own = memory.written()
    records = [one.record for one in found.values()]
    own_states = (one for one in records if one.kind != "state" or not quoting.is_carried(trust_of(one, own)))
    judged = [believed(one, own) if section(one) == RULE else one for one in own_states]
    chosen = [believed(one, own) for one in _with_rivals(choose(judged, uses, now), found, own, now)]
    # Of many records an edit by hand is seen by a start only in those that it tells.
    seen = found.values() if len(found) <= 300 else [found[one.id] for one in chosen]
    later = [] if scan.is_whole or pool else [now + 600]
    state = {
        "until": min([*filter(None, map(_until, chosen)), *later], default=0.0),
        "folders": folders,
        "seen": {one.path[start:]: one.mark for one in seen if one.mark},
        "kept": sorted(called(one.record) for one in memory.kept.values()),
        "pool": [found[one.id].path[start:] for one in choose(judged, uses, now, 60)],  # for a large one's next start
        "unmerged": sum("a merge" in problem.what for problem in scan.problems),
        "told": {one.id if one.id in memory.kept else found[one.id].path[start:]: one.trust for one in chosen},
    }
    try:
        make_cache(memory.folder)
        alive = [one for one in found.values() if one.record.kind != "state" and is_alive(one.record, now)]
        alive.sort(key=lambda one: (one.record.importance, one.record.time, one.record.id), reverse=True)
        table = table_of({f"{one.record.id} {one.path[start:]}": one.record for one in alive[:2_000]})
        write_atomic(f"{memory.cache}/{Name.WORDS}", sealed(memory.folder, render(table)))
        weights = prompt_match.weights({word: row[0] for word, row in table.items()})
        write_atomic(f"{memory.cache}/{Name.WEIGHTS}", weights)
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


def _with_rivals(chosen: list[Record], found: Mapping[str, Found], own: Container[str], now: float) -> list[Record]:
    """The chosen ones, each followed by those that it may contradict: neither is told without the other.

    Up to ten come along, and none that a clone has brought: it can name anything.
    """
    known = {one.id: one for one in chosen}
    naming = [one.record for one in found.values() if not known.keys().isdisjoint(unsettled(one.record))]
    naming = sorted(naming, key=lambda one: one.time)[-200:]
    pairs: dict[str, list[str]] = {one.id: unsettled(one) for one in chosen}
    for record in naming:
        for other in known.keys() & set(unsettled(record)):
            pairs[other].append(record.id)
    new = dict.fromkeys(name for one in chosen for name in pairs[one.id] if name in found and name not in known)
    ours = (name for name in new if is_alive(found[name].record, now) and wording(found[name].record) in own)
    rivals = {name: found[name].record for name in itertools.islice(ours, 10)}
    together = dict.fromkeys(name for one in chosen for name in (one.id, *pairs[one.id]))
    return [known.get(name) or rivals[name] for name in together if name in known or name in rivals]


Table = Mapping[bytes, tuple[int, tuple[str, ...]]]
"""What is compiled of the memory for prompts: word -> (its weight, 1 or 2 for a name; names of the records with it)."""


def table_of(records: Mapping[str, Record]) -> Table:
    """The telling words of these records, by their names."""
    words = cache(prompt_match.words)  # most words stand in many records
    holders: dict[bytes, list[str]] = {}
    names: set[bytes] = set()
    for name, record in records.items():
        content = {**record.content, "context": ""}  # what was worked on then says little
        said = "\n".join([record.title, *texts(record._replace(content=content)), *record.paths, record.code])
        own = set[bytes]().union(*map(words, map(_bytes, identifiers.identifiers(said))))
        names |= own
        for word in own.union(*map(words, prompt_match.tokens(_bytes(said)))):
            holders.setdefault(word, []).append(name)
    most = min(20, max(3, len(records) // 50), max(1, len(records) // 3))  # so many may hold a word that tells
    names.update(word for word in holders if b"-" in word)  # bug-12
    return {word: (2 if word in names else 1, tuple(of)) for word, of in holders.items() if len(of) <= most}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def fitting(table: Table, prompt: str) -> list[str]:
    """Names of the records that this prompt matches well, the best first; `table`: the rows of its words at least."""
    asked = prompt_match.words(_bytes(prompt))
    need = min(6, max(prompt_match.ENOUGH, -(-len(asked) // 5)))  # one of weight for every five words, at most six
    shared: Counter[str] = Counter()
    for word in asked:
        weight, names = table.get(word, (0, ()))
        for name in names:
            shared[name] += weight
    return sorted((name for name, weight in shared.items() if weight >= need), key=lambda name: (-shared[name], name))


def render(table: Table) -> str:
    """The table as JSON: the names, and of each word its weight and the places of its records among them."""
    places: dict[str, int] = {}
    words = {
        word.decode("latin-1"): [weight, *(places.setdefault(name, len(places)) for name in names)]
        for word, (weight, names) in table.items()
    }
    return dumps({"names": list(places), "words": words})


def rows(text: bytes, prompt: str) -> Table:
    """Of a text of `render` the rows of a prompt's words."""
    data = loads_object(text)
    names, words = data.get("names", []), data.get("words", {})
    asked = {word: words.get(word.decode("latin-1")) for word in prompt_match.words(_bytes(prompt))}
    return {word: (row[0], tuple(names[place] for place in row[1:])) for word, row in asked.items() if row}
