"""Which records of the memory have had their time, and by which rule?

Rule: the table RULES, row by row as requirement J8 takes it from its source; what the user has marked for removal goes
first. A state is superseded when it says so, or when a newer one of the same owner stands. "Never used" counts from the
record's time, or from when uses were first counted here where that is later: a clone brings no counts. Beyond the
source, one row archives what has reached its expiry, and the newest of a circle of superseded records, as merges leave
them, is taken back into use.
What a rule says of an age is done in a second run (session/aging.py). The plan is a value: a dry run is the plan that
nobody applies; after an interruption it is made anew from what stands.
"""

import os
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from typing import AnyStr, NamedTuple

from holdfast.hot.files import names_in, read_text, write_atomic
from holdfast.hot.provenance import is_plain, real_within
from holdfast.memory import location, session_page
from holdfast.memory.briefing import section
from holdfast.memory.catalogue import Catalogue
from holdfast.memory.files import EVERY, Problem, StoredRecord, id_of
from holdfast.memory.location import COLLEAGUES, SHARED, Name, is_ours, make_cache
from holdfast.memory.record import RULE, Record, called, is_grave, is_resolved, trust_of
from holdfast.memory.store import PAGES, Memory, Step, Verb
from holdfast.memory.supersession import newest_states, owner
from holdfast.session import aging
from holdfast.text.dates import DAY, iso, seconds
from holdfast.text.quoting import is_carried

PAGES_KEPT = 50  # summaries of sessions


class Case(NamedTuple):
    """A record and what the rules ask of its surroundings. Times are in days."""

    record: Record
    age: float
    archived: float  # how long it is archived; 0 for one in use
    unused: float  # how long it is known not to have been used; 0 for one that was
    superseded: bool
    expired: bool


class Rule(NamedTuple):
    """One row: what is done with a record, its kind ("any" for all), the condition in words, and as a test."""

    verb: Verb
    kind: str
    words: str
    holds: Callable[[Case], bool]
    by_clock: bool = True  # whether it asks for an age


RULES = (
    Rule("delete", "any", "marked for deletion by the user", lambda one: one.record.delete, False),
    Rule(
        "delete",
        "decision",
        "importance <= 3 and archived > 365 days",
        lambda one: one.record.importance <= 3 and one.archived > 365,
    ),
    Rule(
        "delete",
        "issue",
        "resolved and archived > 180 days",
        lambda one: is_resolved(one.record) and one.archived > 180,
    ),
    Rule("delete", "state", "superseded and age > 90 days", lambda one: one.superseded and one.age > 90),
    Rule("delete", "learning", "never used and age > 365 days", lambda one: one.unused > 365),
    Rule(
        "archive",
        "decision",
        "importance <= 5 and age > 90 days",
        lambda one: one.record.importance <= 5 and one.age > 90 and section(one.record) != RULE,
    ),
    Rule("archive", "decision", "superseded by a newer decision", lambda one: one.superseded, False),
    Rule("archive", "issue", "resolved and age > 30 days", lambda one: is_resolved(one.record) and one.age > 30),
    Rule("archive", "state", "superseded by a newer state", lambda one: one.superseded, False),
    Rule("archive", "learning", "never used and age > 180 days", lambda one: one.unused > 180),
    Rule("archive", "any", "past its expiry", lambda one: one.expired and not is_grave(one.record)),
)
"""The first that fits is followed."""


def plan(records: Iterable[Record], uses: Container[str], since: float, now: float) -> list[Step]:
    """What the rules ask for now. uses: ids of those that were used; since: uses are counted; both epoch seconds."""
    given = list(records)
    held, newest = holding_in_circles(given), newest_states(given, now)
    steps = []
    for record, names in held.values():
        words = f"superseded in a circle ({', '.join(name[:8] for name in names)}), and the newest of it"
        steps.append(_step("restore", record, words))
    for record in given:
        made, older = seconds(record.time), record.kind == "state" and newest.get(owner(record), record).id != record.id
        case = Case(
            record,
            age=max(0.0, now - made) / DAY,
            archived=max(now - seconds(record.archived), 1.0) / DAY if record.archived else 0.0,
            unused=0.0 if record.id in uses else max(0.0, now - max(made, since)) / DAY,
            superseded=bool(record.superseded_by) or older,
            expired=bool(record.expires) and seconds(record.expires) < now,
        )
        steps += [] if record.id in held else _asked(case)
    return steps


def _asked(case: Case) -> list[Step]:
    for rule in RULES:
        is_done = rule.verb == "archive" and case.archived
        if not is_done and rule.kind in ("any", case.record.kind) and rule.holds(case):
            return [_step(rule.verb, case.record, rule.words, rule.kind)._replace(by_clock=rule.by_clock)]
    return []


def _step(verb: Verb, record: Record, words: str, kind: str = "") -> Step:
    return Step(verb, record.id, called(record), record.kind, record.title, f"{kind or record.kind}: {words}")


def holding_in_circles(records: Iterable[Record]) -> Mapping[str, tuple[Record, list[str]]]:
    """Id of the record that holds in each circle -> (it, ids of the circle).

    Merges and hand edits make several say of each other in a circle that the other one holds: then the newest of them
    does; one that is marked for deletion holds nothing.
    """
    after, held = {record.id: record for record in records}, dict[str, tuple[Record, list[str]]]()
    for names in circles({name: record.superseded_by for name, record in after.items() if record.superseded_by}):
        circle = sorted(map(after.__getitem__, names), key=lambda one: (one.delete, -seconds(one.time), one.id))
        if not circle[0].delete:
            held[circle[0].id] = circle[0], [one.id for one in circle]
    return held


