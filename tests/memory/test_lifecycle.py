"""What has had its time: the tables row by row, and the maintenance that carries them out."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.memory import issues, lifecycle, location
from holdfast.memory.record import in_use, is_alive
from holdfast.memory.store import Memory, Step
from holdfast.session import aging
from holdfast.text.dates import DAY, iso, seconds
from holdfast.worklog import model
from tests.memory.memories import FIRST, brought, record

NOW = seconds("2027-06-01T00:00:00Z")


def days_ago(days: float) -> str:
    return iso(NOW - days * DAY)


def made(kind: str, age: float, number: int = 0, archived: float = 0, **more: Any) -> Any:
    status = {"status": more.pop("status")} if "status" in more else {}
    content = {FIRST[kind]: "Some words", **status}
    since = days_ago(archived) if archived else ""
    return record(kind, number, time=days_ago(age), archived=since, content=content, **more)


def plan(*records: Any, uses: dict[str, int] | None = None, counted: float = 1_000) -> list[Step]:
    return lifecycle.plan(records, uses or {}, NOW - counted * DAY, NOW)


def verdicts(*records: Any, uses: dict[str, int] | None = None) -> list[tuple[str, str]]:
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
    assert verdicts(one) == ([expected] if expected else [])


@pytest.mark.parametrize(("counted", "expected"), [(0, []), (180, []), (181, ["archive"]), (366, ["delete"])])
def test_never_used_is_known_since_uses_are_counted(counted: float, expected: list[str]) -> None:
    """A clone, or a cache that was thrown away, brings old records and no counts: everybody's lessons stay."""
    assert [action.verb for action in plan(made("learning", 900), counted=counted)] == expected


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


def upkeep(memory: Memory, days: float = 0) -> tuple[list[str], list[str]]:
    """(verbs of what maintenance does so many days later, of what it leaves to a later run)."""
    done = lifecycle.maintain(memory, NOW + days * DAY)
    return [step.verb for step in done.actions], [step.verb for step in done.waiting]


def test_once_a_day(memory: Memory) -> None:
    """A dry run does not count; the day ends at midnight UTC; forgetting something does not begin it anew."""
    memory.add(record("issue", 1, superseded_by=OTHER))
    memory.add(record("learning", 2, delete=True))
    for _ in range(2):
        assert lifecycle.is_due(memory, NOW)
        assert [step.verb for step in lifecycle.maintain(memory, NOW, dry=True).actions] == ["delete"]
    assert upkeep(memory) == (["delete"], [])
    assert not lifecycle.is_due(memory, NOW + 3_600)
    memory.forget([record("issue", 1).id])
    assert not lifecycle.is_due(memory, NOW + 3_600)
    assert lifecycle.is_due(memory, NOW + 86_400)
    assert upkeep(memory, 1) == ([], [])


def test_what_an_age_asks_for_is_done_in_a_second_run_a_day_later(memory: Memory) -> None:
    """Setting aside as well as removing; a dry run says what waits and is no run."""
    memory.add(made("issue", 40, 1, status="resolved"))
    memory.add(made("learning", 400, 2))
    memory.used([OTHER], NOW)
    location.add_up(memory.folder, NOW - 400 * DAY)
    assert [step.verb for step in lifecycle.maintain(memory, NOW - DAY, dry=True).waiting] == ["archive", "delete"]
    assert upkeep(memory) == ([], ["archive", "delete"])
    assert upkeep(memory, 0.1) == ([], ["archive", "delete"])
    assert len(memory.all()) == 2
    assert upkeep(memory, 1) == (["archive", "delete"], [])
    assert [(one.kind, bool(one.archived)) for one in memory.all()] == [("issue", True)]


