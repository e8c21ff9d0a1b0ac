"""What is asked of the API's context editing, and what its report means for our blocks."""

from typing import Any

import pytest
from anthropic.types.beta import BetaContextManagementResponse
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.blocks import Block, Kind, State
from holdfast.engine.context_editing import cleared, request_edits
from holdfast.engine.manager import ContextWindowManager
from holdfast.errors import BadInput

REPORT: dict[str, Any] = {
    "applied_edits": [
        {"type": "clear_thinking_20251015", "cleared_thinking_turns": 2, "cleared_input_tokens": 900},
        {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 1, "cleared_input_tokens": 4_000},
    ]
}
BLOCKS = [
    Block("1.0", Kind.THINKING, "a", 100, 1, (1, 0)),
    Block("result:a", Kind.RESULT, "r", 4_000, 2, (2, 0), "a"),
    Block("3.0", Kind.THINKING, "b", 100, 2, (3, 0)),
    Block("3.1", Kind.THINKING, "b", 100, 2, (3, 1)),
    Block("result:b", Kind.RESULT, "r", 4_000, 3, (4, 0), "b"),
    Block("5.0", Kind.THINKING, "c", 100, 3, (5, 0)),
]


def test_a_report_means_the_oldest_blocks_of_its_kind() -> None:
    """Thinking is counted by turn, with all its blocks; results one by one."""
    assert [block.id for block in cleared(BLOCKS, REPORT)] == ["1.0", "3.0", "3.1", "result:a"]


def test_what_was_known_to_be_gone_is_not_told_again() -> None:
    """The API tells at each request all that it has cleared; a result of the memory tool is none of it."""
    known = [block._replace(state=State.PLACEHOLDER) if block.id == "result:a" else block for block in BLOCKS]
    assert [block.id for block in cleared(known, REPORT)] == ["1.0", "3.0", "3.1"]
    memory = [block._replace(about="memory /memories/a.md") if block.id == "result:a" else block for block in BLOCKS]
    assert [block.id for block in cleared(memory, REPORT)] == ["1.0", "3.0", "3.1", "result:b"]


def test_the_sdks_own_object_is_read_as_well() -> None:
    """As `answer.context_management` gives it."""
    assert cleared(BLOCKS, BetaContextManagementResponse.model_validate(REPORT)) == cleared(BLOCKS, REPORT)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5), lambda x: st.lists(x) | st.dictionaries(st.text(max_size=5), x)
    )
)
def test_another_report_is_none(report: Any) -> None:
    """A field that is missing, new or of another form clears nothing."""
    assert cleared(BLOCKS, report) == ()
    assert cleared(BLOCKS, {"applied_edits": report}) == ()


def test_off_asks_for_nothing_and_tools_for_both() -> None:
    """The trigger stands at the share of the limit; the memory tool's results are left alone."""
    assert request_edits("off", 0, 0.75) == {}
    assert [edit["type"] for edit in request_edits("thinking", 0, 0.75)["context_management"]["edits"]] == [
        "clear_thinking_20251015"
    ]
    asked = request_edits("tools", 100_000, 0.75)
    assert asked["betas"] == ["context-management-2025-06-27"]
    assert [edit["type"] for edit in asked["context_management"]["edits"]] == [
        "clear_thinking_20251015",
        "clear_tool_uses_20250919",
    ]
    uses = asked["context_management"]["edits"][1]
    assert uses["trigger"] == {"type": "input_tokens", "value": 75_000}
    assert uses["exclude_tools"] == ["memory"]


@pytest.mark.parametrize(
    ("edits", "limit", "said"), [("all", 9, "Allowed: off, thinking, tools"), ("tools", 0, "needs a limit")]
)
def test_what_cannot_be_asked_is_refused(edits: str, limit: int, said: str) -> None:
    """By name, with what is allowed."""
    with pytest.raises(BadInput, match=said):
        request_edits(edits, limit, 0.75)


def test_what_the_api_cleared_is_neither_counted_nor_cleared_again() -> None:
    """The manager's block is small then, its audit says who did it, and what the API cleared stays as it is."""
    manager, messages = ContextWindowManager(20_000), list[Any]([{"role": "user", "content": "Look at all files."}])
    for number in range(24):
        call = {"type": "tool_use", "id": f"t{number}", "name": "read_file", "input": {"path": f"src/f{number}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"value_{number} = 1\n" * 150}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    manager.on_turn_start(messages[:13])
    manager.on_turn_end({"input_tokens": 4_000, "output_tokens": 50}, {"applied_edits": [REPORT["applied_edits"][1]]})
    assert manager.audit[-1]["by"] == "api"
    assert {block.id: block.state for block in manager.blocks}["result:t0"] == State.PLACEHOLDER
    assert 4_050 <= manager.used < 5_000
    turn = manager.on_turn_start(messages)
    assert turn.plans
    changed = [number for number, (sent, own) in enumerate(zip(turn.messages, messages, strict=False)) if sent != own]
    assert 2 not in changed
    assert 4 in changed
