"""Whatever a clone puts in the place of a file, no hook waits for it, speaks of it or ends with an error."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.hook.test_hooks_subprocess import script_of

Make = Callable[..., Any]
EVENTS = (
    *("SessionStart.startup", "UserPromptSubmit", "PreToolUse.Agent", "PostToolUse.Bash", "PostToolUse.Agent"),
    *("SubagentStart", "SubagentStop.first", "PreCompact.auto", "SubagentStop.internal", "SessionStart.compact"),
    *("PostCompact.auto", "StatusLine", "Stop", "SessionStart.resume", "SessionEnd"),
)
STRANGE: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "terminal": lambda path: path.symlink_to("/dev/ptmx"),
    "endless": lambda path: path.symlink_to("/dev/zero"),
}


def put(kind: str, path: Path) -> None:
    """In the place of whatever stands there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    STRANGE[kind](path)


@pytest.fixture
def session(run_hook: Make, payload: Make, transcript: Any, project: Path) -> Callable[..., list[Any]]:
    """`session()`: all events in a repository, or those named, each within its time and well; how they ended."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
    transcript.user('From now on: RULE: "always use tabs"')
    transcript.did("Bash", "[main 1234abc] Fix login", command="git commit -m x")
    transcript.assistant('RULE: "always use tabs"', tokens=20_000)

    def play(events: Sequence[str] = EVENTS) -> list[Any]:
        done = []
        for name in events:
            done.append(run_hook(script_of(name), payload(name), CLAUDE_CODE_SESSION_ATTENDED="1"))
            assert (done[-1].code, done[-1].err) == (0, ""), name
        return done

    return play


STATE = ".claude/holdfast"
WITHIN = ("config.json", "logs/progress.md", "logs/faults.log", "memory/.cache", "unsaved", ".gitignore")


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("kind", "places"),
    [
        *(("pipe", [place]) for place in (f"{STATE}/memory", f"{STATE}/sessions", STATE, f"{STATE}/logs")),
        ("pipe", [f"{STATE}/{name}" for name in WITHIN]),
        *((kind, [".git", f"{STATE}/config.json"]) for kind in ("terminal", "endless")),
    ],
    ids=str,
)
def test_no_event_waits_for_what_a_clone_brings(kind: str, places: list[str], session: Make, project: Path) -> None:
    """A pipe, a terminal or endless zeros in the place of files or folders; scripts/faults.py has them one by one."""
    for place in places:
        put(kind, project / place)
    session()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", list(STRANGE))
def test_no_event_waits_for_its_own_files(kind: str, session: Make, state: Path, transcript: Any) -> None:
    """All files of a session, of the memory and the logs at once, and the transcript."""
    session()
    files = [path for path in state.rglob("*") if path.is_file() and path.name != ".gitignore"]  # git would wait, once
    assert len(files) > 20
    for path in files:
        put(kind, path)
    session()
    put(kind, transcript.path)
    session()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", list(STRANGE))
def test_the_users_own_config_is_read_without_waiting(kind: str, session: Make) -> None:
    """Nor does anything in the place of that one stop a session; the user is told that it counts for nothing."""
    place = Path(os.environ["HOME"], ".claude/holdfast/config.json")
    put(kind, place)
    assert f"{place}: this is no plain file" in session(EVENTS[:4])[0].reply["systemMessage"]
