"""The memories that the benchmark makes up are such as the store writes itself, and such as maintenance leaves."""

import sys
from pathlib import Path

import pytest

from benchmarks.memory_scale.material import CALLED, Project, called, record, write
from benchmarks.search_scale import Made
from holdfast.memory import lifecycle, location, supersession
from holdfast.memory.record import KINDS, Record, texts, without_secrets, wording
from holdfast.memory.store import Memory

NOW = 1_800_000_000.0
NUMBER = 200


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a memory of NUMBER records."""
    made = Project(str(tmp_path), sys.executable)
    write(made.memory, NUMBER, NOW, 10)
    return made


def records(neglected: int) -> list[Record]:
    """As many made-up records as a memory with every age has, so many days after it was last looked after."""
    made = Made()
    return [record(made, number, NOW, neglected) for number in range(1_000)]


def test_records_are_what_one_would_keep() -> None:
    """Of all kinds, of the length of a memory, without secrets, with ids and codes of their own, never ahead of now."""
    found = records(10)
    assert {one.kind for one in found} == set(KINDS)
    assert all(300 < len("\n".join(texts(one))) < 700 for one in found)
    assert [supersession.rejection(one) for one in found] == [""] * len(found)
    assert [without_secrets(one) for one in found] == found
    assert len({one.id for one in found}) == len(found)
    assert len({one.code for one in found if one.code}) == len(found) // len(KINDS)
    assert max(one.time for one in found) <= called(NOW).time
    assert all(one.archived <= called(NOW).time for one in found)


def test_maintenance_has_work_of_the_days_without_it() -> None:
    """Some of each kind, and much more where nobody has looked after it."""
    due, more = (lifecycle.plan(records(days), {}, 0.0, NOW) for days in (10, 400))
    assert {action.kind for action in due} == set(KINDS)
    assert {action.verb for action in due} == {"archive", "delete"}
    assert 10 < len(due) < 100
    assert len(more) > 4 * len(due)


def test_what_is_written_is_read_as_written_here(project: Project, tmp_path: Path) -> None:
    """By the store, without a problem; the size is that of the texts."""
    memory = Memory(project.memory)
    found = memory.all()
    assert memory.scan().problems == []
    assert len(found) == NUMBER
    assert CALLED in {one.title for one in found}
    assert all(wording(one) in memory.written() for one in found)
    assert location.uses(memory.folder).since <= NOW - 365 * 86_400
    assert memory.uses() == {}
    size = write(f"{tmp_path}/other", NUMBER, NOW, 10)
    assert size == sum(len("\n".join([one.title, *texts(one)]).encode()) for one in found)
    files, tables, whole = project.sizes()
    assert 0 < size < files < files + tables < whole


def test_a_cold_cache_is_still_this_machines(project: Project) -> None:
    """What can be made again is gone, what cannot stays."""
    memory = Memory(project.memory)
    project.maintained("2027-01-15")
    kept = set(Path(memory.cache).iterdir())
    known = memory.catalogue()
    assert set(Path(memory.cache).iterdir()) > kept
    known.close()
    project.cold()
    assert set(Path(memory.cache).iterdir()) == kept
    memory = Memory(project.memory)
    assert all(wording(one) in memory.written() for one in memory.all())
