"""The tool with which a model asks for what left the window."""

from holdfast.core.blocks import RESULT, Block
from holdfast.policy.window import placeholder
from holdfast.policy.window.recall import RECALL_TOOL


def test_it_asks_for_the_name_that_a_placeholder_gives() -> None:
    """The description shows the mark and the word that stand in a placeholder, so that a model finds the name."""
    shown = placeholder.text(Block("result:t", RESULT, "x" * 900, 300, 2), placeholder.Left("a7"))
    assert shown.startswith(placeholder.START)
    assert "whole: a7]" in shown
    assert f"{placeholder.START}…; whole: NAME]" in RECALL_TOOL["description"]
    assert RECALL_TOOL["input_schema"]["required"] == ["name"]
