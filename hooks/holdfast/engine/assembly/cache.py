"""How much of what is sent has the provider read before?

Rule: a request hits the cache as far as it begins as the one before it did; what is shorter than 1,024 tokens is not
cached. Measured over a sequence of requests, for the order in which the tiers are listed and for the cache-aware
order, so that the gain of an order is a figure. Source: requirement N (cache hit rate before and after).
"""

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from holdfast.engine.assembly.tiers import TIERS, Part, assemble, fenced
from holdfast.text.tokens import estimate

Request = Sequence[tuple[str, int]]  # (hash or text, tokens) of each part, in the order in which it is sent


class Rate(NamedTuple):
    """Tokens sent and tokens hit."""

    sent: int
    hit: int

    @property
    def share(self) -> float:
        """0..1; 0 when nothing was sent."""
        return self.hit / self.sent if self.sent else 0


def rate(requests: Sequence[Request]) -> Rate:
    """The hit rate over a sequence of requests; the first one hits nothing."""
    sent = sum(tokens for request in requests for _, tokens in request)
    return Rate(sent, sum(_shared(before, after) for before, after in pairwise(requests)))


def _shared(before: Request, after: Request) -> int:
    """Tokens of the beginning that two requests share; 0 when it is too short to be cached."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    total = sum(one[1] for one, _ in same)
    return total if total >= 1_024 else 0


def compare(requests: Sequence[Sequence[Part]]) -> tuple[Rate, Rate]:
    """The rates of the same parts in the order of the tiers' table, and in the cache-aware one; nothing is left out.

    Raises BadInput as `assemble` does.
    """
    tiers = list(TIERS)
    listed, aware = [], []
    for parts in requests:
        by_tier = sorted(parts, key=lambda part: tiers.index(part.tier))
        listed.append([(fenced(part), part.tokens or estimate(fenced(part))) for part in by_tier])
        aware.append([(one.text, one.tokens) for one in assemble(parts, 10**9).order])
    return rate(listed), rate(aware)
