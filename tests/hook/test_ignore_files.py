"""Ignore files that a clone or a pull brings: `git add -A` takes nothing of what the user said along."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from holdfast.hot import provenance
from holdfast.knowledge import store as knowledge
from holdfast.package import store as packages
from tests.memory import memories

SECRET = "Okapi merger of 14 May"
NOT_OURS = "Holdfast did not write"
SHARED = "# what the team shares\n"
Make = Callable[..., Any]


def staged(project: Path) -> dict[str, bytes]:
    """What `git add -A` takes, by the paths within the state folder."""
    memories.git(project, "add", "-A")
    command = ["git", "-C", str(project), "ls-files", "-z", ".claude/holdfast"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    return {name.removeprefix(".claude/holdfast/"): (project / name).read_bytes() for name in names}


@pytest.fixture
def worked(run_hook: Make, payload: Make, transcript: Any, state: Path) -> Make:
    """A session that leaves files of all kinds; what its start told."""

    def play() -> str:
        told = run_hook("session_start", payload("SessionStart.startup")).out
        transcript.user(f"Prepare the {SECRET}")
        transcript.did("Bash", f"[main 1234abc] {SECRET}", command=f"git commit -m '{SECRET}'")
        transcript.assistant(f"DECISION: we keep the {SECRET} because it was signed.", tokens=9_000)
        run_hook("stop", payload("Stop"))
        knowledge.write(f"{state}/knowledge", "L1.md", SECRET)
        packages.save(str(state), time.time(), lambda code: (SECRET, cast("packages.Facts", {"kind": "complete"})))
        run_hook("session_end", payload("SessionEnd"))
        holding = {path.relative_to(state).parts[0] for path in state.rglob("*.*") if SECRET in path.read_text()}
        assert holding >= {"logs", "packages", "knowledge", "memory", "sessions"}
        return cast("str", told)

    return play


@pytest.mark.parametrize("top", [SHARED, "!*\n"])
@pytest.mark.parametrize("inner", ["", "!*\n"])
def test_a_clones_ignore_files_show_nothing(
    top: str, inner: str, worked: Make, run_hook: Make, payload: Make, project: Path, state: Path
) -> None:
    """Nor do those in our own folders; the start says once what git may see."""
    memories.git(project, "init", "-q")
    for name in ("", *(provenance.PRIVATE if inner else ())):
        (state / name).mkdir(parents=True, exist_ok=True)
        (state / name / ".gitignore").write_text(inner if name else top)
    memories.git(project, "add", "-A")
    memories.git(project, "commit", "-qm", "x")
    assert NOT_OURS in worked()
    assert {name for name, text in staged(project).items() if text and not name.endswith(".gitignore")} == set()
    assert NOT_OURS not in run_hook("session_start", payload("SessionStart.startup")).out


@pytest.mark.parametrize(
    ("script", "event", "changes"),
    [
        ("user_prompt_submit", "UserPromptSubmit", {}),
        ("post_tool_use", "PostToolUse.Bash", {"tool_input": {"command": "git pull"}}),
        ("stop", "Stop", {}),
    ],
)
def test_what_a_pull_puts_in_the_place_of_our_ignore_files(
    script: str, event: str, changes: Any, worked: Make, run_hook: Make, payload: Make, project: Path, state: Path
) -> None:
    """The next event of the session renews them, in the folders that are ours alone."""
    memories.git(project, "init", "-q")
    assert NOT_OURS not in worked()
    for path in [state / ".gitignore", *(state / name / ".gitignore" for name in (*provenance.PRIVATE, "memory"))]:
        path.unlink(missing_ok=True)
        path.write_text("!*\n")
    run_hook(script, payload(event, **changes))
    assert {name for name, text in staged(project).items() if SECRET.encode() in text} == set()
    assert (state / ".gitignore").read_text() == "!*\n"
