"""Does this context help the model, or does it bury what matters?

Rule: six measures with a target each (TARGETS): what is relevant, where the critical stands, what is said twice, what
is outdated, how dense it is, how long its blocks are. What cannot be measured is None and misses no target. Blocks of
a window are longer than 150 tokens as a rule; the target is for texts that are written for a model, so callers ask for
it there. How much may be irrelevant before it is compressed depends on the task's size. Source: requirement M
(context quality metrics, adaptive thresholds).
"""

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.engine.blocks import Block, tokens_of
from holdfast.engine.shared import debt

UNKNOWN = 0.5
"""A block's relevance when nobody has measured it."""
RELEVANT = 0.3
"""From here on a block belongs to the task: the source's bound for what may enter a message."""
COMPLEX_LESS = 0.1
"""A complex task is compressed this much earlier ("more aggressive"; the source names no figure)."""
IRRELEVANT = ((499, 0.20), (2_000, 0.30))
"""(context of at most, share of irrelevant tokens from which it is compressed); IRRELEVANT_LONG above."""
IRRELEVANT_LONG = 0.40

AT_LEAST, AT_MOST = "at least", "at most"


class Target(NamedTuple):
    """What a measure should be."""

    side: str
    value: float
    todo: str


TARGETS = {
    "relevance": Target(AT_LEAST, 0.80, "leave out what the task does not need"),
    "placement": Target(AT_MOST, 0.25, "move what is critical to the beginning"),
    "redundancy": Target(AT_MOST, 0.15, "keep the newest of what is said twice"),
    "staleness": Target(AT_MOST, 0.10, "drop what newer results replace"),
    "density": Target(AT_LEAST, 0.75, "condense what says little"),
    "block_size": Target(AT_MOST, 150, "break long blocks into parts with a heading each"),
}


class Quality(NamedTuple):
    """The six measures: shares 0..1 of tokens, block_size in tokens. None: cannot be told."""

    relevance: float | None = None
    placement: float | None = None
    """Mean place of the critical tokens: 0 the beginning, 1 the end."""
    redundancy: float | None = None
    staleness: float | None = None
    density: float | None = None
    """Share that is neither debt nor irrelevant."""
    block_size: float | None = None


def measure(blocks: Sequence[Block], now: int) -> Quality:
    """The quality of a window at turn `now`. Critical are the blocks that are marked to be kept."""
    total = tokens_of(blocks)
    if not total:
        return Quality()
    owed = debt.owed(blocks, now)
    reasons = debt.by_reason(owed)
    known = [block for block in blocks if block.relevance != UNKNOWN]
    idle = {one.id for one in owed}
    foreign = sum(block.tokens for block in known if block.relevance < RELEVANT and block.id not in idle)
    return Quality(
        1 - irrelevant(known) if known else None,
        _placement(blocks, total),
        reasons[debt.REPEATED] / total,
        (reasons[debt.SUPERSEDED] + reasons[debt.STALE]) / total,
        1 - (sum(reasons.values()) + foreign) / total,
        total / len(blocks),
    )


def irrelevant(blocks: Sequence[Block]) -> float:
    """Share of tokens in blocks that do not belong to the task."""
    return sum(block.tokens for block in blocks if block.relevance < RELEVANT) / max(1, tokens_of(blocks))


def _placement(blocks: Sequence[Block], total: int) -> float | None:
    critical, before, weighted = 0, 0, 0.0
    for block in blocks:
        if block.keep:
            critical += block.tokens
            weighted += block.tokens * (before + block.tokens / 2) / total
        before += block.tokens
    return weighted / critical if critical else None


def missed(quality: Quality) -> dict[str, str]:
    """Measure -> what to do about it, of those that miss their target."""
    return {
        name: target.todo
        for name, target in TARGETS.items()
        if (value := getattr(quality, name)) is not None
        and (value < target.value if target.side == AT_LEAST else value > target.value)
    }


def irrelevant_bound(tokens: int, complex_task: bool = False) -> float:
    """The share of irrelevant content from which a context of this size is compressed."""
    share = next((share for most, share in IRRELEVANT if tokens <= most), IRRELEVANT_LONG)
    return share - COMPLEX_LESS if complex_task else share
