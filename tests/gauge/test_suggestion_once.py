"""Suggestions under real parallel hook processes."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hot import call_log

Make = Callable[..., Any]


@pytest.fixture
def at_once(hook_command: Make, payload: Make) -> Callable[..., list[dict[str, Any]]]:
    """Starts hooks for so many calls at the same time and gives what each printed."""

    def run(count: int, **changes: Any) -> list[dict[str, Any]]:
        command, env = hook_command("post_tool_use")
        data = json.dumps(payload("PostToolUse.Bash", **changes)).encode()
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started = [subprocess.Popen(command, env=env, **pipe) for _ in range(count)]  # type: ignore[call-overload]  # the same pipes for each
        for process in started:  # all are up and waiting for their input
            process.stdin.write(data)
        for process in started:
            process.stdin.close()
        out = []
        for process in started:
            text, errors = process.stdout.read(), process.stderr.read()
            assert (process.wait(30), errors) == (0, b"")
            process.stdout.close()
            process.stderr.close()
            out.append(json.loads(text) if text else {})
        return out

    return run


def start(run_hook: Make, payload: Make, state: Path, made: int) -> Path:
    """A session in which so many calls have been made."""
    run_hook("session_start", payload("SessionStart.startup"))
    session = next((state / "sessions").iterdir())
    with (session / "calls.log").open("ab") as file:
        file.write(call_log.line(1, 0, "Bash") * made)
    return session


@pytest.mark.parametrize("made", [43, 46, 49], ids=lambda made: f"calls {made + 1} to {made + 8}")
def test_call_50_is_told_once(made: int, at_once: Make, run_hook: Make, payload: Make, state: Path) -> None:
    """Eight calls at once around the fiftieth: one message, and one only; every call is counted."""
    session = start(run_hook, payload, state, made)
    said = [reply["systemMessage"] for reply in at_once(8) if "systemMessage" in reply]
    said += [reply["systemMessage"] for reply in at_once(4) if "systemMessage" in reply]
    assert len(said) == 1
    assert said[0].startswith("Holdfast: 50 tool calls, ")
    assert call_log.count(str(session / "calls.log")) == made + 12
    assert not (state / "logs" / "faults.log").exists()


def test_a_worse_zone_is_told_once(at_once: Make, run_hook: Make, payload: Make, state: Path, transcript: Any) -> None:
    """Eight calls at once that all see the window in the red zone: one message."""
    state.mkdir(parents=True)
    (state / "config.json").write_text(json.dumps({"window.limit": 100_000}))
    start(run_hook, payload, state, 5)
    transcript.assistant("x", tokens=95_000)
    said = [reply["systemMessage"] for reply in [*at_once(8), *at_once(4)] if "systemMessage" in reply]
    assert len(said) == 1
    assert "95k of 100k tokens used (95 %)" in said[0]


def test_none_in_a_sub_agent(at_once: Make, run_hook: Make, payload: Make, state: Path) -> None:
    """A sub-agent's calls are neither counted nor commented."""
    session = start(run_hook, payload, state, 49)
    assert at_once(3, agent_id="a1", agent_type="Explore") == [{}, {}, {}]
    assert call_log.count(str(session / "calls.log")) == 49


def test_a_step_in_the_gap_is_told_after_it_though_a_turn_ends(
    run_hook: Make, payload: Make, state: Path, transcript: Any
) -> None:
    """Red at call 48 is told; step 50 waits for call 58, and a Stop in between does not make it forgotten."""
    state.mkdir(parents=True)
    (state / "config.json").write_text(json.dumps({"window.limit": 100_000}))
    start(run_hook, payload, state, 47)
    transcript.assistant("x", tokens=95_000)
    told: list[int] = []
    for call in range(48, 60):
        if "systemMessage" in run_hook("post_tool_use", payload("PostToolUse.Bash")).reply:
            told.append(call)
        if call == 53:
            run_hook("stop", payload("Stop"))
    assert told == [48, 58]


def test_yellow_waits_for_its_moment_though_a_turn_ends(
    run_hook: Make, payload: Make, state: Path, transcript: Any
) -> None:
    """Yellow is told 15 calls after it was entered, whatever turns end meanwhile; or at a breakpoint."""
    state.mkdir(parents=True)
    (state / "config.json").write_text(json.dumps({"window.limit": 100_000}))
    start(run_hook, payload, state, 3)
    transcript.assistant("x", tokens=60_000)
    told: list[int] = []
    for call in range(4, 22):
        if "systemMessage" in run_hook("post_tool_use", payload("PostToolUse.Bash")).reply:
            told.append(call)
        if call == 8:
            run_hook("stop", payload("Stop"))
    assert told == [19]


def test_after_a_compaction_the_zones_are_told_again(
    run_hook: Make, payload: Make, state: Path, transcript: Any
) -> None:
    """The old size stands in the transcript while the compaction runs; it must not hide the next rise."""
    state.mkdir(parents=True)
    (state / "config.json").write_text(json.dumps({"window.limit": 100_000, "suggest.gap": 0}))
    start(run_hook, payload, state, 3)
    transcript.assistant("x", tokens=99_000)
    run_hook("post_tool_use", payload("PostToolUse.Bash"))
    run_hook("pre_compact", payload("PreCompact.auto"))
    run_hook("session_start", payload("SessionStart.compact"))
    transcript.boundary()
    transcript.assistant("y", tokens=96_000)
    assert "96k of 100k" in run_hook("post_tool_use", payload("PostToolUse.Bash")).reply["systemMessage"]
