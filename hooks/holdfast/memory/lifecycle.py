"""Which records of the memory have had their time, and by which rule?

Rule: the tables below, row by row as requirement J8 takes them from its source; a record that one of DELETE_ROWS
fits is removed, one that one of ARCHIVE_ROWS fits is set aside, and what the user has marked for removal goes first. A
state is superseded when it says so, or when a newer one of the same agent (the user, an assistant) stands; one that is
archived or dated ahead sets nothing aside. "Never used" counts from the record's time, or from when uses were first
counted here where that is later: a clone brings no counts. Beyond the source, one row archives what has reached its
expiry, and the newest of a circle of superseded records is in use again. What takes the place of what when a record is
stored: supersession.py.
The plan is a value: a dry run is the plan that nobody applies; after an interruption it is made anew from what stands.
"""

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from holdfast.hot.files import read_text, write_atomic
from holdfast.memory import location
from holdfast.memory.files import Problem
from holdfast.memory.location import MAINTAINED, is_ours, make_cache
from holdfast.memory.record import (
    ARCHIVE,
    DELETE,
    RESTORE,
    Record,
    called,
    holding_in_circles,
    is_resolved,
    trust_of,
)
from holdfast.memory.store import Memory
from holdfast.memory.supersession import newest_states, owner
from holdfast.text.dates import DAY, iso, seconds


class Case(NamedTuple):
    """A record and what the rules ask of its surroundings. Times are in days."""

    record: Record
    age: float
    archived: float
    """How long it is archived; 0 for one in use."""
    unused: float
    """How long it is known not to have been used; 0 for one that was."""
    superseded: bool
    now: float


class Rule(NamedTuple):
    """One row: kind ("any" for all), the condition in words, and as a test."""

    kind: str
    words: str
    holds: Callable[[Case], bool]


DELETE_ROWS = (
    Rule("any", "marked for deletion by the user", lambda case: case.record.delete),
    Rule(
        "decision",
        "importance <= 3 and archived > 365 days",
        lambda case: case.record.importance <= 3 and case.archived > 365,
    ),
    Rule(
        "issue",
        "resolved and archived > 180 days",
        lambda case: is_resolved(case.record) and case.archived > 180,
    ),
    Rule("state", "superseded and age > 90 days", lambda case: case.superseded and case.age > 90),
    Rule("learning", "never used and age > 365 days", lambda case: case.unused > 365),
)
ARCHIVE_ROWS = (
    Rule("decision", "importance <= 5 and age > 90 days", lambda case: case.record.importance <= 5 and case.age > 90),
    Rule("decision", "superseded by a newer decision", lambda case: case.superseded),
    Rule("issue", "resolved and age > 30 days", lambda case: is_resolved(case.record) and case.age > 30),
    Rule("state", "superseded by a newer state", lambda case: case.superseded),
    Rule("learning", "never used and age > 180 days", lambda case: case.unused > 180),
    Rule("any", "past its expiry", lambda case: bool(case.record.expires) and seconds(case.record.expires) < case.now),
)


class Action(NamedTuple):
    """What is to be done with a record, and the rule that says so."""

    verb: str
    id: str
    name: str
    """Its code, or the beginning of its id."""
    kind: str
    title: str
    rule: str


class Counts(NamedTuple):
    """What is known of the uses of records: times by id, and since when they are counted, epoch seconds."""

    uses: Mapping[str, int]
    since: float


def plan(records: Iterable[Record], counts: Counts, now: float) -> list[Action]:
    """What the tables ask for now. now: epoch seconds."""
    given = list(records)
    held = holding_in_circles(given)
    newest = newest_states(given, now)
    cases = (_case(record, counts, newest, now) for record in given if record.id not in held)
    return [
        *(_restored(record, names) for record, names in held.values()),
        *(action for case in cases if (action := _action(case))),
    ]


def _restored(record: Record, names: list[str]) -> Action:
    words = f"{record.kind}: superseded in a circle ({', '.join(name[:8] for name in names)}), and the newest of it"
    return _step(RESTORE, record, words)


def _action(case: Case) -> Action | None:
    rows = [(DELETE, rule) for rule in DELETE_ROWS] + [(ARCHIVE, rule) for rule in ARCHIVE_ROWS if not case.archived]
    record = case.record
    for verb, rule in rows:
        if rule.kind in ("any", record.kind) and rule.holds(case):
            return _step(verb, record, f"{rule.kind}: {rule.words}")
    return None


def _step(verb: str, record: Record, rule: str) -> Action:
    return Action(verb, record.id, called(record), record.kind, record.title, rule)


def _case(record: Record, counts: Counts, newest: Mapping[tuple[str, bool], Record], now: float) -> Case:
    older = record.kind == "state" and newest.get(owner(record), record).id != record.id
    archived = max(now - seconds(record.archived), 1.0) / DAY if record.archived else 0.0
    made = seconds(record.time)
    unused = 0.0 if counts.uses.get(record.id) else max(0.0, now - max(made, counts.since)) / DAY
    return Case(record, max(0.0, now - made) / DAY, archived, unused, bool(record.superseded_by) or older, now)


class Upkeep(NamedTuple):
    """What maintenance does or would do, and the files that it cannot read."""

    actions: list[Action]
    problems: list[Problem]


def maintain(memory: Memory, now: float, dry: bool = False) -> Upkeep:
    """Archive and remove what has had its time, take back a circle of superseded records; dry: only say so.

    Where there is no memory nothing is made. Raises OSError.
    """
    if not os.path.lexists(memory.folder):
        return Upkeep([], [])
    scan, uses = memory.scan(), {name: use.times for name, use in memory.uses().items()}
    counts = Counts(uses, location.counted_since(memory.folder))
    steps = plan(_judged((record for _, record in scan.records.values()), memory.written()), counts, now)
    if not dry:
        memory.carry_out([(step.verb, step.id, step.rule) for step in steps], iso(now), scan)
        memory.tidy()
        write_atomic(f"{make_cache(memory.folder)}/{MAINTAINED}", iso(now)[:10])
    return Upkeep(steps, scan.problems)


def _judged(records: Iterable[Record], own: Container[str]) -> Iterator[Record]:
    """The records, a state of the user's only as far as it is trusted here: no rule asks that of the others."""
    for record in records:
        is_users = record.kind == "state" and record.trust == "trusted"
        yield record._replace(trust=trust_of(record, own)) if is_users else record


def is_due(memory: Memory, now: float) -> bool:
    """Whether today's maintenance is still to come, by UTC."""
    return not is_ours(memory.folder) or read_text(f"{memory.cache}/{MAINTAINED}", 10) != iso(now)[:10]
