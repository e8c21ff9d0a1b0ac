import pytest

from holdfast.knowledge.scope import LIMITS, TABLE, misplaced


def test_the_table_is_the_sources() -> None:
    """Ten sorts of information over four levels, and the limits of tokens."""
    assert len(TABLE) == 10
    assert {scope.what for scope in TABLE if not scope.level1} == {
        "implementation details",
        "code snippets",
        "configuration",
    }
    assert LIMITS == {1: 1_000, 2: 500, 3: 3_000}


@pytest.mark.parametrize(
    ("text", "level", "found"),
    [
        ("## Overview\n```py\nx\n```", 1, ("code snippets",)),
        ("def f():", 2, ("code snippets",)),
        ("```\nx\n```", 3, ()),
        ("We import tokens from the vault.", 2, ()),
        ("", 1, ()),
    ],
    ids=["fence", "definition", "details", "prose", "empty"],
)
def test_what_does_not_belong_at_a_level(text: str, level: int, found: tuple[str, ...]) -> None:
    """Code stands at levels 3 and 4 only."""
    assert misplaced(text, level) == found
