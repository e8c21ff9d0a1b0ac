from typing import Any

import pytest

from holdfast.engine import blocks, messages
from holdfast.engine.blocks import PLACEHOLDER, Edit, Plan
from holdfast.engine.window_state import API, WindowState
from holdfast.errors import BadInput
from holdfast.text.tokens import estimate

CALL = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "make"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "error: port 8080 is taken"}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Start the server."},
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [RESULT]},
    {"role": "assistant", "content": "The port is taken."},
    {"role": "user", "content": "Take 8081."},
]
GONE = Edit("result:t1", "[Evicted]", 3, PLACEHOLDER, "test")


@pytest.fixture
def window() -> WindowState:
    """A window that has read all of it."""
    found = WindowState(estimate, lambda block: f"where/{block.id}")
    found.read(MESSAGES, "You are careful.", [{"name": "bash"}])
    return found


def test_it_holds_each_block_once_system_and_tools_first(window: WindowState) -> None:
    """In the order in which they are sent."""
    kinds = [block.kind for block in window.blocks]
    assert kinds[:2] == [blocks.SYSTEM, blocks.TOOLS]
    assert kinds[2:] == [blocks.USER, blocks.CALL, blocks.RESULT, blocks.ASSISTANT, blocks.USER]
    window.read(MESSAGES, "You are careful.", [{"name": "bash"}])
    assert len(window.blocks) == len(kinds)


def test_a_system_prompt_that_changes_is_counted_anew(window: WindowState) -> None:
    """In its old place."""
    window.read(MESSAGES, "You are careful. " * 50)
    assert window.blocks[0].tokens == estimate("You are careful. " * 50)


def test_a_plan_changes_blocks_view_and_record_together(window: WindowState) -> None:
    """What was done is told with what it cost in the cache."""
    before = next(block for block in window.blocks if block.id == "result:t1").tokens
    told = window.carry_out(Plan("test", (GONE,), before - 3, calls=2))
    assert (told["by"], told["freed"], told["calls"], told["turn"]) == ("test", before - 3, 2, 2)
    assert told["changes"] == [{"id": "result:t1", "about": "Bash make", "before": before, "after": 3, "why": "test"}]
    assert told["rewritten"] == 3 + sum(block.tokens for block in window.blocks[5:])
    assert next(block for block in window.blocks if block.id == "result:t1").state == PLACEHOLDER
    sent = window.show()
    messages.check(sent)
    assert messages.content(sent[2])[0]["content"] == "[Evicted]"
    assert MESSAGES[2]["content"] == [RESULT]


def test_the_caller_may_go_on_with_either_list(window: WindowState) -> None:
    """A third one is refused: what was decided rests on what was read."""
    window.carry_out(Plan("test", (GONE,), 1))
    sent = window.show()
    more = [{"role": "assistant", "content": "8081 it is."}, {"role": "user", "content": "Good."}]
    window.read([*sent, *more])
    assert window.history == [*MESSAGES, *more]
    window.show()
    window.read([*MESSAGES, *more])
    with pytest.raises(BadInput, match="have changed"):
        window.read([*MESSAGES[:2], *more])


def test_a_placeholder_says_where_the_whole_is(window: WindowState) -> None:
    """Of a call only its size and place, since its name stands beside it."""
    named = {block.id: block for block in window.blocks}
    assert "whole: where/result:t1" in window.placeholder(named["result:t1"], ())
    assert window.placeholder(named["call:t1"], ()).startswith("[Evicted: ")


def test_what_the_api_cleared_is_counted_and_still_sent(window: WindowState) -> None:
    """It clears what it is sent; the caller's messages stay as they are."""
    gone = [block for block in window.blocks if block.id == "result:t1"]
    plan = window.cleared(gone)
    assert (plan.by, plan.freed) == (API, gone[0].tokens)
    window.carry_out(plan)
    assert window.show() == MESSAGES
    assert blocks.tokens_of(block for block in window.blocks if block.id == "result:t1") == 0


def test_what_it_is_judged_against(window: WindowState) -> None:
    """Goal and newest request by id, the last answer by its place."""
    context = window.context()
    assert (context.goal, context.request, window.goal()) == (
        "0.0",
        "4.0",
        [{"type": "text", "text": "Start the server."}],
    )
    assert (context.turn, context.answering) == (2, 3)
