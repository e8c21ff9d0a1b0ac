from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.config import table as config

ODD: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
RAW = st.dictionaries(
    st.sampled_from([*config.TABLE, "handoff", "digest", "suggest", "$schema", "nonsense"]) | st.text(max_size=8),
    ODD | st.dictionaries(st.sampled_from(["limit", "steps", "tokens", "x"]), ODD, max_size=3),
    max_size=5,
)


@given(st.lists(st.tuples(st.sampled_from(["home", "project"]), RAW), max_size=3))
def test_merge_always_gives_valid_values(layers: list[tuple[str, dict[str, Any]]]) -> None:
    """Whatever is handed in: every key is there, every value is allowed, nothing raises."""
    values, problems = config.merge(layers)
    assert values.keys() == config.TABLE.keys()
    assert [key for key, value in values.items() if config.check(key, value)] == []
    assert all(problem.startswith(("home: ", "project: ")) for problem in problems)


def test_the_last_layer_that_is_right_wins() -> None:
    """project over home over plugin option; a wrong value falls back to the layer below."""
    layers: list[tuple[str, dict[str, Any]]] = [
        ("option", {"handoff.limit": 300}),
        ("home", {"handoff": {"limit": 400}}),
        ("project", {"handoff.limit": 5}),
    ]
    values, problems = config.merge(layers)
    assert values["handoff.limit"] == 400
    assert problems == ["project: handoff.limit is 5; allowed: a whole number from 100 to 4000; 400 is used instead"]


def test_an_unknown_key_is_named_with_its_neighbours() -> None:
    """The message names file, key and what may have been meant."""
    _, problems = config.merge([("config.json", {"handof": {"limit": 400}, "nothing": 1})])
    assert problems[0].startswith("config.json: handof.limit is not a setting (did you mean handoff.limit")
    assert problems[1] == "config.json: nothing is not a setting; it is ignored"


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("handoff.limit", [100, 4000], [99, 4001, "500", 500.0, True, None, []]),
        ("handoff.decision", [True, False], [1, 0, "true", None]),
        ("pressure.preset", ["default", "capacity"], ["Default", "", None, []]),
        ("digest.tools", [[], ["Bash", "mcp__*"]], ["Bash", [1], None, {}]),
        ("suggest.steps", [[], [1], [10, 20]], [[20, 10], [10, 10], [0], [True], "50", 50]),
        ("handoff.limits", [{}, {"Explore": 100}], [{"Explore": 1}, {"Explore": "9"}, [], 100]),
    ],
)
def test_what_each_kind_allows(key: str, good: list[Any], bad: list[Any]) -> None:
    """Bounds hold at their edges, and no value of another type passes for one of its kind."""
    assert [value for value in good if config.check(key, value)] == []
    assert [value for value in bad if not config.check(key, value)] == []


def test_defaults_are_right_and_fresh() -> None:
    """Every default keeps its own rule, and one caller's change is not another's."""
    first = config.defaults()
    assert [key for key, value in first.items() if config.check(key, value)] == []
    first["digest.tools"].append("x")
    first["handoff.limits"]["x"] = 1
    assert config.defaults() != first
    assert config.merge([])[0] == config.defaults()


def test_the_schema_describes_the_table() -> None:
    """Every key stands in the schema with default and meaning, and nothing else does."""
    properties = config.schema()["properties"]
    found = {
        f"{group}.{name}": shape
        for group in properties
        if group != "$schema"
        for name, shape in properties[group]["properties"].items()
    }
    assert found.keys() == config.TABLE.keys()
    assert all(shape["default"] == config.TABLE[key][2] and shape["description"] for key, shape in found.items())
    assert found["handoff.limit"]["minimum"] == 100
    assert found["pressure.preset"]["enum"] == ["default", "capacity"]


KINDS = st.sampled_from(["Explore", "general-purpose", "my-agent", "other", ""])


@given(
    st.lists(st.sampled_from(["*", "Explore", "my-agent", "other"]), max_size=3),
    st.dictionaries(st.sampled_from(["Explore", "my-agent", "other"]), st.integers(100, 4000), max_size=3),
    KINDS,
)
def test_limit_per_agent_type(agents: list[str], limits: dict[str, int], kind: str) -> None:
    """An agent type has its own limit, else the common one, and none where the limit does not hold for it."""
    values = {**config.defaults(), "handoff.agents": agents, "handoff.limits": limits}
    table = config.handoff_limits(values)
    held = "*" in agents or kind in agents
    assert table.get(kind, table["*"]) == (limits.get(kind, 500) if held else 0)
