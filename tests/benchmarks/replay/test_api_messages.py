"""A recorded session as messages."""

from typing import Any

import pytest

from benchmarks.replay.api_messages import Request, recording
from holdfast.engine.messages import check
from tests.benchmarks.replay.test_sessions import BOUNDARY, result, said

Json = dict[str, Any]


def prompt(text: str, **more: Any) -> Json:
    """A user row."""
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def call(name: str) -> Json:
    """A call."""
    return {"id": name, "name": "Bash", "input": {"command": "ls"}}


def kinds(messages: Any) -> list[list[str]]:
    """The types of each message's blocks."""
    return [[block["type"] for block in message["content"]] for message in messages]


def test_rows_of_one_message_and_parallel_results_are_put_together() -> None:
    """Also where their rows alternate; the size is that of the message's first row."""
    rows = [
        prompt("Go."),
        said("Looking.", 1000, "m1", (call("a"),)),
        result("a", "one"),
        said("", 1000, "m1", (call("b"),)),
        result("b", "two"),
        said("Done.", 2000, "m2"),
    ]
    found = recording(rows)
    calls, results = ["text", "tool_use", "tool_use"], ["tool_result", "tool_result"]
    assert kinds(found.messages) == [["text"], calls, results, ["text"]]
    assert found.requests == {1: Request(1000, 0), 3: Request(2000, 0)}
    assert found.model == "claude-opus-4-5"
    check(found.messages)


def test_what_has_no_partner_is_left_out() -> None:
    """A call that was interrupted, a result whose call is not in the file, what comes before the user."""
    rows = [
        said("Earlier.", 10, "m0"),
        result("gone", "x"),
        said("Looking.", 1000, "m1", (call("a"), call("b"))),
        result("b", "two"),
        said("Done.", 2000, "m2"),
    ]
    found = recording(rows)
    assert kinds(found.messages) == [["text"], ["text", "tool_use"], ["tool_result"], ["text"]]
    check(found.messages)


def test_what_the_client_put_in_is_left_out() -> None:
    """Summaries, notes, its own errors, sub-agents; a message that comes again later is a copy."""
    rows = [
        prompt("Go."),
        said("One.", 1000, "m1"),
        prompt("This session is being continued", isCompactSummary=True),
        prompt("Base directory for this skill", isMeta=True),
        {**said("aside", 5, "s1"), "isSidechain": True},
        {**said("API Error", 5, "e1"), "isApiErrorMessage": True},
        prompt("On."),
        said("Two.", 1100, "m2"),
        said("One.", 1000, "m1"),
    ]
    found = recording(rows)
    assert [message["content"][0]["text"] for message in found.messages] == ["Go.", "One.", "On.", "Two."]


@pytest.mark.parametrize(("told", "size"), [({"preTokens": 155_000}, 155_000), ({}, 1000), (None, 1000)])
def test_compactions_are_remembered_with_their_size(told: Any, size: int) -> None:
    """What the client noted, else the last request's."""
    row = {**BOUNDARY, "compactMetadata": told}
    rows = [prompt("Go."), said("One.", 1000, "m1"), row, prompt("On."), said("Two.", 400, "m2")]
    found = recording(rows)
    assert found.compacted == ((2, size),)
    assert found.windows() == [(0, 2, size), (2, 4, 0)]
