import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.blocks import by_component
from holdfast.errors import BadInput
from holdfast.gauge import budget
from holdfast.gauge.budget import Budget


def turns(account: Budget, component: str, grown: list[int]) -> Budget:
    for tokens in grown:
        account = budget.end_turn(budget.track(account, component, tokens))
    return account


def row_of(account: Budget, component: str) -> budget.ComponentUse:
    return next(row for row in budget.rows(account) if row.component == component)


def test_the_default_shares() -> None:
    assert set(budget.NAMES) == set(by_component([]))
    expected = {"system": 12_000, "tools": 8_000, "history": 130_000, "results": 24_000, "memory": 16_000}
    assert budget.allocate(200_000).limits == {**expected, "output": 10_000}


@given(st.integers(8_000, 2_000_000), st.sampled_from(list(budget.PROFILES)))
def test_the_output_reserve_is_never_too_small(limit: int, profile: str) -> None:
    limits = budget.allocate(limit, profile).limits
    assert limits["output"] >= 4_000
    assert sum(limits.values()) == limit
    assert min(limits.values()) >= 0


def test_what_output_lacks_comes_out_of_the_largest() -> None:
    """At 32K its 5 % are 1,600; where there is no room there is no budget; of rounded shares nothing is lost."""
    with pytest.raises(BadInput, match="output reserve is 4,000"):
        budget.allocate(0)
    limits = budget.allocate(32_000).limits
    assert (limits["output"], limits["history"], limits["results"]) == (4_000, 20_800 - 2_400, 3_840)
    account = budget.allocate(100_000, shares={"history": 0.6667, "results": 0.2833, "output": 0.0505})
    assert sum(account.limits.values()) == 100_000


@pytest.mark.parametrize(
    ("tokens", "allowed", "warning", "excess"),
    [(19_199, True, False, 0), (19_200, True, True, 0), (24_000, True, True, 0), (24_001, False, True, 1)],
    ids=["below 80 %", "80 %", "100 %", "above"],
)
def test_soft_warns_and_hard_refuses(tokens: int, allowed: bool, warning: bool, excess: int) -> None:
    verdict = budget.allow(budget.allocate(200_000), "results", tokens)
    assert verdict[:3] == (allowed, warning, excess)
    assert bool(verdict.said) == warning
    assert ("too many" in verdict.said) == (not allowed)


def test_asking_counts_nothing_and_tracking_refuses_nothing() -> None:
    account = budget.allocate(200_000)
    budget.allow(account, "results", 90_000)
    assert account.used["results"] == 0
    account = budget.track(account, "results", 90_000)
    assert row_of(account, "results").share == 90_000 / 24_000
    assert budget.allow(account, "results", 0).excess == 66_000


@pytest.mark.parametrize(("component", "tokens"), [("results", -1), ("result", 1)], ids=["negative", "unknown"])
def test_what_cannot_be_counted_is_named(component: str, tokens: int) -> None:
    with pytest.raises(BadInput, match=component):
        budget.allow(budget.allocate(200_000), component, tokens)


@pytest.mark.parametrize(
    ("grown", "left", "urgency"),
    [
        ([], None, "normal"),
        ([1_000, 1_000], 22, "normal"),
        ([1_200] * 10, 10, "normal"),
        ([1_200] * 11, 9, "warning"),
        ([8_000], 2, "critical"),
        ([30_000], 0, "critical"),
    ],
    ids=["no turn", "slow", "ten", "nine", "two", "over"],
)
def test_turns_left_and_urgency(grown: list[int], left: int | None, urgency: str) -> None:
    row = row_of(turns(budget.allocate(200_000), "results", grown), "results")
    assert (row.turns_left, row.urgency) == (left, urgency)


def test_the_burn_rate_counts_what_grew_in_the_last_twenty_turns() -> None:
    """Older turns are forgotten, one without growth counts, what was evicted does not; what is left out is kept."""
    account = turns(budget.allocate(200_000), "results", [9_000] * 3 + [100] * 10 + [0] * 10)
    assert row_of(account, "results").per_turn == 50
    account = budget.track(budget.allocate(200_000), "memory", 500)
    account = budget.end_turn(budget.settle(account, {"results": 8_000, "history": 3_000}))
    account = budget.end_turn(budget.settle(account, {"results": 2_000, "history": 4_000}))
    assert (account.used["results"], account.used["history"], account.used["memory"]) == (2_000, 4_000, 500)
    assert row_of(account, "results").per_turn == 4_000
    assert row_of(account, "history").per_turn == 2_000
