from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.compaction import hooks as compaction
from holdfast.compaction import store
from holdfast.handoff import orchestrator
from holdfast.hook.on import post_tool_use
from holdfast.hot import call_log, thresholds
from holdfast.session.reply import NOTHING
from holdfast.text.tokens import estimate

Make = Callable[..., Any]
LONG = "Decision: PROCEED\n\n" + "".join(f"- finding {n} in src/auth/file{n}.py: it does a thing\n" for n in range(300))


@pytest.fixture
def used(event_of: Make, session_of: Make) -> Callable[..., Any]:
    """`used("PostToolUse.Bash")`: the reply on the ordinary road."""

    def run(name: str, **changes: Any) -> Any:
        event = event_of(name, **changes)
        return post_tool_use.handle(event, session_of(event))

    return run


def returned(text: str, payload: Make, name: str = "PostToolUse.Agent") -> dict[str, Any]:
    """An agent's response with this report."""
    response = payload(name)["tool_response"]
    notes = response["harnessNoteCount"]
    return {**response, "content": [*response["content"][:notes], {"type": "text", "text": text}]}


@pytest.mark.parametrize("name", ["PostToolUse.Agent", "PostToolUse.Agent.notes"])
def test_the_parent_receives_the_handoff(name: str, used: Make, payload: Make, state: Path) -> None:
    """Within the limit, in the same shape, the client's notes kept, the whole report on disk and named."""
    response = returned(LONG, payload, name)
    output = used(name, tool_response=response).output
    report = next(state.glob("sessions/*/handoffs/*.report.md"))
    shown = output["content"][-1]["text"]
    assert estimate(shown) <= 575
    assert str(report) in shown
    assert report.read_text() == LONG
    assert {key: value for key, value in output.items() if key != "content"} == {
        key: value for key, value in response.items() if key != "content"
    }
    assert output["content"][:-1] == response["content"][:-1]


def test_a_short_return_stays_as_it_is(used: Make, payload: Make, event_of: Make, session_of: Make) -> None:
    """It is noted, nothing is replaced; a background launch is no return."""
    assert used("PostToolUse.Agent").output is None
    assert used("PostToolUse.Agent.background").output is None
    state = orchestrator.load(session_of(event_of("Stop")).read("orchestrator.json"))
    assert state["kept_out"]["returns"] == 1


def test_a_sub_agents_own_agent_is_not_this_sessions(used: Make, payload: Make) -> None:
    """Neither replaced nor noted nor commented."""
    assert used("PostToolUse.Agent", tool_response=returned(LONG, payload), agent_id="a9") == NOTHING


def test_the_call_is_counted_where_the_hot_road_did_not(used: Make, event_of: Make, session_of: Make) -> None:
    """The first call of a session comes here without a number."""
    for _ in range(3):
        used("PostToolUse.Bash")
    assert call_log.count(session_of(event_of("Stop")).path("calls.log")) == 3


@pytest.mark.parametrize(
    "response",
    [
        None,
        5,
        [],
        "text",
        {"status": "completed"},
        {"status": "completed", "content": 5},
        {"status": "completed", "content": [{"type": "image"}]},
    ],
    ids=str,
)
def test_odd_responses(response: Any, used: Make) -> None:
    """A shape that is not known is left alone."""
    assert used("PostToolUse.Agent", tool_response=response).output is None
    assert used("PostToolUse.Bash", tool_response=response).output is None


def test_what_waits_comes_with_the_result(used: Make, event_of: Make, session_of: Make) -> None:
    """Once, beside the suggestion or a replaced result; not inside a sub-agent."""
    session = session_of(event_of("Stop"))
    store.put(session.folder, {"text": "It is 45, not 90.", "key": "k", "time": 1.0})
    compaction.mark_waiting(session)
    assert used("PostToolUse.Grep.subagent").context == ""
    assert [used("PostToolUse.Bash").context for _ in range(2)] == ["It is 45, not 90.", ""]
    assert thresholds.load(session.path("gate.json"))["queue"] is False
