"""Where things are on disk, and names against patterns."""

import json
import os
from pathlib import Path

import pytest

from holdfast.config import load
from holdfast.hot import paths
from holdfast.hot.patterns import limit_for, matches


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


@pytest.mark.parametrize("relative", [".claude/holdfast", "./x", "../x", "~/x", "x", " /x", ""])
def test_a_relative_state_folder_is_refused(monkeypatch: pytest.MonkeyPatch, relative: str) -> None:
    """It would lie wherever one stands; the project's own is used, and the configuration says so."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/p")
    monkeypatch.setenv("HOLDFAST_DIR", relative)
    assert paths.state_folder() == "/p/.claude/holdfast"
    problems = load.load(paths.state_folder(), {"HOLDFAST_DIR": relative})[1]
    assert ["HOLDFAST_DIR is " in one for one in problems] == ([True] if relative else [])


@pytest.mark.parametrize(
    ("made", "below", "expected"),
    [
        (["a/.claude/holdfast/"], "a/src/deep", "a"),
        (["a/.git/"], "a/src", "a"),
        (["a/.claude/holdfast/", "a/lib/.git/"], "a/lib/src", "a/lib"),
        (["a/.git/", "a/packages/b/.claude/holdfast/"], "a/packages/b/src", "a/packages/b"),
        (["a/.git/", "a/tree/.git=gitdir: ../.git/worktrees/tree"], "a/tree/src", "a/tree"),
        (["a/.git/", "a/sub/.git=gitdir: ../.git/modules/sub"], "a/sub/src", "a"),
        ([".claude/holdfast/"], "a/src", "a/src"),
        ([".claude/holdfast/"], "", ""),
        ([], "a/src", "a/src"),
    ],
    ids=["state", "top", "top below", "package", "worktree", "submodule", "of the home", "the home itself", "none"],
)
def test_from_a_folder_within_the_project(
    made: list[str], below: str, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As a command runs in the client's shell, which does not say where the project is."""
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for entry in [f"{below}/", *made]:
        name, is_file, text = entry.partition("=")
        path = tmp_path / name
        (path.parent if is_file else path).mkdir(parents=True, exist_ok=True)
        if is_file:
            path.write_text(text)
    monkeypatch.chdir(tmp_path / below)
    assert paths.project_folder() == str(tmp_path / expected)


@pytest.mark.parametrize("session_id", ["../..", "/etc", "", ".", "a/b", "x" * 500, "\x00", "\ud83d"])
def test_a_session_folder_is_one_name_deep(session_id: str) -> None:
    """Whatever the id is, its folder lies directly in sessions/."""
    folder = paths.session_folder("/s", session_id)
    assert os.path.normpath(folder) == folder
    assert os.path.dirname(folder) == "/s/sessions"
    assert len(os.path.basename(folder)) <= 100


@pytest.mark.parametrize(
    ("name", "patterns", "expected"),
    [
        ("Bash", ["Bash"], True),
        ("Bash2", ["Bash"], False),
        ("mcp__a__b", ["mcp__*"], True),
        ("x", ["*"], True),
        ("", [], False),
        ("", ["*"], True),
    ],
)
def test_patterns(name: str, patterns: list[str], expected: bool) -> None:
    """A pattern is a whole name, or a beginning and a star."""
    assert matches(name, patterns) is expected


@pytest.mark.parametrize(
    ("kind", "limit"),
    [("Explore", 400), ("holdfast:writer", 300), ("general-purpose", 500)],
    ids=["by name", "by pattern", "all others"],
)
def test_the_limit_of_an_agent_type(kind: str, limit: int) -> None:
    """Its own name first, then a pattern, then what holds for all others."""
    assert limit_for({"*": 500, "Explore": 400, "holdfast:*": 300}, kind) == limit


@pytest.mark.parametrize(
    ("place", "launcher", "there", "aside"),
    [
        ("project/.claude/settings.json", "$CLAUDE_PROJECT_DIR/hooks/run", "project/hooks/run", True),
        ("project/.claude/settings.local.json", "$HOME/.claude/holdfast/run", "home/.claude/holdfast/run", True),
        ("home/.claude/settings.json", "$HOME/run", "home/run", True),
        ("project/.claude/settings.json", "$HOME/run", "project/run", False),
        ("project/.claude/notes.json", "$HOME/run", "home/run", False),
    ],
    ids=["checkout", "own settings", "every project", "launcher gone", "no settings"],
)
def test_a_plugin_steps_aside_for_hooks_in_the_settings(  # noqa: PLR0917 - fixtures and parameters are arguments
    place: str, launcher: str, there: str, aside: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where those can run; and only as a plugin."""
    for path, text in ((place, json.dumps({"command": f'HOLDFAST_RUN="{launcher}"; run'})), (there, "")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "project"))
    assert not paths.silent()
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/plugin")
    assert paths.silent() is aside
