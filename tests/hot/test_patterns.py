import pytest

from holdfast.hot.patterns import limit_for, matches


@pytest.mark.parametrize(
    ("name", "patterns", "expected"),
    [
        ("Bash", ["Bash"], True),
        ("Bash2", ["Bash"], False),
        ("mcp__a__b", ["mcp__*"], True),
        ("x", ["*"], True),
        ("", [], False),
        ("", ["*"], True),
    ],
)
def test_patterns(name: str, patterns: list[str], expected: bool) -> None:
    """A pattern is a whole name, or a beginning and a star."""
    assert matches(name, patterns) is expected


@pytest.mark.parametrize(
    ("kind", "limit"),
    [("Explore", 400), ("holdfast:writer", 300), ("general-purpose", 500)],
    ids=["by name", "by pattern", "all others"],
)
def test_the_limit_of_an_agent_type(kind: str, limit: int) -> None:
    """Its own name first, then a pattern, then what holds for all others."""
    assert limit_for({"*": 500, "Explore": 400, "holdfast:*": 300}, kind) == limit
