from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.store.whole import Archive, FolderArchive, MemoryArchive

TEXTS = ["one line", "two\nlines", "", "a zero \x00 and an emoji \U0001f600", "[looks like a head]\nand is not"]


@pytest.fixture(params=["memory", "folder"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    """Both kinds."""
    return MemoryArchive() if request.param == "memory" else FolderArchive(f"{tmp_path}/whole")


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_what_was_kept_is_read_back_whole(archive: Archive, text: str) -> None:
    """Each text under its own name, whatever it holds."""
    archive.keep("another", "first")
    name = archive.keep(text, "Bash make\ntest")
    archive.keep("a third", "last")
    assert archive.read(name) == text


@pytest.mark.parametrize("name", ["a9", "", "../a1", "a1.txt", "/etc/passwd"])
def test_an_unknown_name_is_refused(archive: Archive, name: str) -> None:
    """Names from a model are not trusted: none leads out of the archive."""
    archive.keep("text", "about")
    with pytest.raises(BadInput, match="no such text"):
        archive.read(name)


def test_names_are_short_and_never_taken_twice(tmp_path: Path) -> None:
    """A second archive on the same folder goes on counting."""
    folder = f"{tmp_path}/whole"
    first = FolderArchive(folder)
    assert [first.keep("x", ""), first.keep("y", "")] == ["a1", "a2"]
    second = FolderArchive(folder, shown="whole")
    name = second.keep("z", "")
    assert name == "a3"
    assert second.where(name) == "whole/a3.txt"
    assert (first.read("a1"), second.read("a3")) == ("x", "z")


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    """For people who look into the folder."""
    archive = FolderArchive(f"{tmp_path}/whole")
    archive.keep("ok", "Bash make\ntest")
    assert (tmp_path / "whole" / "a1.txt").read_text() == "[Bash make test]\nok"
    assert (tmp_path / "whole").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """Then nothing may leave the window."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"whole|file"):
        FolderArchive(f"{tmp_path}/file/whole").keep("x", "")
