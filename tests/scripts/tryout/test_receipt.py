from pathlib import Path
from typing import Any

from holdfast.text.tokens import rough
from tryout.receipt import Collector, told
from tryout.recording import Moment
from tryout.stage import Ran


def ran(event: str, reply: dict[str, Any] | None = None, text: str = "", fault: str = "") -> Ran:
    return Ran(event, 0.01, reply or {}, text, fault)


def replaced(output: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}}


def collect(*pairs: tuple[Moment, Ran], session: Path = Path()) -> dict[str, Any]:
    """The receipt, with a token for each character and a bare interpreter of 5 ms."""
    collector = Collector(len)
    collector.floors = [0.005]
    for moment, answer in pairs:
        collector.take(moment, answer)
    return collector.receipt(1, 2, str(session))


def test_a_handoff_is_measured_before_and_after() -> None:
    report = {"content": [{"type": "text", "text": "x" * 100}]}
    moment = Moment("PostToolUse", {"tool_name": "Agent", "tool_response": report, "_seen": ""})
    shorter = {"content": [{"type": "text", "text": "y" * 10}]}
    receipt = collect((moment, ran("PostToolUse", replaced(shorter))), (moment, ran("PostToolUse")))
    assert receipt["handoffs"]["each"] == [{"before": 100, "after": 10}, {"before": 100, "after": 100}]


def test_what_digests_kept_out_is_what_the_hooks_have_logged(tmp_path: Path) -> None:
    """An untouched result is none."""
    (tmp_path / "saved.log").write_text("Bash 2000 400 1\n")
    moment = Moment("PostToolUse", {"tool_name": "Bash", "tool_response": {"stdout": "z" * 50}, "_seen": "z" * 50})
    answers = [(moment, ran("PostToolUse", replaced({"stdout": "z"}))), (moment, ran("PostToolUse"))]
    receipt = collect(*answers, session=tmp_path)
    assert receipt["results"]["count"] == 1
    assert (receipt["results"]["tokens_before"], receipt["results"]["tokens_after"]) == (rough(2000), rough(400))


def test_what_a_recording_made_with_the_pack_cannot_tell_is_said() -> None:
    """Its digests are in the record already; the notice that an agent was started is no report."""
    digest = Moment("PostToolUse", {"tool_name": "Bash", "tool_response": {}, "_seen": "1\t[Holdfast digest of 9"})
    started = {"status": "async_launched", "content": "Async agent launched"}
    agent = Moment("PostToolUse", {"tool_name": "Agent", "tool_response": started, "_seen": "Async"})
    receipt = collect((digest, ran("PostToolUse")), (agent, ran("PostToolUse")))
    assert receipt["handoffs"]["count"] == 0
    assert [" ".join(line.split()) for line in told(receipt).splitlines() if "left out" in line] == [
        "left out 1 returns of agents in the background, not played here",
        "left out 1 digests already when recorded",
    ]


def test_a_result_that_grows_is_told_as_more(tmp_path: Path) -> None:
    """The client shows the beginning of a long output; its digest may be longer than that."""
    (tmp_path / "whole.txt").write_text("w" * 9000, encoding="utf-8")
    (tmp_path / "saved.log").write_text("Bash 2000 3000 1\n")
    response = {"stdout": "z", "persistedOutputPath": str(tmp_path / "whole.txt")}
    moment = Moment("PostToolUse", {"tool_name": "Bash", "tool_response": response, "_seen": "z" * 50})
    answer = (moment, ran("PostToolUse", replaced({"stdout": "y" * 75})))
    lines = told(collect(answer, session=tmp_path)).splitlines()
    assert "1: 784 -> 1,176 tokens (50 % more in all: " in lines[1]
    assert "784 -> 1,176 tokens  Bash (the client would show the first 2 KB of all 9,000" in " ".join(lines[2:])


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
