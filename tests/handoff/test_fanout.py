import json
from collections.abc import Callable
from typing import Any

import pytest

from holdfast.handoff import fanout, running_agents
from holdfast.hot import thresholds
from tests.conftest import Transcript

Make = Callable[..., Any]
Judge = Callable[..., str]
ZONES = [50_000, 75_000, 90_000]


@pytest.fixture
def judge(event_of: Make, session_of: Make, transcript: Transcript) -> Judge:
    """`judge(prompts, tokens)`: what is said to agents with these prompts in a window of so many tokens."""

    def run(prompts: list[str], tokens: int = 0, state: dict[str, Any] | None = None, **compiled: Any) -> str:
        transcript.user("go")
        if tokens:
            transcript.assistant("so far", tokens=tokens)
        found: list[running_agents.Row] = []
        for number, prompt in enumerate(prompts):
            call = f"toolu_{transcript.rows}_{number}"
            event = event_of("PreToolUse.Agent", tool_use_id=call, tool_input={"description": call, "prompt": prompt})
            session = session_of(event)
            if compiled:
                thresholds.save(session.path("gate.json"), compiled)
            if state:
                session.write("orchestrator.json", state)
            found = running_agents.note(event, session, background=False)
        refusal = fanout.judged(event, session, found)
        for row in found:
            transcript.result(str(row["id"]), "done")
        assert refusal is None or refusal.key == f"gate-{found[0]['id']}"
        return refusal.text if refusal else ""

    return run


@pytest.mark.parametrize(
    ("tokens", "told"),
    [(0, ()), (10_000, ()), (80_000, ()), (92_000, ("overdue",)), (99_000, ("overdue", "meet 1,000 that are left"))],
)
def test_agents_before_a_compaction_are_advised_against(judge: Judge, tokens: int, told: tuple[str, ...]) -> None:
    """In the red zone, where the returns would meet a full window."""
    said = judge(["Find a.", "Find b."], tokens, zones=ZONES, limit=100_000)
    assert bool(said) == bool(told)
    assert [one for one in told if one not in said] == []


@pytest.mark.parametrize("compiled", [{}, {"zones": [], "limit": 0}], ids=["no gate yet", "limit not known"])
def test_a_limit_that_is_not_known_refuses_nothing(judge: Judge, compiled: dict[str, Any]) -> None:
    """However large the window is; what the prompts say counts all the same."""
    assert judge(["Find a.", "Find b."], 990_000, **compiled) == ""
    assert "docs/a.md is to be changed by" in judge(["Update docs/a.md.", "Edit docs/a.md."], 990_000, **compiled)


def test_a_question_of_this_turn_comes_first(judge: Judge) -> None:
    """An agent of this turn asked for a decision; before any has come back nothing is known to be asked."""
    asked = {"progress": {"current_phase": "design"}, "decisions": {"design": "CLARIFY"}}
    settled = {**asked, "decisions": {"design": "STOP"}}
    assert judge(["Find a.", "Find b."], state=asked) == ""
    assert "the agent of 'design' asked for a decision: settle that first" in judge(["Find c.", "Find d."], state=asked)
    assert judge(["Find e.", "Find f."], state=settled) == ""


@pytest.mark.parametrize("state", [{"progress": 1, "decisions": []}, {"progress": {}}], ids=json.dumps)
def test_a_damaged_state_asks_nothing(judge: Judge, state: dict[str, Any]) -> None:
    """Other versions wrote it."""
    assert judge(["Find a.", "Find b."], state=state) == ""
    assert judge(["Find c.", "Find d."], state=state) == ""
