from typing import Any

import pytest

from holdfast.engine.eviction_scores import DEFAULTS, Settings
from holdfast.engine.options import Options, limit_of, options
from holdfast.errors import BadInput


def test_nothing_given_is_the_defaults() -> None:
    """The documented ones."""
    found = options({})
    assert found == Options()
    assert (found.policy, found.act, found.target, found.summarise) == ("hybrid", 0.75, 0.6, 500)


WRONG: list[tuple[str, Any, str]] = [
    ("policy", "random", "fifo, lru, priority, semantic_merge, type, hybrid"),
    ("preset", 50, "default, capacity"),
    ("profile", "sales", "default, code_review, research, support"),
    ("act", 0, "above 0 and up to 1"),
    ("act", 75, "above 0 and up to 1"),
    ("target", True, "above 0 and up to 1"),
    ("digest", -1, "from 0"),
    ("summarise", 1.5, "from 0"),
    ("goal", None, "a text"),
    ("family", "gpt", "new, old"),
    ("settings", {}, "Settings"),
    ("settings", None, "Settings"),
]


@pytest.mark.parametrize(("key", "value", "allowed"), WRONG, ids=[f"{key}={value!r}" for key, value, _ in WRONG])
def test_a_wrong_value_names_the_key_and_what_is_allowed(key: str, value: object, allowed: str) -> None:
    """One line says all."""
    with pytest.raises(BadInput) as caught:
        options({key: value})
    assert str(caught.value).startswith(f"{key}: {value!r} cannot be")
    assert allowed in str(caught.value)


def test_settings_are_checked_where_they_are_given() -> None:
    """A slip in a weight would otherwise be found at the first eviction."""
    given = Settings(hybrid={**DEFAULTS.hybrid, "recency": 0.9})
    with pytest.raises(BadInput, match=r"settings\.hybrid: the weights sum to 1\.6"):
        options({"settings": given})


def test_an_unknown_key_names_the_known_ones() -> None:
    """A slip of the pen is not ignored."""
    with pytest.raises(BadInput, match=r"polcy: is no option.*policy"):
        options({"polcy": "fifo"})


@pytest.mark.parametrize(("act", "target"), [(0.5, 0.6), (0.6, 0.6)])
def test_the_target_is_below_what_acts(act: float, target: float) -> None:
    """Otherwise every turn would act."""
    with pytest.raises(BadInput, match="target"):
        options({"act": act, "target": target})


@pytest.mark.parametrize("limit", [-1, 1.5, "200000", None, True])
def test_a_limit_is_a_number_of_tokens(limit: object) -> None:
    """0 is a limit that is not known."""
    with pytest.raises(BadInput, match="limit"):
        limit_of(limit)
    assert limit_of(0) == 0
