"""Which texts of many are compared with a question?

Rule: J7 over 100,000 records in milliseconds. Texts that have the question's rare words are all looked at (`wide`); of
words that stand in many texts it is only asked which of those have them too (`narrow`). The `POOL` texts with most
weight of words are compared in full. Where fewer have a word of the question, texts with its common words and then the
newest fill the pool: a small collection is compared as a whole, so that letters find what no word finds.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from holdfast.search.ranking import idf

POOL = 100
"""Texts that are compared in full: about 3 ms for short ones, 30 ms for long conversations."""
BUDGET = 3_000
"""Texts that are looked at before that; each costs about a microsecond."""


class Holders(Protocol):
    """Who holds a word: numbers of texts, the newest first."""

    def holding(self, term: str, most: int, others: Sequence[str] = ()) -> list[int]:
        """At most `most` texts that have the term, and one of `others` if there are any."""
        ...

    def newest(self, most: int) -> list[int]:
        """The last that came."""
        ...


class Plan(NamedTuple):
    """Terms, the rarest first."""

    wide: tuple[str, ...]
    narrow: tuple[str, ...]


def plan(frequencies: Mapping[str, int], budget: int = BUDGET) -> Plan:
    """Share the terms out: as many wide as the budget allows, and at least one. Terms nobody has are left out."""
    terms = sorted((count, term) for term, count in frequencies.items() if count)
    wide, spent = 0, 0
    for count, _ in terms:
        spent += count
        if wide and spent > budget:
            break
        wide += 1
    names = tuple(term for _, term in terms)
    return Plan(names[:wide], names[wide:])


def choose(frequencies: Mapping[str, int], total: int, holders: Holders, pool: int = POOL) -> list[int]:
    """Numbers of at most `pool` texts of `total`, the likeliest first; equals by age, the newest first."""
    wide, narrow = plan(frequencies)
    most = max(BUDGET, pool)
    weights = {term: idf(total, count) for term, count in frequencies.items()}
    found: dict[int, float] = {}
    for term in wide:
        _add(found, holders.holding(term, most), weights[term])
    if len(found) > pool:
        least = min(weights[term] for term in wide)
        for term in narrow:
            if frequencies[term] * 5 <= total:  # what more texts have decides nothing among those with a rarer word
                _add(found, holders.holding(term, most, wide), weights[term], least)
    numbers = heapq.nlargest(pool, found, key=lambda number: (found[number], number))
    for term in narrow:
        if len(numbers) < pool:
            numbers = _filled(numbers, holders.holding(term, pool), pool)
    return numbers if len(numbers) >= pool else _filled(numbers, holders.newest(pool), pool)


def _add(found: dict[int, float], numbers: Iterable[int], weight: float, least: float = 0) -> None:
    """least: what a text that was not among the newest of a term has at the least."""
    for number in numbers:
        found[number] = found.get(number, least) + weight


def _filled(numbers: list[int], others: Iterable[int], pool: int) -> list[int]:
    return list(dict.fromkeys([*numbers, *others]))[:pool]
