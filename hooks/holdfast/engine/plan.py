"""What is done to the blocks of a window, and what does it cost in cache misses?

Rule: every policy and strategy answers with the same value, a plan of changes by block id; nothing is changed before
the plan is whole. The prompt cache holds a prefix, so the first change makes everything behind it be written anew once:
that is counted before it is done, and further changes behind the first cost nothing more. Prices are multiples of an
input token's: a cache read .1, a write 1.25 (Messages API, five-minute cache). Source: requirements E and K6.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from holdfast.engine.blocks import Block, tokens_of

READ_PRICE, WRITE_PRICE = 0.1, 1.25


class Change(NamedTuple):
    """What stands in a block's place from now on."""

    id: str
    text: str | None
    """None: the block is left out. Of a call only long inputs are replaced."""
    tokens: int
    """Of the new text."""
    state: str
    why: str
    """The policy or strategy, and what it went by."""


class Plan(NamedTuple):
    """Changes that belong together: all of them are made, or none."""

    by: str
    """The policy or strategy."""
    changes: tuple[Change, ...] = ()
    freed: int = 0
    """Tokens that leave the window."""
    calls: int = 0
    """Calls of a model that it took."""
    note: str = ""
    """What the user should know, e.g. that a model failed and the offline way was taken."""
    short: int = 0
    """Tokens by which the target is missed; 0 when it is met."""
    cut: int = 0
    """Messages before this index give way to the goal and `summary`; 0 for none."""
    summary: str = ""
    fidelity: float | None = None
    """Of a summary: the share of what must not be lost that it held before the rest was added; None for no summary."""
    carried: tuple[tuple[int, int], ...] = ()
    """Places of blocks before the cut that are sent all the same."""


class Cost(NamedTuple):
    """What a plan costs in the prompt cache, and when it has paid for itself."""

    rewritten: int
    """Tokens behind the first change, as they are after it: written to the cache once more."""
    price: float
    """What that costs more than reading them, in input tokens."""
    pays_after: float
    """Turns after which the tokens freed have saved as much; infinite when nothing is freed."""


def plan(by: str, blocks: Mapping[str, Block], changes: Sequence[Change], target: int) -> Plan:
    """The plan of these changes to `blocks` (id -> block), against a target of tokens to free."""
    freed = sum(blocks[change.id].tokens - change.tokens for change in changes)
    return Plan(by, tuple(changes), freed, short=max(0, target - freed))


def cost(blocks: Sequence[Block], changes: Sequence[Change]) -> Cost:
    """What these changes cost in cache misses; `blocks`: the window in the order in which it is sent."""
    new = {change.id: change.tokens for change in changes}
    first = next((index for index, block in enumerate(blocks) if block.id in new), len(blocks))
    freed = tokens_of(block for block in blocks if block.id in new) - sum(new.values())
    rewritten = sum(new.get(block.id, block.tokens) for block in blocks[first:])
    price = rewritten * (WRITE_PRICE - READ_PRICE)
    return Cost(rewritten, price, price / (freed * READ_PRICE) if freed > 0 else float("inf"))
