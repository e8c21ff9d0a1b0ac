from typing import Any

import pytest

from tryout.receipt import Collector, timing, told, visible
from tryout.recording import Moment
from tryout.stage import Ran


def ran(event: str, reply: dict[str, Any] | None = None, text: str = "", fault: str = "") -> Ran:
    """An answer that took 10 ms."""
    return Ran(event, 0.01, reply or {}, text, fault)


def replaced(output: Any) -> dict[str, Any]:
    """An answer that replaces a tool's result."""
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}}


def collect(*pairs: tuple[Moment, Ran]) -> dict[str, Any]:
    """The receipt, with a token for each character and a bare interpreter of 5 ms."""
    collector = Collector(len)
    collector.floors = [0.005]
    for moment, answer in pairs:
        collector.take(moment, answer)
    return collector.receipt(checkpoints=1, kept=2)


def test_a_handoff_is_measured_before_and_after() -> None:
    """The report that the agent gave against what the parent gets."""
    report = {"content": [{"type": "text", "text": "x" * 100}]}
    moment = Moment("PostToolUse", {"tool_name": "Agent", "tool_response": report, "_seen": ""})
    shorter = {"content": [{"type": "text", "text": "y" * 10}]}
    receipt = collect((moment, ran("PostToolUse", replaced(shorter))), (moment, ran("PostToolUse")))
    assert receipt["handoffs"]["each"] == [{"before": 100, "after": 10}, {"before": 100, "after": 100}]


def test_a_digest_is_measured_against_what_the_model_would_have_seen() -> None:
    """An untouched result is none."""
    moment = Moment("PostToolUse", {"tool_name": "Bash", "tool_response": {"stdout": "z" * 50}, "_seen": "z" * 50})
    receipt = collect((moment, ran("PostToolUse", replaced({"stdout": "z"}))), (moment, ran("PostToolUse")))
    assert receipt["results"]["count"] == 1
    assert (receipt["results"]["tokens_before"], receipt["results"]["tokens_after"]) == (50, 1)


def test_messages_requests_and_restored_text_are_counted() -> None:
    """What the user saw, how often an agent was asked again, what went in after compaction."""
    receipt = collect(
        (Moment("PostToolUse", {"tool_name": "Bash"}), ran("PostToolUse", {"systemMessage": "50 calls"})),
        (Moment("SubagentStop", {}), ran("SubagentStop", {"decision": "block", "reason": "cut"})),
        (Moment("SessionStart", {"source": "compact"}), ran("SessionStart", text="four")),
        (Moment("PreCompact", {}), ran("PreCompact", text="keep")),
    )
    assert receipt["suggestions"] == ["50 calls"]
    assert receipt["handoffs"]["asked_again"] == 1
    assert receipt["compaction"] == {"steering_tokens": 4, "restored_tokens": 4}


def test_times_are_told_against_a_bare_interpreter() -> None:
    """Median, 90th percentile and ratio."""
    assert timing([0.01, 0.02, 0.03], 0.01) == {"runs": 3, "median_ms": 20.0, "p90_ms": 30.0, "ratio": 2.0}
    assert timing([0.01], 0.0)["ratio"] is None


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "image"}], "a"),
        ({"stdout": "out", "stderr": "err", "interrupted": False}, "out\nerr"),
        ({"type": "text", "file": {"content": "f"}}, "f"),
        ({"content": [{"type": "text", "text": "t"}]}, "t"),
        (None, ""),
        (3, ""),
        ({}, ""),
    ],
    ids=["text", "blocks", "bash", "read", "agent", "none", "number", "empty"],
)
def test_visible_text_of_every_shape(output: object, text: str) -> None:
    """As much as the model reads of it."""
    assert visible(output) == text


def test_the_receipt_reads_well_when_nothing_went_well() -> None:
    """No division by zero, no empty headline; a hook that failed is named."""
    receipt = collect((Moment("Stop", {}), ran("Stop", fault="ended with 1")))
    assert receipt["faults"] == ["Stop: ended with 1"]
    assert "handoffs      0" in told(receipt)
    assert "2.0x" in told(receipt)
