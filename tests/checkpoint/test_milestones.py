from typing import Any

import pytest

from holdfast.checkpoint import milestones
from holdfast.checkpoint.trim import slim
from holdfast.handoff import orchestrator
from holdfast.handoff.model import Handoff
from holdfast.worklog import fold


def work(**changes: Any) -> dict[str, Any]:
    """A state of the work."""
    return {**fold.empty(), **changes}


RETURNED = orchestrator.absorb(orchestrator.empty(), "p", Handoff(), (1, 1), "")
GREEN = {"command": "pytest", "ok": True, "end": "3 passed"}
DONE, OPEN = {"text": "a", "status": "completed"}, {"text": "b", "status": "pending"}
OFF = {"text": "c", "status": "cancelled"}


@pytest.mark.parametrize(
    ("before", "now", "agents", "expected"),
    [
        ({}, work(), {}, ""),
        ({}, work(commits=["1 a"]), {}, "commit"),
        ({"work": work(commits=["1 a"])}, work(commits=["1 a"]), {}, ""),
        ({"work": work(commits=["1 a"])}, work(commits=["1 a", "2 b"]), {}, "commit"),
        ({}, work(tests=[GREEN], changed=["/a"]), {}, "tests green"),
        ({}, work(tests=[GREEN]), {}, ""),
        ({}, work(tests=[{**GREEN, "ok": False}], changed=["/a"]), {}, ""),
        ({"work": work(tests=[GREEN], changed=["/a"])}, work(tests=[GREEN], changed=["/a", "/b"]), {}, ""),
        ({}, work(todos=[DONE]), {}, "to-do list finished"),
        ({}, work(todos=[DONE, OFF]), {}, "to-do list finished"),
        ({}, work(todos=[OFF]), {}, ""),
        ({}, work(todos=[DONE, OPEN]), {}, ""),
        ({"work": work(todos=[DONE])}, work(todos=[DONE]), {}, ""),
        ({}, work(), RETURNED, "sub-agent returned"),
        ({"work": work(), "agents": RETURNED}, work(), RETURNED, ""),
        ({"work": {"v": 99}}, work(), {}, ""),
    ],
)
def test_milestones(before: dict[str, Any], now: dict[str, Any], agents: dict[str, Any], expected: str) -> None:
    """What has been reached since the last checkpoint, and nothing twice."""
    assert milestones.milestone(before, now, agents) == expected


def test_a_checkpoint_of_a_long_session_is_no_milestone_again() -> None:
    """It holds less than the state does; what was cut is not taken for new."""
    long = work(
        commits=[f"{n:07d} " + "c" * 150 for n in range(12)],
        tests=[{**GREEN, "command": f"pytest {n} " + "t" * 150} for n in range(12)],
        changed=[f"/{n}.py" for n in range(90)],
        todos=[{**DONE, "text": "d" * 199}] * 40,
        said="s" * 1_200,
    )
    assert milestones.milestone({"work": slim(long)}, long, {}) == ""
    assert milestones.milestone({"work": slim(long)}, {**long, "commits": [*long["commits"], "f new"]}, {}) == "commit"


@pytest.mark.parametrize(
    ("before", "tokens", "limit", "expected"),
    [
        ({}, 85, 100, True),
        ({}, 84, 100, False),
        ({}, 85, 0, False),
        ({"tokens": 84}, 90, 100, True),
        ({"tokens": 85}, 99, 100, False),
        ({"tokens": 20}, 85, 100, True),
        ({"v": 1}, 90, 100, True),
    ],
)
def test_crossing(before: dict[str, Any], tokens: int, limit: int, expected: bool) -> None:
    """Once when use goes over 85 %, and again after a compaction."""
    assert milestones.crossed(before, tokens, limit) is expected
