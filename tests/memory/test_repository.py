import os
import subprocess
from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.memory import repository


def fill(folder: Path, *names: str) -> None:
    """Files of one line each."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("one\n")


def git(folder: Path, *arguments: str) -> None:
    """Run git there."""
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def test_the_files_of_a_repository(tmp_path: Path) -> None:
    """Tracked ones and new ones; nothing ignored, no link, none that is gone, not our own state."""
    fill(tmp_path, "a.py", "src/b.py", "gone.py", "out.log", ".github/ci.yml", ".claude/holdfast/config.json")
    (tmp_path / ".gitignore").write_text("*.log\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    (tmp_path / "gone.py").unlink()
    fill(tmp_path, "new.py")
    (tmp_path / "link.py").symlink_to("a.py")
    assert repository.files(str(tmp_path)) == [".github/ci.yml", ".gitignore", "a.py", "new.py", "src/b.py"]


def test_a_repository_starts_no_program(tmp_path: Path) -> None:
    """Not even the one that its configuration names for watching files."""
    fill(tmp_path, "a.py")
    git(tmp_path, "init", "-q")
    watcher, seen = tmp_path / "watch.sh", tmp_path / "seen"
    watcher.write_text(f"#!/bin/sh\ntouch {seen}\n")
    watcher.chmod(0o700)
    git(tmp_path, "config", "core.fsmonitor", str(watcher))
    assert "a.py" in repository.files(str(tmp_path))
    assert not seen.exists()


def test_without_a_repository(tmp_path: Path) -> None:
    """The folders are walked, those of packages and hidden ones left out."""
    fill(tmp_path, "a.py", "src/b.py", "node_modules/x/y.js", ".venv/z.py", "README.md")
    assert repository.files(str(tmp_path)) == ["README.md", "a.py", "src/b.py"]


def test_a_file(tmp_path: Path) -> None:
    """With its size and its last change; at most its first bytes."""
    fill(tmp_path, "src/b.py")
    found = repository.read(str(tmp_path), "src/b.py", 2)
    assert (found.path, found.size, found.data) == ("src/b.py", 4, b"on")
    assert found.changed == (tmp_path / "src" / "b.py").stat().st_mtime
    assert repository.head(str(tmp_path), "src/b.py", 100) == "one\n"


@pytest.mark.parametrize(
    "name", ["passwd", "folder/passwd", "../secret", "inner/../../secret", "nothing", "pipe", "inner"]
)
def test_what_is_not_opened(tmp_path: Path, name: str) -> None:
    """Links out of the project, paths upwards, pipes, folders, what is not there: refused at once."""
    project = tmp_path / "project"
    fill(tmp_path, "secret", "project/inner/a")
    (project / "passwd").symlink_to("/etc/passwd")
    (project / "folder").symlink_to("/etc")
    os.mkfifo(project / "pipe")
    with pytest.raises(BadInput):
        repository.read(str(project), name)
    assert repository.head(str(project), name, 100) == ""


def test_a_link_within_the_project_is_followed(tmp_path: Path) -> None:
    """Also where the project itself is reached by a link."""
    fill(tmp_path, "project/a")
    (tmp_path / "project" / "b").symlink_to("a")
    (tmp_path / "way").symlink_to("project")
    assert repository.read(str(tmp_path / "way"), "b").data == b"one\n"
    assert repository.lies(str(tmp_path / "way"), "b")


def test_no_text_has_no_beginning(tmp_path: Path) -> None:
    """A file with a zero byte is none."""
    (tmp_path / "a").write_bytes(b"\x7fELF\0")
    assert repository.head(str(tmp_path), "a", 100) == ""
