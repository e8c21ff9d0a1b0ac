"""A session that is killed with SIGKILL in the middle of any hook, at any point, comes back whole at its next start."""

import contextlib
import json
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import store
from holdfast.checkpoint.model import StoredCheckpoint
from holdfast.session import liveness
from tests.conftest import over
from tests.hook.test_hooks_subprocess import script_of

Make = Callable[..., Any]
ID = "3a6f6312-20f0-4443-a77f-85e4c5ba5e54"
KILLS = 3  # of each hook, at moments spread over its run, and of the state in each way
HOOKS = (
    *("SessionStart.resume", "UserPromptSubmit.task-notification", "PreToolUse.Agent", "PostToolUse.Agent"),
    *("SubagentStart", "SubagentStop.first", "Stop", "PreCompact.auto", "PostCompact.auto", "SessionEnd", "StatusLine"),
)
TODOS = [
    {"content": "read the login", "status": "completed"},
    {"content": "write the token", "status": "in_progress"},
    {"content": "test the token", "status": "pending"},
]


@pytest.fixture
def worked(run_hook: Make, payload: Make, transcript: Any, project: Path) -> None:
    """A session with about 1 MB of transcript, a plan, a commit and its checkpoint."""
    run_hook("session_start", payload("SessionStart.startup"), CLAUDE_PID=over())
    transcript.user("Fix the login. Never touch b.py.")
    transcript.did("TodoWrite", todos=TODOS)
    for number in range(120):
        transcript.did("Read", f"{number}: the_line of a_file\n" * 300, file_path=f"{project}/f{number}.py")
    transcript.did("Edit", file_path=f"{project}/login.py")
    transcript.did("Bash", "[main 1234abc] Fix login", command="git commit -m x")
    run_hook("stop", payload("Stop"), CLAUDE_PID=over())


def spoil(state: Path, kind: str) -> None:
    """Half a state, or none: what another kill may have left."""
    if kind == "torn":
        state.write_bytes(state.read_bytes()[: state.stat().st_size // 2])
    elif kind == "gone":
        state.unlink()


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("name", HOOKS)
def test_the_next_start_restores_a_whole_checkpoint(
    name: str, hook_command: Make, run_hook: Make, payload: Make, transcript: Any, state: Path
) -> None:
    """And says so, to the user and to the model; the plan stands as it stood. Also without a whole state.json."""
    script, chance = script_of(name), random.Random(name)  # noqa: S311 - moments, not secrets
    session = state / "sessions" / ID
    begun = time.monotonic()
    run_hook(script, payload(name), CLAUDE_PID=over())
    took = time.monotonic() - begun
    run_hook("session_start", payload("SessionStart.resume"), CLAUDE_PID=over())
    for kill in range(KILLS):
        transcript.user(f"go on, {kill}")
        command, env = hook_command(script, CLAUDE_PID=over())
        sent = json.dumps(payload(name)).encode()
        with contextlib.suppress(subprocess.TimeoutExpired):  # it is killed then
            subprocess.run(
                command, input=sent, env=env, stdout=subprocess.DEVNULL, timeout=chance.uniform(0, took), check=False
            )
        spoil(session / "state.json", ("whole", "torn", "gone")[kill])
        cut_off = liveness.was_cut_off(json.loads((session / "last.json").read_bytes()))
        assert cut_off or script == "session_end"
        done = run_hook("session_start", payload("SessionStart.resume"), CLAUDE_PID=over())
        saved = store.newest(str(session / "checkpoints"))
        assert saved is not None
        assert saved["work"]["prompts"][0]["text"] == "Fix the login. Never touch b.py."
        assert [item["status"] for item in saved["work"]["todos"]] == [item["status"] for item in TODOS]
        if cut_off:
            restored(done, saved)
    log = state / "logs" / "faults.log"
    assert (log.read_text() if log.exists() else "") == ""


def restored(done: Any, saved: StoredCheckpoint) -> None:
    context = done.specific["additionalContext"]
    assert f"checkpoints/{saved['number']:04d}.md" in context
    assert "this session was cut off (killed or crashed)" in done.reply["systemMessage"]
    assert f"put back from checkpoint {saved['number']:04d}" in context
    for line in ("- ticked off as done: read the login", "- in progress: write the token", "- planned: test the token"):
        assert line in context
