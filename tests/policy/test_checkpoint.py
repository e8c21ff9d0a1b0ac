from typing import Any

import pytest

from holdfast.core.handoff import Handoff
from holdfast.policy import checkpoint, orchestrator, worklog


def work(**changes: Any) -> dict[str, Any]:
    """A worklog."""
    return {**worklog.empty(), **changes}


RETURNED = orchestrator.absorb(orchestrator.empty(), "p", Handoff(), (1, 1), "")
GREEN = {"command": "pytest", "ok": True, "end": "3 passed"}
DONE, OPEN = {"text": "a", "status": "completed"}, {"text": "b", "status": "pending"}


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
        ({}, work(todos=[DONE, OPEN]), {}, ""),
        ({"work": work(todos=[DONE])}, work(todos=[DONE]), {}, ""),
        ({}, work(), RETURNED, "sub-agent returned"),
        ({"work": work(), "agents": RETURNED}, work(), RETURNED, ""),
        ({"work": {"v": 99}}, work(), {}, ""),
    ],
)
def test_milestones(before: dict[str, Any], now: dict[str, Any], agents: dict[str, Any], expected: str) -> None:
    """What has been reached since the last checkpoint, and nothing twice."""
    assert checkpoint.milestone(before, now, agents) == expected


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
    assert checkpoint.crossed(before, tokens, limit) is expected


def test_the_page_says_what_the_json_says() -> None:
    """Place, reason, figures and the state of the work."""
    data = {
        "stamp": "2027-01-15 10:00:00",
        "session": "s1",
        "reason": "commit",
        "calls": 12,
        "tokens": 84_000,
        "limit": 167_000,
        "environment": {"branch": "main", "commit": "a" * 40},
        "work": work(goal="Fix it", todos=[OPEN]),
        "agents": RETURNED,
    }
    page = checkpoint.readable(data)
    assert "# Checkpoint of 2027-01-15 10:00:00\n" in page
    assert (
        "Session s1; reason: commit; 12 tool calls; 84,000 tokens in the window of 167,000.\n"
        "Branch main, commit aaaaaaaaa." in page
    )
    assert "\n## Plan\n- to do: b\n" in page
    bare = checkpoint.readable({**data, "limit": 0, "environment": {}, "work": work(), "agents": {}})
    assert "tokens in the window.\nBranch (none), commit (none).\n" in bare
