from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from holdfast.compaction import store
from holdfast.hot import call_log, thresholds

Make = Callable[..., Any]


@pytest.fixture
def session(run_hook: Make, payload: Make, state: Path) -> Path:
    run_hook("session_start", payload("SessionStart.startup"))
    return next((state / "sessions").iterdir())


@pytest.mark.parametrize(
    ("hook", "sent"), [("post_tool_use", "PostToolUse.Bash"), ("post_tool_use_failure", "PostToolUseFailure")]
)
def test_a_call_is_noted_with_its_size(
    hook: str, sent: str, session: Path, run_hook: Make, payload: Make, transcript: Any
) -> None:
    transcript.assistant("x", tokens=12_345)
    assert run_hook(hook, payload(sent)) == (0, "", "")
    assert [row[1:] for row in call_log.last(str(session / "calls.log"), 9)] == [(12_345, "o")]
    assert not (session / "state.json").exists(), "the common case took the ordinary road"


@pytest.mark.parametrize(
    "change",
    [{"next_check_call": 1}, {"next_zone_tokens": 10}, {"check_at_breakpoint": True}, {"queue": True}],
    ids=str,
)
def test_a_crossed_number_takes_the_ordinary_road(
    change: "thresholds.Thresholds", session: Path, run_hook: Make, payload: Make, transcript: Any
) -> None:
    """The transcript is folded there; the call is counted once all the same."""
    transcript.assistant("x", tokens=12_345)
    path = str(session / "thresholds.json")
    thresholds.update(path, change)
    run_hook("post_tool_use", payload("PostToolUse.Bash", tool_input={"command": "npm test"}))
    assert (session / "state.json").exists()
    assert call_log.count(str(session / "calls.log")) == 1


def test_the_first_call_without_a_start(run_hook: Make, payload: Make, state: Path) -> None:
    assert run_hook("post_tool_use", payload("PostToolUse.Bash")) == (0, "", "")
    session = next((state / "sessions").iterdir())
    assert call_log.count(str(session / "calls.log")) == 1
    assert thresholds.load(str(session / "thresholds.json"))["next_check_call"] == 3


def test_a_correction_is_delivered_by_one_of_parallel_hooks(session: Path, run_hook: Make, payload: Make) -> None:
    """Eight results at once: one carries it; the thresholds then say that nothing waits."""
    store.put(str(session), {"text": "It is 45, not 90.", "key": "k", "time": 1.0})
    path = str(session / "thresholds.json")
    thresholds.save(path, {**thresholds.load(path), "queue": True})
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: run_hook("post_tool_use", payload("PostToolUse.Bash")), range(8)))
    told = [one.specific.get("additionalContext") for one in done]
    assert [text for text in told if text] == ["It is 45, not 90."]
    assert thresholds.load(path)["queue"] is False


@pytest.mark.parametrize("agent", ["", "a1"])
def test_of_a_failed_output_that_was_cut_the_agent_is_told(
    agent: str, session: Path, run_hook: Make, payload: Make
) -> None:
    """How much is missing, that it is nowhere, and how to see it; a sub-agent too, whose calls are not counted."""
    told = run_hook("post_tool_use_failure", payload("PostToolUseFailure.cut", agent_id=agent))
    text = told.specific["additionalContext"]
    assert told.specific["hookEventName"] == "PostToolUseFailure"
    assert [
        part for part in ("20,011 characters", "(python3 p.py 60000) > /tmp/failed.txt 2>&1") if part not in text
    ] == []
    assert call_log.count(str(session / "calls.log")) == (not agent)


def test_a_step_is_told_at_a_failed_call(session: Path, run_hook: Make, payload: Make) -> None:
    """The fiftieth call may be one that fails; a failed commit is no breakpoint."""
    with (session / "calls.log").open("ab") as file:
        file.write(call_log.line(1, 0, "Bash") * 49)
    said = run_hook("post_tool_use_failure", payload("PostToolUseFailure", tool_input={"command": "git commit"}))
    assert said.reply["systemMessage"].startswith("Holdfast: 50 ")
