"""Which part of a window no longer helps to decide anything?

Rule: context debt is what a placeholder stands for, what a newer result of the same call replaces, what a newer block
repeats, and what nobody has named for longer than its kind lives. The first reason that holds counts, for the share of
the block that it takes; marked blocks owe nothing. Source: requirement M (context debt: obsolete plans, duplicated
reasoning, stale diffs); lives from engine/options.py.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from holdfast.engine.blocks import Block, BlockKind, BlockState
from holdfast.engine.options import DEFAULTS


class Reason(StrEnum):
    """Why a block carries nothing any more."""

    PLACED = "placeholder"
    SUPERSEDED = "superseded"
    REPEATED = "repeated"
    STALE = "stale"


class Owed(NamedTuple):
    """What one block owes."""

    id: str
    reason: str
    tokens: int


def owed(blocks: Sequence[Block], now: int) -> list[Owed]:
    """What each block owes at turn `now`, in the order of the blocks; those that owe nothing are left out."""
    newest = {block.about: block.id for block in blocks if block.kind == BlockKind.RESULT and block.about}
    found = []
    for block in blocks:
        reason, share = _share(block, now, newest.get(block.about, block.id))
        tokens = round(block.tokens * share)
        if tokens:
            found.append(Owed(block.id, reason, tokens))
    return found


def _share(block: Block, now: int, newest: str) -> tuple[str, float]:
    """Why and for which share, 0..1, a block carries nothing any more."""
    if block.keep or block.kind in (BlockKind.SYSTEM, BlockKind.TOOLS):
        return "", 0
    if block.state == BlockState.PLACEHOLDER:
        return Reason.PLACED, 1
    if block.kind == BlockKind.RESULT and block.id != newest:
        return Reason.SUPERSEDED, 1
    if block.repeat:
        return Reason.REPEATED, block.repeat
    life = DEFAULTS.ttl.get(block.kind)
    return (Reason.STALE, 1) if life and now - max(block.turn, block.used) > life else ("", 0)


def by_reason(found: Iterable[Owed]) -> dict[str, int]:
    """Reason -> tokens; every reason stands."""
    totals = dict.fromkeys(map(str, Reason), 0)
    for one in found:
        totals[one.reason] += one.tokens
    return totals
