import os
from pathlib import Path

import pytest

from holdfast.store import paths


def test_which_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """CLAUDE_PROJECT_DIR, else the payload's folder, else the current one; HOLDFAST_DIR moves the state."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/p")
    assert (paths.project_folder("/cwd"), paths.state_folder("/cwd")) == ("/p", "/p/.claude/holdfast")
    monkeypatch.delenv("CLAUDE_PROJECT_DIR")
    assert paths.state_folder("/cwd") == "/cwd/.claude/holdfast"
    monkeypatch.chdir(tmp_path)
    assert paths.project_folder() == os.getcwd()
    monkeypatch.setenv("HOLDFAST_DIR", "/elsewhere")
    assert paths.state_folder("/cwd") == "/elsewhere"


@pytest.mark.parametrize("session_id", ["../..", "/etc", "", ".", "a/b", "x" * 500, "\x00", "\ud83d"])
def test_a_session_folder_is_one_name_deep(session_id: str) -> None:
    """Whatever the id is, its folder lies directly in sessions/."""
    folder = paths.session_folder("/s", session_id)
    assert os.path.normpath(folder) == folder
    assert os.path.dirname(folder) == "/s/sessions"
    assert len(os.path.basename(folder)) <= 100
