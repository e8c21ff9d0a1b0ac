"""Does this context help the model, or does it bury what matters?

Rule: context debt is what a placeholder stands for, what a newer result of the same call replaces, what a newer block
repeats, and what nobody has named for longer than its kind lives. The first reason that holds counts, for the share of
the block that it takes; marked blocks owe nothing. Beside it six measures; what cannot be measured is None and fires no
trigger (engine/shared/triggers.py has their bounds). How much may be irrelevant before it is compressed depends on the
task's size. Source: requirement M (context debt, context quality metrics, adaptive thresholds); lives from
engine/options.py.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from holdfast.engine.blocks import UNKNOWN, Block, BlockKind, BlockState, tokens_of
from holdfast.engine.options import DEFAULTS

Debt = Mapping[str, tuple[str, int]]
"""Id of a block -> why and for how many tokens it carries nothing any more."""


def owed(blocks: Sequence[Block], now: int) -> Debt:
    """What each block owes at turn `now`, in the order of the blocks; those that owe nothing are left out."""
    calls = {block.pair: block.text for block in blocks if block.kind == BlockKind.CALL}
    source = {one.id: (one.about, calls.get(one.pair)) for one in blocks if one.kind == BlockKind.RESULT and one.about}
    newest = {called: name for name, called in source.items()}
    shares = ((block, *_share(block, now, newest.get(source.get(block.id, ("", None)), block.id))) for block in blocks)
    return {block.id: (reason, tokens) for block, reason, share in shares if (tokens := round(block.tokens * share))}


def _share(block: Block, now: int, newest: str) -> tuple[str, float]:
    """Why and for which share, 0..1, a block carries nothing any more."""
    if block.keep or block.kind in (BlockKind.SYSTEM, BlockKind.TOOLS):
        return "", 0
    if block.state == BlockState.PLACEHOLDER:
        return "placeholder", 1
    if block.kind == BlockKind.RESULT and block.id != newest:
        return "superseded", 1
    if block.repeat:
        return "repeated", block.repeat
    life = DEFAULTS.ttl.get(block.kind)
    return ("stale", 1) if life and now - max(block.turn, block.used) > life else ("", 0)


def by_reason(debt: Debt) -> dict[str, int]:
    """Reason -> tokens; every reason stands."""
    totals = dict.fromkeys(("placeholder", "superseded", "repeated", "stale"), 0)
    for reason, tokens in debt.values():
        totals[reason] += tokens
    return totals


class Quality(NamedTuple):
    """The six measures: shares 0..1 of tokens, block_size in tokens. None: cannot be told."""

    relevance: float | None = None
    placement: float | None = None  # mean place of the critical tokens: 0 the beginning, 1 the end
    redundancy: float | None = None
    staleness: float | None = None
    density: float | None = None  # share that is neither debt nor irrelevant
    block_size: float | None = None


def measure(blocks: Sequence[Block], debt: Debt) -> Quality:
    """The quality of a window. Critical are the blocks that are marked to be kept; debt: what the blocks owe."""
    total, reasons = tokens_of(blocks), by_reason(debt)
    if not total:
        return Quality()
    known = [block for block in blocks if block.relevance != UNKNOWN]
    foreign = [block for block in known if block.relevance < 0.3]  # the source's bound for what may enter a message
    wasted = sum(reasons.values()) + tokens_of(block for block in foreign if block.id not in debt)
    return Quality(
        1 - tokens_of(foreign) / max(1, tokens_of(known)) if known else None,
        _placement(blocks, total),
        reasons["repeated"] / total,
        (reasons["superseded"] + reasons["stale"]) / total,
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
    return (20 if tokens < 500 else 30 if tokens <= 2_000 else 40) / 100