@pytest.mark.parametrize(
    ("days", "hours"), [((0, 365, 366, 0.1), (0, 1, 2, 3)), ((365, 0.1, 366), (0, 10, 21))], ids=["once", "twice"]
)
def test_a_clock_a_year_ahead_takes_nothing_from_the_memory(
    days: tuple[float, ...], hours: tuple[float, ...], memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither at once, nor when it is put right, nor with one day more within an hour, nor when right in between."""
    for number in range(9):
        memory.add(made("learning", 100, number))
        memory.add(made("decision", 1, 20 + number, importance=2))
    location.add_up(memory.folder, NOW)
    for day, hour in zip(days, hours, strict=True):
        monkeypatch.setattr(aging, "counter", lambda hour=hour: ("boot", hour * 3_600.0))
        assert upkeep(memory, day)[0] == []
    assert [one.archived for one in memory.all()] == [""] * 18


def test_stopped_half_way_it_goes_on(memory: Memory) -> None:
    """The plan is made anew from what stands: what was done is not done again, the rest is."""
    for number in range(6):
        memory.add(record("issue", number, expires=iso(NOW - 5)))
    plan = lifecycle.maintain(memory, NOW).waiting
    memory.carry_out(plan[:2], iso(NOW - 1))
    assert upkeep(memory, 1) == (["archive"] * 4, [])
    assert sorted(one.archived for one in memory.all()) == [iso(NOW - 1)] * 2 + [iso(NOW + DAY)] * 4


def test_a_circle_is_taken_back(memory: Memory, tmp_path: Path) -> None:
    """As a merge leaves it: the newest is in use again, the log says why, and the next day has nothing to do."""
    first, second = record("decision", 1, time=iso(NOW - DAY)), record("decision", 2, time=iso(NOW))
    for one, other in ((first, second), (second, first)):
        memory.add(one._replace(archived=iso(NOW), superseded_by=other.id))
    assert [step.verb for step in lifecycle.maintain(memory, NOW, dry=True).actions] == ["restore"]
    assert all(one.archived for one in memory.all())
    lifecycle.maintain(memory, NOW)
    assert [(one.id, one.superseded_by) for one in memory.all() if not one.archived] == [(second.id, "")]
    assert f"restore {second.id} decision: superseded in a circle" in (tmp_path / "logs" / "memory.log").read_text()
    assert lifecycle.maintain(memory, NOW).actions == []


def test_of_a_long_row_of_states_no_file_is_read(memory: Memory, reads: list[str]) -> None:
    names = [record("state", number).id for number in range(10)]
    for number, after in enumerate([*names[1:], ""]):
        memory.add(made("state", 1, number, archived=1 if after else 0, superseded_by=after))
    reads.clear()
    assert upkeep(memory) == ([], [])
    assert len(reads) == 1


def test_a_state_that_a_clone_calls_the_users_sets_none_of_the_users_aside(memory: Memory) -> None:
    """What counts is how far it is trusted here; the user's own newer one does."""
    own, forged, newer = (
        record("state", number, time=iso(NOW - 90 + 10 * number), agent="user", trust="trusted") for number in range(3)
    )
    memory.add(own)
    brought(memory.folder, forged)
    assert lifecycle.maintain(memory, NOW).actions == []
    memory.add(newer)
    assert [(step.verb, step.id) for step in lifecycle.maintain(memory, NOW).actions] == [("archive", own.id)]


def one(number: int, by: int | None, day: int = 1, **more: Any) -> Any:
    """Decision `number` of a day, superseded by another one."""
    other = "" if by is None else record("decision", by).id
    return record("decision", number, time=f"2026-11-{day:02}T00:00:00Z", superseded_by=other, **more)


def holding(*records: Any) -> list[int]:
    return [int(name[:8], 16) for name in lifecycle.holding_in_circles(records)]


def test_the_newest_of_a_circle_holds() -> None:
    """What is marked for deletion holds nothing: the next one does, of a circle that goes altogether none."""
    assert holding(one(1, 2, 3), one(2, 1, 2)) == [1]
    assert holding(one(1, 2, 1), one(2, 3, 2), one(3, 1, 3)) == [3]
    assert holding(one(1, 2, 9, delete=True), one(2, 1, 1)) == [2]
    assert holding(one(1, 1, delete=True)) == []


@given(st.lists(st.one_of(st.none(), st.integers(0, 7)), min_size=1, max_size=8))
def test_any_web_ends_somewhere(to: list[int | None]) -> None:
    """Once the one of each circle that holds is back in use, whoever follows the marks comes to an end."""
    given_records = [one(number, by, number + 1) for number, by in enumerate(to)]
    held = lifecycle.holding_in_circles(given_records)
    mended = [in_use(record) if record.id in held else record for record in given_records]
    assert lifecycle.holding_in_circles(mended) == {}


@pytest.mark.parametrize("severity", ["critical", "high"])
def test_a_critical_issue_ends_by_its_resolution_alone(severity: str) -> None:
    """No expiry takes it away, and no plan that says "done"; a commit that names it, or `memory resolve`, does."""
    given = {"description": "BUG-7: balances are rounded", "severity": severity}
    one = record("issue", 1, content=given, expires=iso(NOW - DAY))
    is_critical = severity == "critical"
    assert is_alive(one, NOW) is is_critical
    assert bool(plan(one)) is not is_critical
    work = model.empty()
    work["todos"] = [{"text": "fix BUG-7", "status": "completed"}]
    assert bool(issues.found(one, work, "")) is not is_critical
    work["commits"] = ["1234abc Fix BUG-7"]
    assert issues.found(one, work, "now")["investigation_status"].startswith("resolved now: commit")