def circles(after: Mapping[AnyStr, AnyStr]) -> Iterator[list[AnyStr]]:
    """What leads back to itself; after: id -> id of the one that holds in its place."""
    seen = set[AnyStr]()
    for start in after:
        way, at = dict[AnyStr, None](), start
        while at in after and at not in seen:
            seen.add(at)
            way[at] = None
            at = after[at]
        if at in way:
            yield list(way)[list(way).index(at) :]


class Upkeep(NamedTuple):
    """What maintenance does or would do, what it leaves to a later run, and the files that it cannot read."""

    actions: list[Step]
    waiting: list[Step]
    problems: list[Problem]


def maintain(memory: Memory, now: float, dry: bool = False, looked: Collection[int] = EVERY) -> Upkeep:
    """Archive and remove what has had its time, take back a circle of superseded records; dry: only say so.

    looked: PLACES whose files are looked at even in a large memory, in their order. Where there is no memory nothing
    is made. Raises OSError.
    """
    if not os.path.lexists(memory.folder):
        return Upkeep([], [], [])
    known, (uses, since) = memory.catalogue(looked), location.uses(memory.folder)
    known.count_uses(uses)
    given = _judged(_candidates(known, now), memory.written())
    steps = plan(given, uses, since, now)
    if not dry:
        make_cache(memory.folder)
    pages = _old_pages(memory, now)
    named = [*(f"{step.verb} {step.id}" for step in steps if step.by_clock), *pages]
    going = aging.due(memory.cache, named, now, note=not dry) if is_ours(memory.folder) else set()
    waiting = [step for step in steps if step.by_clock and f"{step.verb} {step.id}" not in going]
    actions = [step for step in steps if step not in waiting]
    if not dry:
        memory.carry_out(actions, iso(now))
        for page in going.intersection(pages):
            os.unlink(page)
        memory.tidy()
        write_atomic(f"{make_cache(memory.folder)}/{Name.MAINTAINED}", f"{iso(now)[:10]} {min(looked)}")
    return Upkeep(actions, waiting, known.problems())


def _candidates(known: Catalogue, now: float) -> list[StoredRecord]:
    """The records that a rule may ask for, or that it is judged by: all others are left unread."""
    after = known.select("SELECT id, holder FROM texts WHERE fault IS NULL AND holder NOT NULL")
    in_circles = (id_of(name) for circle in circles(dict(after)) for name in circle)
    tests = (
        "erase OR (archived AND since = '' AND holder NOT NULL)",
        "kind = 2 AND (holds OR time < :quarter)",
        "kind = 0 AND since != '' AND importance <= 3 AND since < :year",
        "kind = 0 AND since = '' AND importance <= 5 AND time < :quarter",
        "kind = 1 AND grave >= 4 AND (time < :month AND since = '' OR since < :half)",
        "kind = 3 AND used(id) = 0 AND time < :half AND (since = '' OR time < :year)",
        "since = '' AND expires != '' AND expires < :now",
    )
    days = {"year": 365, "half": 180, "quarter": 90, "month": 30, "now": 0}
    times = {name: now - number * DAY for name, number in days.items()}
    found = known.found(" OR ".join(f"({test})" for test in tests), times)
    return [*({one.record.id: one for one in found} | known.named(in_circles)).values()]


def _old_pages(memory: Memory, now: float) -> list[str]:
    """Paths of the summaries of sessions beyond the newest; what this machine has not written, a person's or a pull's,
    and what is dated ahead is none.
    """
    place, own = f"{memory.folder}/{PAGES}", memory.written()
    names = names_in(place) if real_within(memory.folder, [PAGES]) else ()
    dated = [name for name in names if name[:10] <= iso(now) and is_plain(f"{place}/{name}")]
    asked = dated if len(dated) > PAGES_KEPT else ()  # the log of marks is long
    ours = [name for name in asked if session_page.mark_of(name) in own]
    return [f"{place}/{name}" for name in ours[:-PAGES_KEPT]]


def _judged(found: Iterable[StoredRecord], own: Container[str]) -> Iterator[Record]:
    """The records of this machine; what is shared goes by nobody's clock but its users', a clone's state by none.

    Trust is judged of states alone: no rule asks that of the others.
    """
    for path, record, _ in found:
        trust = trust_of(record, own) if record.kind == "state" else record.trust
        is_shared = os.path.dirname(os.path.dirname(path)).endswith((f"/{SHARED}", f"/{COLLEAGUES}"))
        if not is_shared and (not is_carried(trust) or record.delete):
            yield record if trust == record.trust else record._replace(trust=trust)


def is_due(memory: Memory, now: float) -> bool:
    """Whether today's maintenance is still to come, by UTC."""
    return not is_ours(memory.folder) or read_text(f"{memory.cache}/{Name.MAINTAINED}", 10) != iso(now)[:10]


def in_turn(memory: Memory) -> range:
    """Every other one of PLACES, those that the last maintenance left out: half of 100,000 files take .4 s."""
    return EVERY[read_text(f"{memory.cache}/{Name.MAINTAINED}", 12)[11:] == "0" :: 2]
