import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.engine import archive as whole
from holdfast.engine.archive import Archive, ArchivedBlocks, FolderArchive, MemoryArchive
from holdfast.engine.blocks import Block, Kind
from holdfast.errors import BadInput

TEXTS = [
    "one line",
    "two\nlines",
    "",
    "a zero \x00 and an emoji \U0001f600",
    "[looks like a head]\nand is not",
    "half \ud83d of it",
]


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


def test_a_text_has_one_name_in_every_process(tmp_path: Path) -> None:
    """At the same time and later, so that a placeholder made anew is the one that was sent; no name stands for two."""
    code = (
        "import sys; from holdfast.engine.archive import FolderArchive\n"
        f"archive = FolderArchive({str(tmp_path / 'whole')!r})\n"
        "print([archive.keep(f'text {n}', 'x') for n in range(25)], [archive.keep(sys.argv[1], 'y') for _ in '12'])"
    )
    env = {"PYTHONPATH": ":".join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-B", "-c", code, str(n)], stdout=subprocess.PIPE, text=True, env=env)
        for n in range(3)
    ]
    printed = [process.communicate()[0].strip() for process in running]
    assert len({line.rpartition(" [")[0] for line in printed}) == 1
    archive = FolderArchive(f"{tmp_path}/whole")
    names = {path.stem for path in (tmp_path / "whole").glob("a*.txt")}
    assert names == {f"a{n}" for n in range(1, 29)}
    assert {archive.read(name) for name in names} == {*(f"text {n}" for n in range(25)), "0", "1", "2"}
    assert archive.keep("text 7", "x") in names
    assert archive.keep("text 7", "another first line") not in names


def test_a_text_that_cannot_be_written_takes_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And leaves no empty file behind."""

    def full(path: str, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    archive = FolderArchive(f"{tmp_path}/whole")
    archive.keep("x", "")
    with monkeypatch.context() as patch:
        patch.setattr(whole, "write_atomic", full)
        with pytest.raises(OSError, match="No space"):
            archive.keep("y", "")
    assert [path.name for path in (tmp_path / "whole").glob("*.txt")] == ["a1.txt"]
    assert archive.read(archive.keep("y", "")) == "y"


def test_a_window_stores_all_of_a_block_once() -> None:
    """Of an image its JSON."""
    archive = MemoryArchive()
    where, image = ArchivedBlocks(archive), Block("0.0", Kind.USER, "", 1_600, stored='{"type": "image"}')
    assert where(image) == where(image) == "a1"
    assert archive.read("a1") == '{"type": "image"}'
