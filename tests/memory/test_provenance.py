"""What this machine has written itself, and what a clone, a pull or a link brings, which is nobody's word here."""

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.hot import files
from holdfast.memory import location
from holdfast.memory.location import Name, Use
from holdfast.memory.record import saying, wording
from holdfast.memory.store import Memory
from tests.memory.memories import brought, record, step

WHEN = "2026-11-05T00:00:00Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    location.note(str(tmp_path / "memory"), Name.WRITTEN, [wording(record("learning"))])
    return tmp_path / "memory"


def test_a_cache_that_was_brought_along_counts_for_nothing(folder: Path, tmp_path: Path) -> None:
    """All of it copied with its dates: what it says is not read; our names and links go, other files stay."""
    (folder / ".cache" / "start.json").write_text("{}")
    (folder / ".cache" / "notes.txt").write_text("mine")
    (tmp_path / "precious").write_text("precious")
    (folder / ".cache" / "access.log").symlink_to(tmp_path / "precious")
    clone = tmp_path / "clone"
    shutil.copytree(folder, clone, symlinks=True)
    assert not location.is_ours(str(clone))
    assert wording(record("learning")) not in location.Marks(str(clone), Name.WRITTEN)
    location.make_cache(str(clone))
    assert location.is_ours(str(clone))
    assert sorted(os.listdir(clone / ".cache")) == [".gitignore", "here", "made", "made.lock", "notes.txt"]
    assert (tmp_path / "precious").read_text() == "precious"


def test_the_log_is_read_on_and_another_in_its_place_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A longer one, too; of what was read nothing is read again, whoever has added to it."""
    own, read = Memory(str(folder)), list[int]()

    def noting(*given: Any) -> bytes:
        data = files.read_from(*given)
        read.append(len(data))
        return data

    location.note_standing(str(folder), {f"{number}": f"{number}" for number in range(1_000)})
    assert "7" in own.written()
    monkeypatch.setattr(location, "read_from", noting)
    location.note_standing(str(folder), {"7": "other", "9": ""})
    assert [one in own.written() for one in ("7", "other", "9", "8")] == [False, True, False, True]
    assert max(read) < 200
    log = Path(own.cache, Name.WRITTEN)
    before = log.read_text()
    log.unlink()
    location.note_standing(str(folder), {"new": "new"})
    log.write_text(log.read_text() + "x" * len(before) + "\n")
    assert [one in own.written() for one in ("new", "other", "8")] == [True, False, False]


@pytest.mark.parametrize("name", ["here", "made"])
def test_a_mark_behind_a_link_is_none(folder: Path, tmp_path: Path, name: str) -> None:
    (folder / ".cache" / name).rename(tmp_path / name)
    (folder / ".cache" / name).symlink_to(tmp_path / name)
    assert not location.is_ours(str(folder))


def test_a_mark_covers_all_that_is_told_of_a_record() -> None:
    """A merge that adds a place, another importance or time, or sets it aside, makes it another than the one here."""
    one = record("learning", 1)
    told: dict[str, Any] = {
        "paths": ("a.py",),
        "importance": 9,
        "time": "2026-11-05T14:32:00Z",
        "tags": ("x",),
        "expires": one.time,
        "archived": one.time,
        "superseded_by": one.id,
        "delete": True,
    }
    marks = {wording(one._replace(**{name: value})) for name, value in told.items()}
    assert len(marks | {wording(one)}) == len(told) + 1


def test_a_mark_that_was_made_elsewhere_does_not_count_here(folder: Path, tmp_path: Path) -> None:
    """A pull may write over the logs, with what anybody can reckon or with what his own cache has."""
    one, evil = record("learning", 1), record("learning", 2)
    other = tmp_path / "other"
    location.note(str(other), Name.WRITTEN, [wording(evil)])
    location.note(str(other), Name.FORGOTTEN, [saying(one)])
    for name in ("written.log", "forgotten.log"):
        brought = (other / ".cache" / name).read_text()
        (folder / ".cache" / name).write_text(f"{wording(evil)}\n{saying(one)}\n{brought}")
    assert location.is_ours(str(folder))
    assert wording(evil) not in location.Marks(str(folder), Name.WRITTEN)
    assert saying(one) not in location.Marks(str(folder), Name.FORGOTTEN)
    location.note(str(folder), Name.WRITTEN, [wording(one)])
    assert wording(one) in location.Marks(str(folder), Name.WRITTEN)


def test_what_was_written_here_is_known(memory: Memory) -> None:
    """Also after a change of ours; what came with the repository does not become ours by one."""
    memory.add(record("issue", 1))
    path = Path(memory.add(record("issue", 2)).path)
    path.write_text(path.read_text().replace("number 2", "number 3"))
    for key in ("00000001", "00000002"):
        one = memory.get(key)
        memory.update(one._replace(content={**one.content, "status": "resolved"}))
    assert [wording(one) in memory.written() for one in memory.all()] == [True, False]


def test_only_what_people_forget_stays_forgotten(memory: Memory) -> None:
    """What has had its time may be said again, and what a clone has marked for removal was never the user's word."""
    first, old, theirs = (record("learning", number, delete=number == 3) for number in (1, 2, 3))
    memory.add(first)
    memory.add(old)
    brought(memory.folder, theirs)
    memory.forget([first.id])
    memory.carry_out([step("delete", old), step("delete", theirs)], WHEN)
    assert memory.all() == []
    assert [saying(one) in memory.forgotten() for one in (first, old, theirs)] == [True, False, False]


