"""What a search of the memory finds, and that its index is never older than the files."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.memory import catalogue, search
from holdfast.memory.location import Name, make_cache
from holdfast.memory.markdown import render
from holdfast.memory.record import Record
from holdfast.memory.search import MemoryQuery
from holdfast.memory.store import Memory
from holdfast.text.dates import seconds
from tests.memory.memories import record

NOW = seconds("2026-12-01T00:00:00Z")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory(str(tmp_path / "memory"))
    for number, animal in enumerate(("walrus", "giraffe", "buffalo"), 1):
        made.add(learning(number, animal))
    return made


def learning(number: int, animal: str) -> Record:
    return record("learning", number, title=f"About {animal}", content={"lesson": f"A {animal} needs room"})


def found(memory: Memory, query: str, **more: object) -> list[int]:
    answers = search.search([memory], MemoryQuery(query, 10, **more), NOW)  # type: ignore[arg-type]
    return [int(one.record.id[:8], 16) for one in answers.best]


def test_answers_are_read_from_their_files(memory: Memory) -> None:
    """With the place where they stand, how many there are, and what cannot be read."""
    Path(memory.folder, "learnings", "torn.md").write_text("---\n")
    answers = search.search([memory], MemoryQuery("animal giraffe room", 1), NOW)
    (best,) = answers.best
    assert (best.record, Path(best.path).read_text().count("giraffe")) == (learning(2, "giraffe"), 3)
    assert (answers.total, answers.unread, best.score > 0) == (3, 1, True)


def test_a_large_memory_is_not_looked_through(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, looked: list[str]
) -> None:
    monkeypatch.setattr(catalogue, "SMALL", 2)
    monkeypatch.setattr(catalogue, "JUST_NOW", 0)
    assert found(memory, "walrus") == [1]
    looked.clear()
    assert (found(memory, "buffalo"), looked) == ([3], [])
    memory.add(learning(4, "heron"))
    Path(memory.folder, "learnings", "pulled.md").write_text(render(learning(5, "lynx")))
    assert (found(memory, "heron"), found(memory, "lynx"), looked) == ([4], [5], ["learnings"])


def test_an_edit_in_place_shows_at_its_answer(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large memory: the old words find it no more, and from then on the new ones do."""
    monkeypatch.setattr(catalogue, "SMALL", 2)
    monkeypatch.setattr(catalogue, "JUST_NOW", 0)
    assert found(memory, "giraffe") == [2]
    path = Path(memory.find("00000002-")[0])
    path.write_text(path.read_text().replace("giraffe", "flamingo"))
    assert (found(memory, "giraffe"), found(memory, "flamingo")) == ([], [2])


def test_of_two_files_with_one_id_the_first_counts(memory: Memory) -> None:
    first = Path(memory.find("00000001-")[0])
    second = first.with_name("z-copy.md")
    second.write_text(first.read_text().replace("walrus", "lynx"))
    answers = search.search([memory], MemoryQuery("walrus", 10), NOW)
    assert ([one.path for one in answers.best], answers.unread) == ([str(first)], 1)
    assert memory.scan().problems[0].path == str(second)
    assert found(memory, "lynx") == []
    first.unlink()
    assert (found(memory, "walrus"), found(memory, "lynx")) == ([], [1])
    second.with_name("a-copy.md").write_text(second.read_text())
    assert search.search([memory], MemoryQuery("lynx", 10), NOW).unread == 1


def test_what_somebody_else_put_in_the_place_of_the_catalogue_is_set_aside(memory: Memory) -> None:
    """A pull may write over it, also with one of the same tables that was made elsewhere."""
    path = Path(make_cache(memory.folder)) / Name.CATALOGUE
    assert found(Memory(memory.folder), "walrus") == [1]
    other = Memory(str(path.parent.parent.parent / "other"))
    other.add(learning(9, "walrus"))
    found(other, "walrus")
    del other
    theirs = (path.parent.parent.parent / "other" / ".cache" / Name.CATALOGUE).read_bytes()
    with closing(sqlite3.connect(path.with_name("notes"))) as notes:
        notes.execute("CREATE TABLE notes(n)")
    for foreign in (path.with_name("notes").read_bytes(), theirs):
        for one in path.parent.glob(f"{Name.CATALOGUE}*"):
            one.unlink()
        path.write_bytes(foreign)
        assert found(Memory(memory.folder), "walrus") == [1]
        assert Path(f"{path}.foreign").read_bytes() == foreign


def test_what_was_used_ranks_higher(memory: Memory) -> None:
    for number in (10, 11, 12):
        memory.add(learning(number, "badger"))
    before = found(memory, "badger")
    memory.used([learning(before[-1], "badger").id] * 5, NOW)
    assert found(memory, "badger")[0] == before[-1]
    assert found(memory, "badger", mode="relevance") == before


def test_what_is_forgotten_is_in_no_byte_of_the_cache(memory: Memory) -> None:
    """Of an index that a search has made, in which others are still found; nor after the next search."""
    assert found(memory, "walrus") == [1]
    cache = Path(memory.cache)
    assert b"walrus" in (cache / Name.CATALOGUE).read_bytes()
    memory.forget([learning(1, "walrus").id])
    assert [path.name for path in cache.rglob("*") if path.is_file() and b"walrus" in path.read_bytes()] == []
    assert (found(memory, "walrus"), found(memory, "giraffe")) == ([], [2])
    kept = {path.name: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    assert b"giraffe" in kept[Name.CATALOGUE]
    assert [name for name, data in kept.items() if b"walrus" in data or learning(1, "").id.encode() in data] == []
