from pathlib import Path
from typing import Any

import pytest

from holdfast.memory import cache
from holdfast.memory.new_file import create
from tests.memory.memories import record


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """An empty memory."""
    cache.make_cache(str(tmp_path / "memory"))
    return str(tmp_path / "memory")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Adopt PostgreSQL over MongoDB!", "2026-11-04-adopt-postgresql-over-mongodb-00000000.md"),
        ("../../etc/passwd\x00", "2026-11-04-etc-passwd-00000000.md"),
        ("使用数据库", "2026-11-04-00000000.md"),
        ("x" * 100, f"2026-11-04-{'x' * 40}-00000000.md"),
    ],
    ids=["words", "path", "script", "long"],
)
def test_a_file_is_named_by_day_title_and_id(title: str, name: str, folder: str) -> None:
    """Safe letters only, whatever the title says."""
    assert create(folder, record("learning", title=title))[0] == f"{folder}/learnings/{name}"


def test_decisions_are_numbered_by_day(folder: str) -> None:
    """Each day from 001; a code that is given stays; a removed one is not given again that day."""
    days = ["2026-11-04", "2026-11-04", "2026-11-05", "2026-11-04"]
    made: list[Any] = [create(folder, record("decision", n, time=f"{day}T10:00:00Z")) for n, day in enumerate(days)]
    assert [stored.code[4:] for _, stored in made] == [
        "2026-11-04-001",
        "2026-11-04-002",
        "2026-11-05-001",
        "2026-11-04-003",
    ]
    assert made[3][0].endswith("/decisions/2026-11-04-003-adopt-postgresql-3-00000003.md")
    own = create(folder, record("decision", 8, code="DEC-2026-11-04-020"))[1]
    assert own is not None
    assert own.code == "DEC-2026-11-04-020"
    Path(made[3][0]).unlink()
    later = create(folder, record("decision", 9))[1]
    assert later is not None
    assert later.code == "DEC-2026-11-04-021"


def test_numbers_survive_the_loss_of_the_cache(folder: str) -> None:
    """The names of the files tell them."""
    create(folder, record("decision", 1))
    for path in Path(folder, ".cache", "codes").iterdir():
        path.unlink()
    stored = create(folder, record("decision", 2))[1]
    assert stored is not None
    assert stored.code == "DEC-2026-11-04-002"


@pytest.mark.parametrize("kind", ["decision", "learning"])
def test_what_is_there_already_stays_as_it_is(kind: str, folder: str) -> None:
    """Adding it again, as after a hook that was killed, doubles nothing."""
    path, stored = create(folder, record(kind, 1))
    assert stored
    before = Path(path).read_text()
    assert create(folder, record(kind, 1, importance=9)) == (path, None)
    assert Path(path).read_text() == before
    assert len(list(Path(path).parent.iterdir())) == 1
    assert not list(Path(folder, ".cache").glob("*.tmp"))


def test_without_links_the_file_is_renamed(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a file system that has none; still nothing is overwritten."""

    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr("holdfast.memory.new_file.os.link", refuse)
    path, stored = create(folder, record("learning", 1))
    assert stored
    assert "PostgreSQL holds the orders" in Path(path).read_text()
    assert create(folder, record("learning", 1))[1] is None
    assert not list(Path(folder, ".cache").glob("*.tmp"))


def test_two_decisions_whose_ids_begin_alike_are_both_kept(folder: str) -> None:
    """Eight digits of an id stand in the name; the whole of it decides."""
    first, second = (record("decision", 1, id=f"00000001-0000-4000-8000-00000000000{end}") for end in "ab")
    assert create(folder, first)[1] is not None
    assert create(folder, second)[1] is not None
    assert len(list(Path(folder, "decisions").iterdir())) == 2


@pytest.mark.parametrize("kind", ["decision", "issue", "state", "learning"])
def test_what_is_there_under_another_name_is_not_doubled(kind: str, folder: str) -> None:
    """The whole id tells; another record whose id begins alike gets its own file."""
    one = record(kind)
    there = create(folder, one)[0]
    assert create(folder, one._replace(title="Renamed since", time="2026-11-09T00:00:00Z")) == (there, None)
    assert create(folder, one._replace(title="Another", id=one.id[:-1] + "2"))[1]
