import math
import os
from pathlib import Path

from holdfast.store import sessions


def _folder(state: Path, name: str) -> Path:
    folder = state / "sessions" / name
    (folder / "archive" / "deep").mkdir(parents=True)
    (folder / "calls.log").write_text("x")
    (folder / "archive" / "deep" / "1.txt").write_text("y")
    return folder


def test_the_others_are_past(tmp_path: Path) -> None:
    """Not the present session, no file, no link."""
    present, other = _folder(tmp_path, "a"), _folder(tmp_path, "b")
    (tmp_path / "sessions" / "stray.txt").write_text("")
    (tmp_path / "sessions" / "link").symlink_to(other)
    assert sessions.past(str(tmp_path), str(present)) == [str(other)]
    assert sessions.past(str(tmp_path / "nowhere"), "") == []


def test_the_last_use_is_that_of_the_newest_file(tmp_path: Path) -> None:
    """Or of the folder itself: one that was just made is new. What cannot be read is never old."""
    folder = _folder(tmp_path, "a")
    for path in (folder / "archive", folder):
        os.utime(path, (100, 100))
    os.utime(folder / "calls.log", (300, 300))
    assert sessions.last_used(str(folder)) == 300
    os.utime(folder, (400, 400))
    assert sessions.last_used(str(folder)) == 400
    assert sessions.last_used(str(tmp_path / "gone")) == math.inf


def test_removed_with_all_that_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    """Where a link leads, everything stays."""
    folder, outside = _folder(tmp_path, "a"), tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    (folder / "to_folder").symlink_to(outside)
    (folder / "archive" / "to_file").symlink_to(outside / "kept.txt")
    assert sessions.remove(str(folder)) >= 3
    assert not folder.exists()
    assert (outside / "kept.txt").read_text() == "kept"
