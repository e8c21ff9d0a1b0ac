"""What each policy would keep."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine import eviction_scores
from holdfast.engine.blocks import ASSISTANT, KINDS, MEMORY, RESULT, THINKING, USER, Block
from holdfast.engine.eviction_scores import DEFAULTS, SCORERS, WHICH, Settings, checked, settled
from holdfast.errors import BadInput

NOW = 40
OLD, NEW = Block("a", RESULT, "", 900, 2), Block("b", RESULT, "", 900, 38)


@pytest.mark.parametrize(
    ("policy", "leaves", "stays"),
    [
        ("fifo", OLD, NEW),
        ("lru", OLD._replace(turn=30), OLD._replace(used=39, uses=1)),
        ("priority", OLD, OLD._replace(relevance=0.9)),
        ("priority", OLD, OLD._replace(uses=5)),
        ("priority", OLD, OLD._replace(kind=USER)),
        ("priority", OLD, OLD._replace(keep=True)),
        ("type", NEW._replace(kind=THINKING, turn=38), NEW._replace(kind=RESULT, turn=36)),
        ("type", OLD._replace(turn=25), OLD._replace(kind=MEMORY, turn=25)),
        ("type", OLD._replace(kind=MEMORY, turn=15), OLD._replace(kind=ASSISTANT, turn=15)),
        ("hybrid", OLD._replace(repeat=1.0), OLD),
        ("hybrid", OLD, OLD._replace(used=39)),
        ("hybrid", OLD, NEW),
    ],
)
def test_what_leaves_first(policy: str, leaves: Block, stays: Block) -> None:
    """The lower score leaves; above all, what is idle leaves before what is used."""
    assert SCORERS[policy](leaves, NOW, DEFAULTS) < SCORERS[policy](stays, NOW, DEFAULTS)


@given(
    st.sampled_from(sorted(SCORERS)),
    st.builds(
        Block,
        st.just("x"),
        st.sampled_from(KINDS),
        st.just(""),
        st.integers(0, 10**6),
        st.integers(0, 500),
        used=st.integers(0, 500),
        uses=st.integers(0, 99),
        relevance=st.floats(0, 1),
        repeat=st.floats(0, 1),
        keep=st.booleans(),
    ),
    st.integers(500, 5_000),
)
def test_every_score_is_a_share(policy: str, block: Block, now: int) -> None:
    """Whatever the block, from 0 to 1."""
    assert 0 <= SCORERS[policy](block, now, DEFAULTS) <= 1 + 1e-9


def test_the_weights_are_the_documented_ones_and_sum_to_one() -> None:
    """.30, .25, .20, .15, .10, in this order."""
    assert list(DEFAULTS.hybrid.values()) == [0.30, 0.25, 0.20, 0.15, 0.10]
    assert list(DEFAULTS.priority.values()) == [0.30, 0.25, 0.20, 0.15, 0.10]


def test_other_weights_change_what_leaves() -> None:
    """A user who weighs duplication alone keeps what is old and said once."""
    only = settled(Settings(hybrid={name: float(name == "duplication") for name in DEFAULTS.hybrid}))
    assert eviction_scores.hybrid(OLD, NOW, only) > eviction_scores.hybrid(NEW._replace(repeat=0.5), NOW, only)


WRONG: list[tuple[str, Any, str]] = [
    ("hybrid", {"recency": 1.0}, "duplication, priority, references, type missing or unknown"),
    ("hybrid", {**DEFAULTS.hybrid, "luck": 0.1}, "luck missing or unknown"),
    ("hybrid", [0.3, 0.25, 0.2, 0.15, 0.1], "cannot be"),
    ("priority", {**DEFAULTS.priority, "reuse": 0.5}, "the weights sum to 1.35"),
    ("priority", {**DEFAULTS.priority, "reuse": -0.15}, "a weight is negative"),
    ("priority", {**DEFAULTS.priority, "reuse": "much"}, "a weight is negative or no number"),
    ("priority", {**DEFAULTS.priority, "reuse": float("nan")}, "a weight is negative or no number"),
    ("ttl", {"speech": 4}, "speech unknown"),
    ("ttl", {1: 4}, "cannot be"),
    ("ttl", {RESULT: 0}, "0 cannot be"),
    ("recency", 0.0, "0.0 cannot be"),
    ("idle", "long", "'long' cannot be"),
    ("full_uses", True, "True cannot be"),
]


@pytest.mark.parametrize(("key", "value", "message"), WRONG, ids=[f"{key}={value!r}" for key, value, _ in WRONG])
def test_settings_that_cannot_be_are_refused_by_name(key: str, value: Any, message: str) -> None:
    """The error names the key, and what is wrong with it."""
    with pytest.raises(BadInput, match=f"settings.{key}") as caught:
        settled(DEFAULTS._replace(**{key: value}))
    assert message in str(caught.value)


def test_the_defaults_can_be() -> None:
    """They are held to the same rules."""
    assert settled(DEFAULTS) == DEFAULTS


def test_an_unknown_policy_is_refused_with_the_allowed_ones() -> None:
    """Each policy by name; the table that helps to choose names only such."""
    assert [checked(policy) for policy in SCORERS] == list(SCORERS)
    with pytest.raises(BadInput, match="fifo, lru, priority, semantic_merge, type, hybrid"):
        checked("random")
    assert {policy for _, policy, _ in WHICH} <= set(SCORERS)
