"""When the compiled forms of the memory are taken, and when they have to be made anew."""

import os
from pathlib import Path

import pytest

from holdfast.memory import cache, precomputed

NOW = 1_800_000_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory with one record and its compiled form, which holds until tomorrow."""
    (tmp_path / "decisions").mkdir()
    cache.make_cache(str(tmp_path))
    record = tmp_path / "decisions" / "one.md"
    record.write_text("one")
    told = {"until": NOW + 86_400, "folders": precomputed.dates(str(tmp_path))}
    precomputed.save(str(tmp_path), [["a", 1]], [str(record)], told)
    return tmp_path


def load(folder: Path, now: float = NOW, form: tuple[type, ...] = (str, int)) -> list[list[object]] | None:
    """What is taken."""
    return precomputed.load(str(folder), now, form)


def test_it_holds_while_nothing_changes(folder: Path) -> None:
    """As it was saved."""
    assert load(folder) == [["a", 1]]


def test_a_record_more_or_less_makes_it_old(folder: Path) -> None:
    """The folder's date tells it."""
    os.utime(folder / "decisions", ns=(1, 1))
    assert load(folder) is None


def test_an_edit_makes_it_old(folder: Path) -> None:
    """Of a record that it tells of."""
    os.utime(folder / "decisions" / "one.md", ns=(1, 1))
    assert load(folder) is None


def test_time_makes_it_old(folder: Path) -> None:
    """From the moment on that it names."""
    assert load(folder, NOW + 86_399) is not None
    assert load(folder, NOW + 86_400) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"v": 2}', '{"v": 1, "entries": []}'])
def test_what_is_torn_or_foreign_is_old(folder: Path, text: str) -> None:
    """And so are entries of another shape."""
    assert load(folder, form=(str, int, int)) is None
    assert load(folder, form=(str, str)) is None
    (folder / ".cache" / cache.START).write_text(text)
    assert load(folder) is None
