"""Programs by name, and the folders that the environment names."""

import os
from pathlib import Path

import pytest

from holdfast.hot.programs import own_folders, program, settle


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a program in each folder, the current folder within it, and one of the user's outside."""
    top = tmp_path / "home" / "clone"
    for folder in (top, top / "bin", top / "src" / "bin", tmp_path / "home" / "bin"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "claude").write_text("#!/bin/sh\n")
        (folder / "claude").chmod(0o755)
    (top / ".git").mkdir()
    (tmp_path / "linked").symlink_to(top / "bin")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "claude").symlink_to(top / "claude")
    (top / "alias").mkdir()
    (top / "alias" / "claude").symlink_to(tmp_path / "home" / "bin" / "claude")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(top / "src")
    return top


WAYS = (
    *(".", "", "bin", "./bin", "../bin", "{top}", "{top}/bin", "{top}/src/../bin"),
    *("{root}/linked", "{root}/other", "{top}/alias"),
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("project", ["", "{top}/src"])
def test_no_program_of_a_clone_is_found(clone: Path, tmp_path: Path, way: str, project: str) -> None:
    """However PATH leads there; the user's own is found behind it."""
    own = tmp_path / "home" / "bin"
    path = f"{way.format(top=clone, root=tmp_path)}:{own}"
    assert program("claude", path, project.format(top=clone)) == f"{own}/claude"
    assert program("claude", path.rpartition(":")[0] or ":", project.format(top=clone)) == ""


def test_a_home_that_is_a_repository_keeps_its_programs(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the user's own; so it is when one stands in the home."""
    home = tmp_path / "home"
    (home / ".git").mkdir()
    for here in (clone, home):
        monkeypatch.chdir(here)
        assert program("claude", str(home / "bin")) == f"{home}/bin/claude"
    assert program("claude", str(clone)) == f"{clone}/claude"  # as seen from the home, which nobody has cloned


def test_what_the_environment_names_is_whole_or_nothing(clone: Path, tmp_path: Path) -> None:
    kept = {"HOME": "/h", "XDG_DATA_DIRS": "/a:/b", "OTHER": "x", "HOLDFAST_DIR": "x", "TMPDIR": ""}
    gone = {"XDG_CACHE_HOME": "x", "XDG_CONFIG_DIRS": "/a:x", "CLAUDE_CONFIG_DIR": ".", "TMP": "~/x"}
    found = {**kept, **gone, "PATH": f".::bin:{clone}/bin:/usr/bin"}
    settle(found)
    assert found == {**kept, "PATH": "/usr/bin"}
    assert own_folders(".:") == "/nonexistent"
    assert os.pathsep.join(["/usr/bin", str(tmp_path)]) == own_folders(f"/usr/bin:{tmp_path}")
