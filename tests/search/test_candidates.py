from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from holdfast.search.index import BUDGET, POOL, choose
from holdfast.search.sqlite import Among


class Fake(Among):
    """Holders over a table: term -> numbers."""

    def __init__(self, table: dict[str, set[int]], total: int) -> None:
        self.table, self.total = table, total

    def holding(self, term: str, most: int, others: Sequence[str] = ()) -> list[int]:
        found = self.table.get(term, set())
        if others:
            found = found & set().union(*(self.table.get(other, set()) for other in others))
        return sorted(found, reverse=True)[:most]

    def newest(self, most: int) -> list[int]:
        return list(range(self.total, 0, -1))[:most]

    def choose(self, pool: int) -> list[int]:
        return choose({term: len(found) for term, found in self.table.items()}, self.total, self, pool)


def test_who_has_more_of_the_rare_words_comes_first() -> None:
    """Then who has one of them and the common word."""
    common = set(range(1, 20_001, 7))
    table = {"rare": set(range(5, 900)), "rarer": {7, 8}, "common": common}
    found = Fake(table, 100_000).choose(5)
    assert set(found[:2]) == {7, 8}
    assert all(number in table["rare"] & common for number in found[2:])


@given(st.dictionaries(st.text(min_size=1, max_size=2), st.sets(st.integers(1, 40)), max_size=6), st.integers(1, 50))
def test_as_many_as_the_pool_holds_and_none_twice(table: dict[str, set[int]], pool: int) -> None:
    found = Fake(table, 40).choose(pool)
    assert len(found) == len(set(found)) == min(pool, 40)


def test_common_words_alone_fill_the_pool_with_those_that_have_them_all() -> None:
    """Old ones, too, beyond the newest of the rarest word."""
    both = {3, 4}
    table = {"a": set(range(1, 4 * BUDGET)), "b": {*range(4 * BUDGET, 8 * BUDGET), *both, 5 * BUDGET}}
    table["a"] |= {9 * BUDGET}
    assert both <= set(Fake(table, 100 * BUDGET).choose(POOL))
