from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.runtime import fast
from holdfast.store import calls, gate

Make = Callable[..., Any]


@pytest.fixture
def session(run_hook: Make, payload: Make, state: Path) -> Path:
    """A session that has started."""
    run_hook("session_start", payload("SessionStart.startup"))
    return next((state / "sessions").iterdir())


def test_a_call_is_noted_with_its_size(session: Path, run_hook: Make, payload: Make, transcript: Any) -> None:
    """One line with tokens and tool, and nothing said."""
    transcript.assistant("x", tokens=12_345)
    assert run_hook("post_tool_use", payload("PostToolUse.Bash")) == (0, "", "")
    assert [row[1:] for row in calls.last(str(session / "calls.log"), 9)] == [(12_345, "b")]
    assert not (session / "state.json").exists(), "the common case took the ordinary road"


@pytest.mark.parametrize(
    ("tool", "raw", "expected"),
    [
        ("Bash", b"git commit", True),
        ("Bash", b"npm test", True),
        ("Bash", b"ls", False),
        ("TodoWrite", b"", True),
        ("TaskUpdate", b"", True),
        ("Read", b"commit", False),
    ],
)
def test_what_may_be_a_breakpoint(tool: str, raw: bytes, expected: bool) -> None:
    """A cheap guess that misses none that the policy knows."""
    assert fast._may_be_breakpoint(tool, raw) is expected


@pytest.mark.parametrize("change", [{"look": 1}, {"mark": 10}, {"eager": True}], ids=str)
def test_a_crossed_number_takes_the_ordinary_road(
    change: dict[str, Any], session: Path, run_hook: Make, payload: Make, transcript: Any
) -> None:
    """The transcript is folded there; the call is counted once all the same."""
    transcript.assistant("x", tokens=12_345)
    path = str(session / "gate.json")
    gate.save(path, {**gate.load(path), **change})
    run_hook("post_tool_use", payload("PostToolUse.Bash", tool_input={"command": "npm test"}))
    assert (session / "state.json").exists()
    assert calls.count(str(session / "calls.log")) == 1


def test_the_first_call_without_a_start(run_hook: Make, payload: Make, state: Path) -> None:
    """Where SessionStart never ran, the first call makes the session ready and is counted."""
    assert run_hook("post_tool_use", payload("PostToolUse.Bash")) == (0, "", "")
    session = next((state / "sessions").iterdir())
    assert calls.count(str(session / "calls.log")) == 1
    assert gate.load(str(session / "gate.json"))["look"] == 50
