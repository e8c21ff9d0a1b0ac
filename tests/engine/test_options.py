from typing import Any

import pytest

from holdfast.engine.options import DEFAULTS, Options, Settings, limit_of
from holdfast.errors import BadInput

WRONG: list[tuple[type, str, Any, str]] = [
    (Options, "policy", "random", "fifo, lru, priority, semantic_merge, type, hybrid"),
    (Options, "act", 0, "above 0 and up to 1"),
    (Options, "target", True, "above 0, below act"),
    (Options, "act", 0.5, "0.6 is not below act (0.5)"),
    (Options, "digest", -1, "from 0"),
    (Options, "goal", None, "a text"),
    (Options, "settings", [], "Settings"),
    (Options, "luck", 1, "is no option. Allowed: policy"),
    (Settings, "hybrid", {"recency": 1.0}, "duplication, priority, references, type missing or unknown"),
    (Settings, "hybrid", {**DEFAULTS.hybrid, "luck": 0.1}, "luck missing or unknown"),
    (Settings, "priority", {**DEFAULTS.priority, "reuse": 0.5}, "the weights sum to 1.35"),
    (Settings, "priority", {**DEFAULTS.priority, "reuse": -0.15}, "-0.15 cannot be"),
    (Settings, "priority", {**DEFAULTS.priority, "reuse": float("nan")}, "nan cannot be"),
    (Settings, "ttl", {"speech": 4}, "'speech' cannot be"),
    (Settings, "ttl", {"tool_result": 0}, "0 cannot be"),
    (Settings, "recency", 0.0, "0.0 cannot be"),
    (Settings, "full_uses", True, "True cannot be"),
    (Settings, "luck", 1, "is no option"),
]


@pytest.mark.parametrize(
    ("kind", "key", "value", "told"), WRONG, ids=[f"{key}={value!r}" for _, key, value, _ in WRONG]
)
def test_a_wrong_value_names_the_key_and_what_is_allowed(kind: type, key: str, value: Any, told: str) -> None:
    """One line says all: the key, what is wrong with it, what is allowed, and the default."""
    with pytest.raises(BadInput) as caught:
        kind(**{key: value})
    where = "target" if told.startswith("0.6") else key
    assert str(caught.value).startswith(f"settings.{key}" if kind is Settings else f"{where}: ")
    assert told in str(caught.value)
    assert "Allowed: " in str(caught.value)
    assert "Default: " in str(caught.value) or key == "luck"


@pytest.mark.parametrize("limit", [-1, 1.5, "200000", None, True])
def test_a_limit_is_a_number_of_tokens(limit: object) -> None:
    """0 is a limit that is not known; and the target is below what acts, else every turn would act."""
    with pytest.raises(BadInput, match="limit"):
        limit_of(limit)
    assert limit_of(0) == 0
    for act in (0.5, 0.6):
        with pytest.raises(BadInput, match="target"):
            Options(act=act, target=0.6)
