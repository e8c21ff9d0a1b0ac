"""Which folders of a memory are its own, and which cache was made on this machine."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from holdfast.memory import cache as memory_cache
from tests.memory.memories import record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory with a cache that was made here, and one record noted in it."""
    memory_cache.note_written(str(tmp_path / "memory"), record("learning"))
    return tmp_path / "memory"


@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_a_link_in_a_folders_place_is_refused(tmp_path: Path, target: str) -> None:
    """Whether or not it leads anywhere; nothing is made at its end."""
    (tmp_path / "there").mkdir()
    (tmp_path / "memory").symlink_to(tmp_path / target)
    with pytest.raises(OSError, match="a link or a file stands"):
        memory_cache.make_cache(str(tmp_path / "memory"))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["memory", "there"]


def test_a_link_in_the_caches_place_is_refused(tmp_path: Path) -> None:
    """What it leads to stays as it is."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "start.json").write_text("precious")
    (tmp_path / "memory" / ".cache").symlink_to(tmp_path / "home")
    with pytest.raises(OSError, match="a link or a file stands"):
        memory_cache.make_cache(str(tmp_path / "memory"))
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["start.json"]


def test_a_cache_that_was_made_here_stays(folder: Path) -> None:
    """Private, out of git, and as it was; the date of the folder changes nothing."""
    cache = memory_cache.make_cache(str(folder))
    os.utime(cache, (1, 1))
    assert memory_cache.is_ours(str(folder))
    assert Path(memory_cache.make_cache(str(folder)), ".gitignore").read_text() == "*\n"
    assert memory_cache.wording(record("learning")) in memory_cache.written(str(folder))


def test_a_cache_that_was_brought_along_counts_for_nothing(folder: Path, tmp_path: Path) -> None:
    """All of it copied with its dates: what it says is not read; our names and links go, other files stay."""
    (folder / ".cache" / "start.json").write_text("{}")
    (folder / ".cache" / "notes.txt").write_text("mine")
    (tmp_path / "precious").write_text("precious")
    (folder / ".cache" / "access.log").symlink_to(tmp_path / "precious")
    clone = tmp_path / "clone"
    shutil.copytree(folder, clone, symlinks=True)
    assert not memory_cache.is_ours(str(clone))
    assert memory_cache.wording(record("learning")) not in memory_cache.written(str(clone))
    memory_cache.make_cache(str(clone))
    assert memory_cache.is_ours(str(clone))
    assert sorted(os.listdir(clone / ".cache")) == [".gitignore", "here", "made", "made.lock", "notes.txt"]
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize("name", ["here", "made"])
def test_a_mark_behind_a_link_is_none(folder: Path, tmp_path: Path, name: str) -> None:
    """A clone could lead to any file of the machine."""
    (folder / ".cache" / name).rename(tmp_path / name)
    (folder / ".cache" / name).symlink_to(tmp_path / name)
    assert not memory_cache.is_ours(str(folder))


def test_who_says_what_is_the_record(folder: Path) -> None:
    """Other words, another voice or another id were not written here."""
    own, one = memory_cache.written(str(folder)), record("learning")
    others = [one._replace(trust="trusted"), one._replace(title="x"), one._replace(content={"lesson": "x"})]
    assert memory_cache.wording(one._replace(archived="2026-11-05T00:00:00Z")) in own
    assert not any(memory_cache.wording(other) in own for other in [*others, record("learning", 2)])


def test_what_was_forgotten_is_known_by_its_words(folder: Path) -> None:
    """Whatever the id and the punctuation; the words themselves are not kept."""
    memory_cache.note_forgotten(str(folder), [record("learning", 1, content={"lesson": "Wombats, first."})])
    again = record("learning", 2, content={"lesson": "wombats first"})
    assert memory_cache.saying(again) in memory_cache.forgotten(str(folder))
    assert memory_cache.saying(record("learning", 3)) not in memory_cache.forgotten(str(folder))
    assert b"ombats" not in (folder / ".cache" / "forgotten.log").read_bytes()


def test_temporary_files_of_the_memory(folder: Path, tmp_path: Path) -> None:
    """In its own folders only, and plain files only."""
    for name in ("a.md.1.2.tmp", "learnings/b.tmp", ".cache/c.tmp", "learnings/d.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.tmp").touch()
    (folder / "sessions").symlink_to(tmp_path / "out")
    (folder / "e.tmp").symlink_to(tmp_path / "out" / "x.tmp")
    found = {os.path.basename(path) for path in memory_cache.leftovers(str(folder))}
    assert found == {"a.md.1.2.tmp", "b.tmp", "c.tmp"}


def test_a_mark_that_has_another_name_is_made_anew(folder: Path, tmp_path: Path) -> None:
    """A second link to it could be set up elsewhere."""
    os.link(folder / ".cache" / "here", tmp_path / "second")
    assert not memory_cache.is_ours(str(folder))
    memory_cache.make_cache(str(folder))
    assert memory_cache.is_ours(str(folder))


def test_a_mark_covers_all_that_is_told_of_a_record() -> None:
    """A merge that adds a place, another importance or time makes it another record than the one written here."""
    one = record("learning", 1)
    told: dict[str, Any] = {
        "paths": ("a.py",),
        "importance": 9,
        "time": "2026-11-05T14:32:00Z",
        "tags": ("x",),
        "expires": one.time,
    }
    marks = {memory_cache.wording(one._replace(**{name: value})) for name, value in told.items()}
    assert len(marks | {memory_cache.wording(one)}) == len(told) + 1
    aside = one._replace(archived=one.time, superseded_by=one.id)
    assert memory_cache.wording(aside) == memory_cache.wording(one)


def test_a_mark_that_was_made_elsewhere_does_not_count_here(folder: Path, tmp_path: Path) -> None:
    """A pull may write over the logs, with what anybody can reckon or with what his own cache has."""
    one, evil = record("learning", 1), record("learning", 2)
    other = tmp_path / "other"
    memory_cache.note_written(str(other), evil)
    memory_cache.note_forgotten(str(other), [one])
    for name in ("written.log", "forgotten.log"):
        brought = (other / ".cache" / name).read_text()
        (folder / ".cache" / name).write_text(f"{memory_cache.wording(evil)}\n{memory_cache.saying(one)}\n{brought}")
    assert memory_cache.is_ours(str(folder))
    assert memory_cache.wording(evil) not in memory_cache.written(str(folder))
    assert memory_cache.saying(one) not in memory_cache.forgotten(str(folder))
    memory_cache.note_written(str(folder), one)
    assert memory_cache.wording(one) in memory_cache.written(str(folder))


def test_who_comes_second_empties_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looked before another process had made the cache; what that has noted meanwhile stays."""
    answers, look = iter([False]), memory_cache.is_ours
    monkeypatch.setattr(memory_cache, "is_ours", lambda folder: next(answers, True) and look(folder))
    memory_cache.note_written(str(folder), record("learning", 1))
    written = memory_cache.written(str(folder))
    assert all(memory_cache.wording(record("learning", number)) in written for number in (0, 1))
