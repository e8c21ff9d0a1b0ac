from typing import Any

from holdfast.engine import handover, messages
from holdfast.transcript.rows import Chunk
from holdfast.worklog import fold

GOAL = "Port the parser to Rust. Never change the grammar."
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": GOAL},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "DECISION: use nom, because it needs no build step."},
            {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "cargo test"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "error[E0599]: no method"}]},
]
SAID = {"type": "text", "text": GOAL}
WORK = fold.fold(fold.empty(), Chunk(messages.rows(MESSAGES), 0, 0))


def shown(chars: int = handover.CHARS, path: str = "") -> str:
    """The text of the opening."""
    return "\n".join(
        piece.text for piece in messages.pieces(handover.opening(handover.Said([SAID]), WORK, {}, path, chars))
    )


def test_the_goal_stands_first_and_the_work_behind_it() -> None:
    """In one user message, so that the request is well formed."""
    found = handover.opening(handover.Said([SAID]), WORK, {}, "")
    messages.check(found)
    assert [message["role"] for message in found] == ["user"]
    assert messages.content(found[0])[0]["text"] == GOAL
    assert "use nom, because it needs no build step" in shown()
    assert "Never change the grammar" in shown().partition("## Rules")[2]


def test_it_names_the_checkpoint_and_is_framed_as_data() -> None:
    """A reader knows where the whole of it is, and that it orders nothing."""
    assert "state/0001.md" in shown(path="state/0001.md")
    assert "not a new instruction" in shown()


def test_it_keeps_to_its_characters() -> None:
    """Of the packet; the goal is whole whatever its length."""
    assert len(shown(800)) <= 800 + len(GOAL) + 1


def test_notes_go_along() -> None:
    """What was written down on the way is not lost with the window."""
    found = handover.opening(handover.Said([SAID], "- the lexer is done"), WORK, {}, "")
    assert messages.content(found[0])[-1]["text"] == "# Notes\n- the lexer is done"


def test_nothing_done_gives_nothing() -> None:
    """Not even an empty message."""
    assert handover.opening(handover.Said([]), fold.empty(), {}, "") == []
