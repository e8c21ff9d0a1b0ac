"""Which records of the memory have had their time, and by which rule?

Rule: the tables below, row by row as requirement J8 takes them from its source; a record that a row of DELETE fits is
removed, one that a row of ARCHIVE fits is set aside, and what the user has marked for removal goes first. A state is
superseded when it says so, or when a newer one of the same agent stands: what a short run beside it left behind sets
nothing aside, nor does one that is archived or dated ahead. Beyond the source, one row archives what has reached its
expiry (J3 keeps 5-7 for 30 days, 1-4 for 7), and the newest of a circle of superseded records is in use again.
The plan is a value: a dry run is the plan that nobody applies; after an interruption it is made anew from what stands.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from holdfast.core.dates import seconds
from holdfast.core.record import Record
from holdfast.policy.memory import circles, conflict, rehydrate

DAY = 86_400.0
ARCHIVE_VERB, DELETE_VERB, RESTORE_VERB = "archive", "delete", "restore"


class Case(NamedTuple):
    """A record and what the rules ask of its surroundings. age and archived in days; archived is 0 for one in use."""

    record: Record
    age: float
    archived: float
    uses: int
    superseded: bool
    now: float


class Rule(NamedTuple):
    """One row: kind ("any" for all), the condition in words, and as a test."""

    kind: str
    words: str
    holds: Callable[[Case], bool]


DELETE = (
    Rule("any", "marked for deletion by the user", lambda case: case.record.delete),
    Rule(
        "decision",
        "importance <= 3 and archived > 365 days",
        lambda case: case.record.importance <= 3 and case.archived > 365,
    ),
    Rule("issue", "resolved and archived > 180 days", lambda case: _resolved(case.record) and case.archived > 180),
    Rule("state", "superseded and age > 90 days", lambda case: case.superseded and case.age > 90),
    Rule("learning", "never used and age > 365 days", lambda case: case.uses == 0 and case.age > 365),
)
ARCHIVE = (
    Rule("decision", "importance <= 5 and age > 90 days", lambda case: case.record.importance <= 5 and case.age > 90),
    Rule("decision", "superseded by a newer decision", lambda case: case.superseded),
    Rule("issue", "resolved and age > 30 days", lambda case: _resolved(case.record) and case.age > 30),
    Rule("state", "superseded by a newer state", lambda case: case.superseded),
    Rule("learning", "never used and age > 180 days", lambda case: case.uses == 0 and case.age > 180),
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


def plan(records: Iterable[Record], uses: Mapping[str, int], now: float) -> list[Action]:
    """What the tables ask for now. uses: times of use by id; now: epoch seconds."""
    given = list(records)
    held = circles.holding(given)
    newest = _newest_states(given, now)
    cases = (_case(record, uses.get(record.id, 0), newest, now) for record in given if record.id not in held)
    return [
        *(_restored(record, names) for record, names in held.values()),
        *(action for case in cases if (action := _action(case))),
    ]


def _restored(record: Record, names: list[str]) -> Action:
    words = f"{record.kind}: superseded in a circle ({', '.join(name[:8] for name in names)}), and the newest of it"
    return Action(RESTORE_VERB, record.id, record.code or record.id[:8], record.kind, record.title, words)


def replaced(new: Record, others: Iterable[Record]) -> list[Record]:
    """The decisions in use that a new one takes the place of (J4); the user's own only by the user's word."""
    if new.kind != "decision":
        return []
    rivals = [old for old in others if old.kind == "decision" and old.id != new.id and not old.archived]
    older = [old for old in rivals if old.trust != "trusted" or new.trust == "trusted"]
    return [old for old in older if conflict.replaces(_choice(new), _choice(old))]


def _choice(record: Record) -> conflict.Choice:
    instead = [f"instead of {one}" for one in record.content["alternatives_considered"]]
    return conflict.Choice("; ".join([str(record.content["decision"]), *instead]), record.code)


def _action(case: Case) -> Action | None:
    rows = [(DELETE_VERB, rule) for rule in DELETE] + [(ARCHIVE_VERB, rule) for rule in ARCHIVE if not case.archived]
    record = case.record
    for verb, rule in rows:
        if rule.kind in ("any", record.kind) and rule.holds(case):
            words = f"{rule.kind}: {rule.words}"
            return Action(verb, record.id, record.code or record.id[:8], record.kind, record.title, words)
    return None


def _case(record: Record, uses: int, newest: Mapping[str, tuple[float, str]], now: float) -> Case:
    mark = (rehydrate.made(record, now), record.id)
    older = record.kind == "state" and newest.get(record.agent, mark) != mark
    archived = max(now - seconds(record.archived), 1.0) / DAY if record.archived else 0.0
    age = max(0.0, now - seconds(record.time)) / DAY
    return Case(record, age, archived, uses, bool(record.superseded_by) or older, now)


def _newest_states(records: Iterable[Record], now: float) -> dict[str, tuple[float, str]]:
    """Of each agent the newest state in use: (time, id)."""
    newest: dict[str, tuple[float, str]] = {}
    for record in records:
        if record.kind == "state" and not record.archived and not record.superseded_by:
            mark = (rehydrate.made(record, now), record.id)
            newest[record.agent] = max(newest.get(record.agent, mark), mark)
    return newest


def _resolved(record: Record) -> bool:
    return record.content.get("status") == "resolved"