def test_a_code_that_another_record_has_stays_in_the_pages(memory: Memory) -> None:
    """A clone may give its record any code; where nobody else has it, its lines go."""
    code = "DEC-2026-11-04-001"
    kept, gone = record("decision", 1, code=code), record("decision", 2, code=code, delete=True)
    memory.add(kept)
    brought(memory.folder, gone)
    page = Path(memory.folder, "sessions", "2026-11-04-a.md")
    page.parent.mkdir()
    page.write_text(f"- {code} decided\n- [{gone.id[:8]}] brought\n")
    memory.carry_out([step("delete", gone)], WHEN)
    assert page.read_text() == f"- {code} decided\n"
    memory.forget([kept.id])
    assert page.read_text() == ""


CACHE = {"a file": "", "codes a file": "codes", "made a folder": "made/x", "a log a folder": "written.log/x"}


@pytest.mark.parametrize("name", CACHE.values(), ids=CACHE)
def test_what_stands_in_the_place_of_a_cache_is_set_aside(tmp_path: Path, name: str) -> None:
    """As an archive may bring it: the record is the user's word, what was there stays as it is, by another name."""
    path = tmp_path / "memory" / ".cache" / name
    path.parent.mkdir(parents=True)
    path.write_text("precious")
    Memory(str(tmp_path / "memory")).add(record("decision", 1, trust="trusted"))
    assert [one.trust for one in Memory(str(tmp_path / "memory")).in_use(1_800_000_000.0)] == ["trusted"]
    assert "precious" in [one.read_text(errors="replace") for one in tmp_path.rglob("*") if one.is_file()]


@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_a_link_in_the_memorys_place_is_refused(tmp_path: Path, target: str) -> None:
    """Whether or not it leads anywhere; nothing is made or removed at its end."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "start.json").write_text("precious")
    (tmp_path / "memory").symlink_to(tmp_path / target)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OSError, match="a link or a file stands"):
        location.make_cache(str(tmp_path / "memory"))
    assert sorted(tmp_path.rglob("*")) == before


def test_who_comes_second_empties_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looked before another process had made the cache; what that has noted meanwhile stays."""
    answers, look = iter([False]), location.is_ours
    monkeypatch.setattr(location, "is_ours", lambda folder: next(answers, True) and look(folder))
    location.note(str(folder), Name.WRITTEN, [wording(record("learning", 1))])
    written = location.Marks(str(folder), Name.WRITTEN)
    assert all(wording(record("learning", number)) in written for number in (0, 1))


def test_few_questions_are_answered_as_many_are(folder: Path) -> None:
    """A log is looked through for the first ones and then taken apart; of an id its last line counts either way."""
    place, several = str(folder), location.Marks(str(folder), Name.WRITTEN)
    noted = [{"a": "1"}, {"b": "1"}, {"a": "2"}, {"c": "3", "a": ""}, {"b": "2"}, {"d": "4"}, {"d": "5"}]
    expected = {"0": False, "1": False, "2": True, "3": True, "4": False, "5": True, "lone": True}
    for part in (noted[:4], noted[4:]):
        for one in part:
            location.note_standing(place, one)
        location.note(place, Name.WRITTEN, ["lone"])
    few = {name: name in location.Marks(place, Name.WRITTEN) for name in expected}
    many = [{name: name in several for name in expected} for _ in range(location.FEW)]
    assert [few, *many] == [expected] * (location.FEW + 1)


ONE, TWO = (record("learning", number).id for number in (1, 2))


def test_uses_are_counted_and_added_up(folder: Path) -> None:
    """The same before and after adding up; what is noted later is added to it; what is forgotten is nowhere."""
    place = str(folder)
    assert location.uses(place) == ({}, math.inf)
    location.note_uses(place, [ONE, TWO, ONE], 1_000.9)
    expected = {ONE: Use(2, 1_000), TWO: Use(1, 1_000)}
    assert location.uses(place) == (expected, math.inf)
    location.add_up(place, 1_500)
    location.note_uses(place, [ONE], 3_000)
    location.add_up(place, 4_000)
    assert location.uses(place) == ({**expected, ONE: Use(3, 3_000)}, 1_500)
    location.add_up(place, 1_400, {ONE})  # a clock that went ahead is put right
    assert location.uses(place) == ({TWO: Use(1, 1_000)}, 1_400)
    (folder / ".cache" / "access.log").write_text(f"{ONE} 10\n{ONE}\n{TWO} x\n{TWO} 1 2 3\n\n{ONE} 1")
    assert location.uses(place).of == {ONE: Use(2, 10)}


NOTING = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.hot import files
from holdfast.memory import location
for number in range(100):
    location.note_uses(sys.argv[2], [sys.argv[3]], number)
"""


def test_several_processes_note_at_once(folder: Path) -> None:
    hooks = str(Path(__file__).resolve().parents[2] / "hooks")
    running = [subprocess.Popen([sys.executable, "-c", NOTING, hooks, str(folder), ONE]) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert location.uses(str(folder)).of == {ONE: Use(400, 99)}
