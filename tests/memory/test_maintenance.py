from pathlib import Path

from holdfast.memory import maintenance
from holdfast.memory.markdown import render
from holdfast.memory.store import Memory
from holdfast.text.dates import iso, seconds
from tests.memory.memories import record

NOW = seconds("2026-12-01T10:00:00Z")


def test_once_a_day(tmp_path: Path) -> None:
    """A dry run does not count; the day ends at midnight UTC; forgetting something does not begin it anew."""
    memory = Memory(str(tmp_path / "memory"), lambda one: one)
    memory.add(record("issue", 1, expires=iso(NOW - 5)))
    memory.add(record("learning", 2, delete=True))
    assert maintenance.is_due(memory, NOW)
    assert [step.verb for step in maintenance.maintain(memory, NOW, dry=True).actions] == ["archive", "delete"]
    assert maintenance.is_due(memory, NOW)
    assert len(memory.all()) == 2
    maintenance.maintain(memory, NOW)
    assert [one.archived for one in memory.all()] == [iso(NOW)]
    assert not maintenance.is_due(memory, NOW + 3_600)
    memory.forget([record("issue", 1).id])
    assert not maintenance.is_due(memory, NOW + 3_600)
    assert maintenance.is_due(memory, NOW + 86_400)
    assert maintenance.maintain(memory, NOW + 86_400).actions == []


def test_stopped_half_way_it_goes_on(tmp_path: Path) -> None:
    """The plan is made anew from what stands: what was done is not done again, the rest is."""
    memory = Memory(str(tmp_path / "memory"), lambda one: one)
    for number in range(6):
        memory.add(record("issue", number, expires=iso(NOW - 5)))
    plan = maintenance.maintain(memory, NOW, dry=True).actions
    memory.carry_out([(step.verb, step.id, step.rule) for step in plan[:2]], iso(NOW - 1))
    assert len(maintenance.maintain(memory, NOW).actions) == 4
    assert sorted(one.archived for one in memory.all()) == [iso(NOW - 1)] * 2 + [iso(NOW)] * 4


def test_a_circle_is_taken_back(tmp_path: Path) -> None:
    """As a merge leaves it: the newest is in use again, the log says why, and the next day has nothing to do."""
    memory = Memory(str(tmp_path / "memory"), lambda one: one)
    first, second = record("decision", 1), record("decision", 2, time="2026-11-05T00:00:00Z")
    for one, other in ((first, second), (second, first)):
        memory.add(one._replace(archived=iso(NOW), superseded_by=other.id))
    assert [step.verb for step in maintenance.maintain(memory, NOW, dry=True).actions] == ["restore"]
    assert all(one.archived for one in memory.all())
    maintenance.maintain(memory, NOW)
    assert [(one.id, one.superseded_by) for one in memory.all() if not one.archived] == [(second.id, "")]
    assert f"restore {second.id} decision: superseded in a circle" in (tmp_path / "logs" / "memory.log").read_text()
    assert maintenance.maintain(memory, NOW).actions == []


def test_where_there_is_no_memory_none_is_made(tmp_path: Path) -> None:
    """Nor a log; of one in which nothing is due only the cache is made."""
    memory = Memory(str(tmp_path / "memory"), lambda one: one)
    assert maintenance.maintain(memory, NOW) == ([], [])
    assert list(tmp_path.iterdir()) == []
    memory.add(record("decision", time=iso(NOW)))
    assert maintenance.maintain(memory, NOW) == ([], [])
    assert list(tmp_path.iterdir()) == [tmp_path / "memory"]


def test_projects_that_share_a_folder_have_a_log_each(tmp_path: Path) -> None:
    """What is removed of one is not told among what is removed of another."""
    for name in ("a", "b"):
        memory = Memory(str(tmp_path / "memory" / name), lambda one: one)
        memory.add(record("issue", 1, expires=iso(NOW - 5)))
        maintenance.maintain(memory, NOW)
    logs = [path for path in tmp_path.rglob("memory.log") if path.read_text().count("\n") == 1]
    assert sorted(logs) == [tmp_path / "projects" / name / "logs" / "memory.log" for name in ("a", "b")]


def test_a_state_that_a_clone_calls_the_users_sets_none_of_the_users_aside(tmp_path: Path) -> None:
    """What counts is how far it is trusted here; the user's own newer one does."""
    memory = Memory(str(tmp_path / "memory"), lambda one: one)
    own, forged, newer = (
        record("state", number, time=iso(NOW - 90 + 10 * number), agent="user", trust="trusted") for number in range(3)
    )
    memory.add(own)
    (tmp_path / "memory" / "states" / "forged.md").write_text(render(forged))
    assert maintenance.maintain(memory, NOW).actions == []
    memory.add(newer)
    assert [(step.verb, step.id) for step in maintenance.maintain(memory, NOW).actions] == [("archive", own.id)]
