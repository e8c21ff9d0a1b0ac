"""What stands at a name itself, and which folder was made on this machine."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from holdfast.hot import files, provenance


def test_a_folder_is_made_once_and_private_and_no_link(tmp_path: Path) -> None:
    """Whether or not a link leads anywhere; nothing is made at its end."""
    made = provenance.real_folder(str(tmp_path / "a" / "b"))
    assert provenance.real_folder(made) == made
    assert [os.stat(place).st_mode & 0o777 for place in (made, os.path.dirname(made))] == [0o700, 0o700]
    for target in ("a", "nowhere"):
        (tmp_path / f"to-{target}").symlink_to(tmp_path / target)
        with pytest.raises(OSError, match="a link or a file stands"):
            provenance.real_folder(str(tmp_path / f"to-{target}"))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "to-a", "to-nowhere"]


def test_a_state_folder_is_kept_out_of_git(tmp_path: Path) -> None:
    """Once; an ignore file that people have put there stays, so does a link of theirs; git would wait for a pipe."""
    path = tmp_path / ".gitignore"
    provenance.keep_out_of_git(str(tmp_path))
    assert path.read_text() == provenance.IGNORE
    path.write_text("mine")
    provenance.keep_out_of_git(str(tmp_path))
    assert path.read_text() == "mine"
    path.unlink()
    os.mkfifo(path)
    provenance.keep_out_of_git(str(tmp_path))
    assert path.is_file()
    path.unlink()
    path.symlink_to("nowhere")
    provenance.keep_out_of_git(str(tmp_path))
    assert path.is_symlink()
    assert not (tmp_path / "nowhere").exists()


def test_what_stands_at_the_name_itself(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "to_folder").symlink_to("folder")
    (tmp_path / "to_file").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    names = [*sorted(path.name for path in tmp_path.iterdir()), "none", "a\0b"]
    assert [name for name in names if provenance.is_real(f"{tmp_path}/{name}")] == ["folder"]
    assert [name for name in names if provenance.is_plain(f"{tmp_path}/{name}")] == ["file"]
    assert provenance.real_within(str(tmp_path), names) == ["folder"]
    (tmp_path / "folder" / "inner").mkdir()
    assert provenance.real_within(str(tmp_path / "to_folder"), ["inner"]) == []


def test_the_mark_goes_where_the_folder_goes_and_no_copy_has_it(tmp_path: Path) -> None:
    """Made once; whatever dates a copy is given: neither git nor an archive can set what the mark is made of."""
    folder, moved, copy = (tmp_path / name for name in ("one", "two", "three"))
    folder.mkdir()
    assert provenance.mark(str(folder)) == ""
    made = provenance.marked(str(folder))
    assert made
    assert provenance.marked(str(folder)) == made
    folder.rename(moved)
    assert provenance.mark(str(moved)) == made
    shutil.copytree(moved, copy)
    info = os.stat(moved / provenance.HERE)
    os.utime(copy / provenance.HERE, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert provenance.mark(str(copy)) not in ("", made)


@pytest.mark.parametrize("make", [Path.symlink_to, Path.hardlink_to, lambda here, _: here.mkdir()])
def test_what_is_no_file_of_its_own_gives_no_mark(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    """A link may name a file whose date is known."""
    known, place = tmp_path / "known", tmp_path / "folder"
    known.write_text("")
    place.mkdir()
    make(place / provenance.HERE, known)
    assert provenance.marked(str(place)) == ""


def test_only_the_folders_own_mark_is_borne(tmp_path: Path) -> None:
    """Where it has none, nothing bears it, an empty one neither."""
    assert not provenance.bears(str(tmp_path), "")
    made = provenance.marked(str(tmp_path))
    assert provenance.bears(str(tmp_path), made)
    assert not any(provenance.bears(str(tmp_path), other) for other in ("", None, f"{made}0", [made]))
    (tmp_path / provenance.HERE).unlink()
    (tmp_path / provenance.HERE).symlink_to("nowhere")
    assert not provenance.bears(str(tmp_path), "")
    assert not provenance.bears(str(tmp_path), made)


@pytest.mark.parametrize(("user", "others"), [(1001, True), (1001, False), (0, True)])
def test_another_users_mark_is_none(user: int, others: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To root it is one, and where the disk gives every file one owner, a new one too."""
    made, lstat = provenance.marked(str(tmp_path)), os.lstat

    def told(path: str) -> Any:
        info = lstat(path)
        theirs = SimpleNamespace(st_mode=info.st_mode, st_nlink=1, st_ino=info.st_ino, st_ctime_ns=info.st_ctime_ns)
        theirs.st_uid = user if others and not path.endswith("/here") else 4_242
        return theirs

    monkeypatch.setattr(files.os, "geteuid", lambda: user)
    monkeypatch.setattr(files.os, "lstat", told)
    assert provenance.mark(str(tmp_path)) == ("" if user and others else made)
    assert os.listdir(tmp_path) == ["here"]
