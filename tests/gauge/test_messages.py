import pytest

from holdfast.gauge.messages import Facts, left, suggestion, use

LINE = "/compact keep x"


@pytest.mark.parametrize(
    ("facts", "first"),
    [
        (
            Facts("step-50", 51, 84_000, 167_000, "yellow", 12, ""),
            "Holdfast: 50 tool calls, 84k of 167k tokens used (50 %), about 12 turns left, "
            "compact at the next natural breakpoint.",
        ),
        (
            Facts("zone-red-7", 7, 160_000, 167_000, "red", 1, "a commit"),
            "Holdfast: 7 tool calls, 160k of 167k tokens used (95 %), about 1 turn left, good moment: a commit.",
        ),
        (
            Facts("step-50", 50, 84_000, 0, "unknown", None, ""),
            "Holdfast: 50 tool calls, 84k tokens used, limit unknown.",
        ),
        (Facts("step-50", 50, 0, 0, "unknown", None, ""), "Holdfast: 50 tool calls, context used: not known yet."),
    ],
    ids=["step", "zone", "no limit", "nothing known"],
)
def test_a_suggestion_is_two_lines(facts: Facts, first: str) -> None:
    """What is so, then the line to paste; unknown figures are called unknown."""
    assert suggestion(facts, LINE).split("\n") == [first, LINE]


@pytest.mark.parametrize(
    ("tokens", "limit", "text"),
    [
        (0, 100, "context used: not known yet"),
        (50, 0, "50 tokens used, limit unknown"),
        (50, 100, "50 of 100 tokens used (50 %)"),
        (120, 100, "120 of 100 tokens used (120 %)"),
    ],
)
def test_use(tokens: int, limit: int, text: str) -> None:
    """Honest about what is not known."""
    assert use(tokens, limit) == text


@pytest.mark.parametrize(
    ("turns", "text"), [(None, ""), (0, "about 0 turns left"), (1, "about 1 turn left"), (9, "about 9 turns left")]
)
def test_left(turns: int | None, text: str) -> None:
    """Turns, or nothing where it cannot be told."""
    assert left(turns) == text
