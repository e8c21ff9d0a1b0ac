"""Plans and what they cost in the cache."""

import math

from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.blocks import PLACEHOLDER, RESULT, Block, tokens_of
from holdfast.engine.plan import READ_PRICE, WRITE_PRICE, Change, cost, plan

WINDOW = [Block(name, RESULT, "", 1_000, 1) for name in "abcd"]


def gone(name: str, tokens: int = 50) -> Change:
    """A block replaced."""
    return Change(name, "…", tokens, PLACEHOLDER, "test")


def test_a_plan_says_what_it_frees_and_what_it_misses() -> None:
    """Tokens before, less those after; what is still wanted is named."""
    by_id = {block.id: block for block in WINDOW}
    made = plan("eviction", by_id, [gone("a"), gone("c")], 3_000)
    assert (made.freed, made.short) == (1_900, 1_100)
    assert plan("eviction", by_id, [gone("a")], 500).short == 0


def test_what_stands_behind_the_first_change_is_written_once_more() -> None:
    """Further changes behind the first cost nothing more."""
    assert cost(WINDOW, [gone("b")]).rewritten == 2_050
    assert cost(WINDOW, [gone("b"), gone("d")]).rewritten == 1_100
    assert cost(WINDOW, [gone("d")]).rewritten == 50


def test_it_has_paid_for_itself_after_so_many_turns() -> None:
    """The dearer writing against what is no longer read on each turn; never, when nothing is freed."""
    spent = cost(WINDOW, [gone("b")])
    assert spent.price == 2_050 * (WRITE_PRICE - READ_PRICE)
    assert spent.pays_after == spent.price / (950 * READ_PRICE)
    assert cost(WINDOW, [gone("b", 1_000)]).pays_after == math.inf
    assert cost(WINDOW, []) == (0, 0.0, math.inf)


@given(st.sets(st.sampled_from("abcd")), st.integers(0, 1_000))
def test_never_more_is_rewritten_than_the_window_holds(names: set[str], tokens: int) -> None:
    """And no less than what the changes themselves have."""
    changes = [gone(name, tokens) for name in sorted(names)]
    assert tokens * len(names) <= cost(WINDOW, changes).rewritten <= tokens_of(WINDOW)
