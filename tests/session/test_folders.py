import math
import os
from pathlib import Path

from holdfast.hot import call_log, provenance
from holdfast.session import folders


def _folder(state: Path, name: str) -> Path:
    folder = state / "sessions" / name
    (folder / "archive" / "deep").mkdir(parents=True)
    call_log.create(str(folder / "calls.log"))
    (folder / "archive" / "deep" / "1.txt").write_text("y")
    return folder


def test_the_others_are_past(tmp_path: Path) -> None:
    """Not the present session, no file, no link, and no folder without the journal that each session gets."""
    present, other = _folder(tmp_path, "a"), _folder(tmp_path, "b")
    (tmp_path / "sessions" / "stray.txt").write_text("")
    (tmp_path / "sessions" / "link").symlink_to(other)
    for name, journal in (("plain", None), ("foreign", "notes of calls\n")):
        (tmp_path / "sessions" / name).mkdir()
        if journal:
            (tmp_path / "sessions" / name / "calls.log").write_text(journal)
    (tmp_path / "sessions" / "linked").mkdir()
    (tmp_path / "sessions" / "linked" / "calls.log").symlink_to(other / "calls.log")
    assert folders.past(str(tmp_path), str(present)) == [str(other)]
    assert folders.past(str(tmp_path / "nowhere"), "") == []


def test_behind_a_link_there_are_none(tmp_path: Path) -> None:
    """A clone may bring one, and what is past may be removed."""
    _folder(tmp_path / "elsewhere", "a")
    (tmp_path / "sessions").symlink_to(tmp_path / "elsewhere" / "sessions")
    assert folders.past(str(tmp_path / "elsewhere"), "") != []
    assert folders.past(str(tmp_path), "") == []


def test_the_last_use_is_that_of_the_newest_file(tmp_path: Path) -> None:
    """Or of the folder itself: one that was just made is new. What cannot be read is never old."""
    folder = _folder(tmp_path, "a")
    for path in (folder / "archive", folder):
        os.utime(path, (100, 100))
    os.utime(folder / "calls.log", (300, 300))
    assert folders.last_used(str(folder)) == 300
    os.utime(folder, (400, 400))
    assert folders.last_used(str(folder)) == 400
    assert folders.last_used(str(tmp_path / "gone")) == math.inf


def test_dates_are_set_back(tmp_path: Path) -> None:
    """To the last use; what is older keeps its date, and where a link leads nothing is dated."""
    folder = _folder(tmp_path, "a")
    (tmp_path / "outside").write_text("")
    (folder / "link").symlink_to(tmp_path / "outside")
    os.utime(folder / "archive", (100, 100))
    before = os.stat(tmp_path / "outside").st_mtime
    folders.set_back(str(folder), 200)
    assert folders.last_used(str(folder)) == 200
    assert os.stat(folder / "archive").st_mtime == 100
    assert os.stat(tmp_path / "outside").st_mtime == before
    folders.set_back(str(tmp_path / "gone"), 200)


def test_the_mark_of_the_folder_is_not_dated_back(tmp_path: Path) -> None:
    """Its date is what says that the session was made here."""
    folder = _folder(tmp_path, "a")
    made = provenance.marked(str(folder))
    folders.set_back(str(folder), 200)
    assert provenance.mark(str(folder)) == made != ""


def test_removed_with_all_that_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    """Where a link leads, everything stays."""
    folder, outside = _folder(tmp_path, "a"), tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    (folder / "to_folder").symlink_to(outside)
    (folder / "archive" / "to_file").symlink_to(outside / "kept.txt")
    assert folders.remove(str(folder)) >= 3
    assert not folder.exists()
    assert (outside / "kept.txt").read_text() == "kept"


def test_what_is_shown_of_a_session_does_not_lead_to_it() -> None:
    """The same for the same one, another for another; nothing of its id."""
    one, two = "3a6f6312-20f0-4443-a77f-85e4c5ba5e54", "3a6f6312-20f0-4443-a77f-85e4c5ba5e55"
    assert folders.shown(one) == folders.shown(one) != folders.shown(two)
    assert not any(part in folders.shown(one) for part in one.split("-"))
