import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.memory import files
from holdfast.memory.cache import CACHE, READ
from holdfast.memory.files import LARGEST, scan
from holdfast.memory.markdown import render
from holdfast.memory.record import check
from tests.memory.memories import mappings, record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory with a decision and an issue."""
    for number, kind in enumerate(("decision", "issue")):
        place = tmp_path / "memory" / f"{kind}s"
        place.mkdir(parents=True)
        (place / f"{kind}.md").write_text(render(record(kind, number, colour=["red"])))
    return tmp_path / "memory"


def opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that a scan opens."""
    names: list[str] = []
    real = files.read

    def noting(path: str, plain: bool = True) -> Any:
        names.append(os.path.basename(path))
        return real(path, plain)

    with monkeypatch.context() as patch:
        patch.setattr(files, "read", noting)
        scan(str(folder))
    return names


def test_what_was_read_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it changes; the records are the same from the cache."""
    first = scan(str(folder))
    assert opened(folder, monkeypatch) == []
    assert scan(str(folder)) == first
    assert [one.extra for _, one in first.records.values()] == [{"colour": ["red"]}] * 2
    (folder / "issues" / "issue.md").write_text(render(record("issue", 1, importance=9)))
    assert opened(folder, monkeypatch) == ["issue.md"]
    assert scan(str(folder)).records[record("issue", 1).id][1].importance == 9
    (folder / "issues" / "issue.md").unlink()
    assert list(scan(str(folder)).records) == [record("decision", 0).id]


@settings(max_examples=60)
@given(given=st.lists(mappings(), min_size=1, max_size=4))
def test_any_record_comes_out_of_the_cache_as_it_went_in(given: list[dict[str, Any]]) -> None:
    """Whatever stands in it, and however many of its values are as they mostly are."""
    with tempfile.TemporaryDirectory() as place:
        for number, fields in enumerate(given):
            path = Path(place, f"{fields['kind']}s", f"{number}.md")
            path.parent.mkdir(exist_ok=True)
            path.write_text(render(check({**fields, "id": record(number=number).id})))
        first = scan(place)
        assert len(first.records) == len(given)
        assert scan(place) == first


def test_what_an_earlier_scan_gave_is_taken_from_it(folder: Path) -> None:
    """Without a look into the cache; what has changed since is read."""
    first = scan(str(folder))
    (folder / CACHE / READ).unlink()
    assert scan(str(folder), first) == first
    assert not (folder / CACHE / READ).exists()
    (folder / "issues" / "issue.md").write_text(render(record("issue", 1, importance=9)))
    again = scan(str(folder), first).records
    assert [one.importance for _, one in again.values()] == [5, 9]
    assert again[record("decision", 0).id][1] is first.records[record("decision", 0).id][1]


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"garbage",
        b"0 0 old\n",
        b"\xff\xfe\n",
        b"%s" % files._HEAD.encode() + b"decisions/decision.md\tx\n\t\t\t\t\n",
    ],
    ids=["empty", "garbage", "version", "bytes", "lines"],
)
def test_the_cache_may_be_damaged_or_thrown_away(folder: Path, damage: bytes) -> None:
    """The files are the source."""
    first = scan(str(folder))
    (folder / CACHE / READ).write_bytes(damage)
    assert scan(str(folder)) == first
    assert scan(str(folder)) == first


def test_a_cached_line_of_another_shape_is_read_anew(folder: Path) -> None:
    """As after an update that kept the version by mistake."""
    first = scan(str(folder))
    path = folder / CACHE / READ
    path.write_text(path.read_text().replace('"decision", "2026', '"decision", 5, "2026'))
    assert scan(str(folder)) == first


def test_the_cache_stays_out_of_git(folder: Path) -> None:
    """It ignores itself, and nobody else may read it."""
    scan(str(folder))
    assert (folder / CACHE / ".gitignore").read_text() == "*\n"
    assert (folder / CACHE).stat().st_mode & 0o777 == 0o700
    assert (folder / CACHE / READ).stat().st_mode & 0o777 == 0o600


def test_a_cache_that_cannot_be_written_costs_only_time(folder: Path) -> None:
    """A file where its folder should be."""
    (folder / CACHE).write_text("")
    assert len(scan(str(folder)).records) == 2


def test_what_is_no_record_is_reported_and_left(folder: Path, tmp_path: Path) -> None:
    """Torn, foreign, binary, a link, a pipe, a folder, too large: path, what, what to do."""
    place = folder / "decisions"
    whole = (place / "decision.md").read_text()
    (tmp_path / "secret.txt").write_text(render(record("decision", 7)))
    (place / "torn.md").write_text(whole[:60])
    (place / "foreign.md").write_text("# Notes\n")
    (place / "binary.md").write_bytes(b"---\n\xff")
    (place / "empty.md").write_text("")
    (place / "large.md").write_text(whole + "x" * LARGEST)
    (place / "link.md").symlink_to(tmp_path / "secret.txt")
    (place / "folder.md").mkdir()
    os.mkfifo(place / "pipe.md")
    (place / "notes.txt").write_text("ignored")
    (place / ".hidden.md").write_text("ignored")
    before = sorted(path.name for path in place.iterdir())
    for _ in range(2):
        found = scan(str(folder))
        assert len(found.records) == 2
        told = {os.path.basename(problem.path): problem.what for problem in found.problems}
        assert {name: what.split(":")[0].split(" is ")[0][:24] for name, what in told.items()} == {
            "torn.md": "line 4",
            "foreign.md": "line 1",
            "binary.md": "byte 4",
            "empty.md": "line 1",
            "large.md": "it",
            "link.md": "it",
            "folder.md": "it",
            "pipe.md": "it",
        }
        assert all(problem.todo for problem in found.problems)
    assert sorted(path.name for path in place.iterdir()) == before


def test_doubles_are_reported_and_both_stay(folder: Path) -> None:
    """A copy has the same id; two branches may have made the same code."""
    place = folder / "decisions"
    (place / "copy.md").write_text((place / "decision.md").read_text())
    for number in (4, 5):
        (place / f"{number}.md").write_text(render(record("decision", number, code="DEC-2026-11-04-001")))
    found = scan(str(folder))
    assert [(os.path.basename(problem.path), problem.what) for problem in found.problems] == [
        ("decision.md", f"id: it has the id of {place / 'copy.md'}"),
        ("5.md", f"DEC-2026-11-04-001 is also the code of {place / '4.md'}"),
    ]
    assert len(found.records) == 4


def test_a_folder_that_is_not_there_is_an_empty_memory(tmp_path: Path) -> None:
    """And nothing is made of it."""
    assert scan(str(tmp_path / "none")).records == {}
    assert list(tmp_path.iterdir()) == []


def test_the_cache_forgets_single_records(folder: Path) -> None:
    """Nothing of them is left in it; without ids all goes."""
    scan(str(folder))
    gone = record("decision", 0).id
    files.forget_cache(str(folder), {gone})
    text = (folder / CACHE / READ).read_text()
    assert gone not in text
    assert record("issue", 1).id in text
    assert len(scan(str(folder)).records) == 2
    files.forget_cache(str(folder))
    assert (folder / CACHE / READ).read_bytes() == b""
