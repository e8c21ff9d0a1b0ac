"""Where a project's memory is, and the notes on its sessions."""

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.memory.location import folder_of, log_of, notes_of


def git(folder: Path, *arguments: str) -> None:
    """Run git without anybody's settings."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    subprocess.run(["git", *who, *arguments], cwd=folder, env=env, check=True, capture_output=True)


def test_worktrees_have_one_memory_and_other_projects_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of the project in a worktree stands for the same folder in the main checkout."""
    monkeypatch.delenv("CLAUDE_PROJECT_DIR")
    main, other = tmp_path / "shop", tmp_path / "other"
    (main / "api").mkdir(parents=True)
    other.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "x")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert folder_of(str(tmp_path / "tree")) == folder_of(str(main)) == f"{main}/.claude/holdfast/memory"
    assert folder_of(str(tmp_path / "tree" / "api")) == folder_of(str(main / "api"))
    assert folder_of(str(other)) == f"{other}/.claude/holdfast/memory"
    assert notes_of(str(tmp_path / "tree")) == f"{main}/.claude/holdfast"


def test_a_shared_state_folder_keeps_projects_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name and place, since two may have the same name."""
    monkeypatch.setenv("HOLDFAST_DIR", str(tmp_path / "state"))
    found, noted, logs = [], [], set()
    for place in ("a/shop", "b/shop"):
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / place))
        found.append(folder_of())
        noted.append(notes_of())
        logs.add(log_of(folder_of()))
    assert len(set(found)) == len(set(noted)) == 2
    assert all(place.startswith(f"{tmp_path}/state/projects/shop-") for place in noted)
    assert all(place.startswith(f"{tmp_path}/state/memory/shop-") for place in found)
    assert logs == {f"{place}/logs/memory.log" for place in noted}


def test_the_log_of_a_projects_own_memory(project: Path) -> None:
    """Stands among its other logs."""
    assert log_of(folder_of()) == f"{project}/.claude/holdfast/logs/memory.log"
