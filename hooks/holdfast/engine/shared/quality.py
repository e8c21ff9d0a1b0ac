"""Does this context help the model, or does it bury what matters?

Rule: six measures; what cannot be measured is None and fires no trigger (engine/shared/triggers.py has their bounds).
How much may be irrelevant before it is compressed depends on the task's size. Source: requirement M (context quality
metrics, adaptive thresholds).
"""

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.engine.blocks import UNKNOWN, Block, tokens_of
from holdfast.engine.shared import debt


class Quality(NamedTuple):
    """The six measures: shares 0..1 of tokens, block_size in tokens. None: cannot be told."""

    relevance: float | None = None
    placement: float | None = None  # mean place of the critical tokens: 0 the beginning, 1 the end
    redundancy: float | None = None
    staleness: float | None = None
    density: float | None = None  # share that is neither debt nor irrelevant
    block_size: float | None = None


def measure(blocks: Sequence[Block], now: int) -> Quality:
    """The quality of a window at turn `now`. Critical are the blocks that are marked to be kept."""
    total = tokens_of(blocks)
    if not total:
        return Quality()
    owed = debt.owed(blocks, now)
    reasons, idle = debt.by_reason(owed), {one.id for one in owed}
    known = [block for block in blocks if block.relevance != UNKNOWN]
    foreign = [block for block in known if block.relevance < 0.3]  # the source's bound for what may enter a message
    wasted = sum(reasons.values()) + tokens_of(block for block in foreign if block.id not in idle)
    return Quality(
        1 - tokens_of(foreign) / max(1, tokens_of(known)) if known else None,
        _placement(blocks, total),
        reasons[debt.Reason.REPEATED] / total,
        (reasons[debt.Reason.SUPERSEDED] + reasons[debt.Reason.STALE]) / total,
        1 - wasted / total,
        total / len(blocks),
    )


def _placement(blocks: Sequence[Block], total: int) -> float | None:
    critical = before = weighted = 0
    for block in blocks:
        if block.keep:
            critical += block.tokens
            weighted += block.tokens * (2 * before + block.tokens)
        before += block.tokens
    return weighted / (2 * total * critical) if critical else None


def irrelevant_bound(tokens: int) -> float:
    """The share of irrelevant content from which a context of this size is compressed."""
    return 0.2 if tokens < 500 else 0.3 if tokens <= 2_000 else 0.4
