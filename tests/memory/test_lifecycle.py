import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.memory import lifecycle
from holdfast.memory.lifecycle import ARCHIVE_ROWS, DELETE_ROWS, Action, Counts
from holdfast.text.dates import DAY, iso, seconds
from tests.memory.memories import FIRST, record

NOW = seconds("2027-06-01T00:00:00Z")


def days_ago(days: float) -> str:
    """A time so many days before now."""
    return iso(NOW - days * DAY)


def made(kind: str, age: float, number: int = 0, archived: float = 0, **more: Any) -> Any:
    """A record of this age, archived so many days ago if at all."""
    status = {"status": more.pop("status")} if "status" in more else {}
    content = {FIRST[kind]: "Some words", **status}
    since = days_ago(archived) if archived else ""
    return record(kind, number, time=days_ago(age), archived=since, content=content, **more)


def plan(*records: Any, uses: dict[str, int] | None = None, counted: float = 1_000) -> list[Action]:
    """What is to be done, where uses have been counted for so many days."""
    return lifecycle.plan(records, Counts(uses or {}, NOW - counted * DAY), NOW)


def verdicts(*records: Any, uses: dict[str, int] | None = None) -> list[tuple[str, str]]:
    """(verb, rule) of each action."""
    return [(action.verb, action.rule) for action in plan(*records, uses=uses)]


NEWER = ("archive", "decision: superseded by a newer decision")
OLD = ("delete", "decision: importance <= 3 and archived > 365 days")
OTHER = "00000009-1111-4111-8111-111111111111"


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (made("decision", 91, importance=5), ("archive", "decision: importance <= 5 and age > 90 days")),
        (made("decision", 90, importance=5), None),
        (made("decision", 91, importance=6), None),
        (made("decision", 1, importance=9, superseded_by=OTHER), NEWER),
        (made("issue", 31, status="resolved"), ("archive", "issue: resolved and age > 30 days")),
        (made("issue", 30, status="resolved"), None),
        (made("issue", 400, status="open"), None),
        (made("state", 1, superseded_by=OTHER), ("archive", "state: superseded by a newer state")),
        (made("state", 900), None),
        (made("learning", 181), ("archive", "learning: never used and age > 180 days")),
        (made("learning", 180), None),
        (made("decision", 400, archived=366, importance=3), OLD),
        (made("decision", 400, archived=365, importance=3), None),
        (made("decision", 900, archived=800, importance=4), None),
        (made("issue", 400, archived=181, status="resolved"), ("delete", "issue: resolved and archived > 180 days")),
        (made("issue", 400, archived=180, status="resolved"), None),
        (made("issue", 400, archived=399, status="open"), None),
        (made("state", 91, superseded_by=OTHER), ("delete", "state: superseded and age > 90 days")),
        (made("state", 90, archived=80, superseded_by=OTHER), None),
        (made("learning", 366), ("delete", "learning: never used and age > 365 days")),
        (made("learning", 365, archived=10), None),
        (made("decision", 1, importance=10, delete=True), ("delete", "any: marked for deletion by the user")),
        (made("issue", 1, expires=days_ago(0.1)), ("archive", "any: past its expiry")),
        (made("issue", 1, expires=days_ago(-1)), None),
    ],
)  # fmt: skip
def test_each_row_of_the_tables(one: Any, expected: tuple[str, str] | None) -> None:
    """Just beyond its bound it holds, at the bound it does not."""
    assert verdicts(one) == ([expected] if expected else [])


def test_the_tables_have_the_rows_of_the_source() -> None:
    """Five to delete, five to archive, and the expiry of J3."""
    assert [rule.kind for rule in DELETE_ROWS] == ["any", "decision", "issue", "state", "learning"]
    assert [rule.kind for rule in ARCHIVE_ROWS] == ["decision", "decision", "issue", "state", "learning", "any"]


def test_a_used_learning_stays() -> None:
    """However old it is."""
    one = made("learning", 900)
    assert verdicts(one, uses={one.id: 1}) == []


@pytest.mark.parametrize(("counted", "expected"), [(0, []), (180, []), (181, ["archive"]), (366, ["delete"])])
def test_never_used_is_known_since_uses_are_counted(counted: float, expected: list[str]) -> None:
    """A clone, or a cache that was thrown away, brings old records and no counts: everybody's lessons stay."""
    assert [action.verb for action in plan(made("learning", 900), counted=counted)] == expected


def test_uses_that_were_never_counted_say_nothing() -> None:
    """The time since when is infinite then."""
    assert lifecycle.plan([made("learning", 900)], Counts({}, math.inf), NOW) == []


def test_a_newer_state_sets_the_older_of_the_same_agent_aside() -> None:
    """What another agent says, such as the user, sets nothing aside; of two at once one stays."""
    rule = "state: superseded by a newer state"
    main, older, child = made("state", 2), made("state", 3, number=1), made("state", 1, number=2, agent="child")
    assert [(action.id, action.rule) for action in plan(main, older, child)] == [(older.id, rule)]
    assert len(plan(main, made("state", 2, number=3))) == 1


def test_what_is_archived_or_dated_ahead_sets_no_state_aside() -> None:
    """A clock that went wrong, here or on the machine that a record came from."""
    good, gone = made("state", 2), made("state", -3650, number=1, archived=1, superseded_by=OTHER)
    assert plan(good, gone) == []
    assert [action.id for action in plan(good, made("state", 1, number=1, archived=1))] == []
    ahead = made("state", -3650, number=2)
    assert [action.id for action in plan(good, ahead)] == [ahead.id]
    assert plan(ahead) == []
    assert len(plan(good, made("state", -0.5, number=3))) == 1


@given(
    ages=st.lists(
        st.tuples(
            st.sampled_from(["decision", "issue", "state", "learning"]),
            st.floats(0, 900),
            st.sampled_from([0.0, 100.0, 400.0]),
            st.integers(1, 10),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_a_plan_that_is_carried_out_leaves_at_most_deletions(ages: list[tuple[str, float, float, int, bool]]) -> None:
    """At most one action a record; the user's mark always wins; archiving twice is not planned."""
    records = [
        made(kind, age, number, archived, importance=weight, delete=marked)
        for number, (kind, age, archived, weight, marked) in enumerate(ages)
    ]
    actions = {action.id: action for action in plan(*records)}
    assert len(actions) == len(plan(*records))
    assert all(actions[one.id].rule == "any: marked for deletion by the user" for one in records if one.delete)
    after = [
        one._replace(archived=one.archived or iso(NOW)) if one.id in actions else one
        for one in records
        if one.id not in actions or actions[one.id].verb == "archive"
    ]
    assert all(action.verb == "delete" for action in plan(*after))


def test_the_newest_of_a_circle_is_in_use_again() -> None:
    """It is named with its circle and neither archived nor removed; the others are superseded still."""
    first, second = (made("decision", 10 - number, number, archived=1) for number in (1, 2))
    ring = [first._replace(superseded_by=second.id), second._replace(superseded_by=first.id)]
    (action,) = plan(*ring)
    assert (action.verb, action.id) == ("restore", second.id)
    assert action.rule == "decision: superseded in a circle (00000002, 00000001), and the newest of it"
    marked = [ring[0], ring[1]._replace(delete=True)]
    assert [(one.verb, one.id) for one in plan(*marked)] == [("restore", first.id), ("delete", second.id)]
