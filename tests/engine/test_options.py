from typing import Any

import pytest

from holdfast.engine.options import DEFAULTS, Options, Settings, limit_of
from holdfast.errors import BadInput

WRONG: list[tuple[str, Any, str]] = [
    ("policy", "random", "fifo, lru, priority, semantic_merge, type, hybrid"),
    ("preset", 50, "default, capacity"),
    ("profile", "sales", "default, code_review, research, support"),
    ("act", 0, "above 0 and up to 1"),
    ("act", 75, "above 0 and up to 1"),
    ("target", True, "above 0, below act"),
    ("digest", -1, "from 0"),
    ("summarise", 1.5, "from 0"),
    ("goal", None, "a text"),
    ("family", "gpt", "new, old"),
    ("settings", [], "Settings"),
    ("settings", None, "Settings"),
]


@pytest.mark.parametrize(("key", "value", "told"), WRONG, ids=[f"{key}={value!r}" for key, value, _ in WRONG])
def test_a_wrong_value_names_the_key_and_what_is_allowed(key: str, value: Any, told: str) -> None:
    """One line says all."""
    with pytest.raises(BadInput) as caught:
        Options(**{key: value})
    assert str(caught.value).startswith(f"{key}: {value!r} cannot be")
    assert told in str(caught.value)
    assert "Default: " in str(caught.value)


BAD: list[tuple[str, Any, str]] = [
    ("hybrid", {"recency": 1.0}, "duplication, priority, references, type missing or unknown"),
    ("hybrid", {**DEFAULTS.hybrid, "luck": 0.1}, "luck missing or unknown"),
    ("hybrid", [0.3, 0.25, 0.2, 0.15, 0.1], "cannot be"),
    ("priority", {**DEFAULTS.priority, "reuse": 0.5}, "the weights sum to 1.35"),
    ("priority", {**DEFAULTS.priority, "reuse": -0.15}, "-0.15 cannot be"),
    ("priority", {**DEFAULTS.priority, "reuse": "much"}, "'much' cannot be"),
    ("priority", {**DEFAULTS.priority, "reuse": float("nan")}, "nan cannot be"),
    ("ttl", {"speech": 4}, "'speech' cannot be"),
    ("ttl", {"tool_result": 0}, "0 cannot be"),
    ("recency", 0.0, "0.0 cannot be"),
    ("idle", "long", "'long' cannot be"),
    ("full_uses", True, "True cannot be"),
    ("luck", 1, "is no option"),
]


@pytest.mark.parametrize(("key", "value", "message"), BAD, ids=[f"{key}={value!r}" for key, value, _ in BAD])
def test_settings_that_cannot_be_are_refused_where_they_are_made(key: str, value: Any, message: str) -> None:
    """The error names the key, what is wrong with it, and what is allowed."""
    with pytest.raises(BadInput, match=f"settings.{key}") as caught:
        Settings(**{key: value})
    assert message in str(caught.value)
    assert "Allowed: " in str(caught.value)


def test_an_unknown_key_names_the_known_ones() -> None:
    """A slip of the pen is not ignored."""
    with pytest.raises(BadInput, match=r"polcy: is no option.*policy"):
        Options(polcy="fifo")  # type: ignore[call-arg]  # what is tested


@pytest.mark.parametrize(("act", "target"), [(0.5, 0.6), (0.6, 0.6)])
def test_the_target_is_below_what_acts(act: float, target: float) -> None:
    """Otherwise every turn would act."""
    with pytest.raises(BadInput, match="target"):
        Options(act=act, target=target)


@pytest.mark.parametrize("limit", [-1, 1.5, "200000", None, True])
def test_a_limit_is_a_number_of_tokens(limit: object) -> None:
    """0 is a limit that is not known."""
    with pytest.raises(BadInput, match="limit"):
        limit_of(limit)
    assert limit_of(0) == 0
