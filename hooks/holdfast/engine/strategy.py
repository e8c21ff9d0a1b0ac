"""What do the strategies that make room decide about?

Rule: all of them are given one scene and answer with one plan (engine/plan.py). What needs files, a model or
the whole history stands in it as a function, so that nothing is read, stored or asked unless a strategy wants it.
Sources: requirements K6 and K7.
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any, NamedTuple

from holdfast.engine import eviction
from holdfast.engine.blocks import PLACEHOLDER, Block
from holdfast.engine.messages import Message
from holdfast.engine.options import Options

Ask = Callable[[str, int], str]
"""(prompt, tokens of the answer at most) -> the answer. Raises Fault, or whatever a model of the caller's raises."""
Embed = Callable[[list[str]], list[list[float]]]
"""Texts -> a vector for each."""


class Scene(NamedTuple):
    """What the steps decide about. Sizes in tokens."""

    blocks: Sequence[Block]
    """As they are sent, in order."""
    moment: eviction.Moment
    used: int
    limit: int
    options: Options
    count: Callable[[str], int]
    standing: eviction.Standing
    """Stores a block's whole text and gives its placeholder. Raises OSError when it cannot be stored."""
    where: Callable[[Block], str] = lambda block: ""
    """Stores a block's whole text once and says where it is. Raises OSError when it cannot be stored."""
    names: Callable[[Block], Sequence[str]] = lambda block: ()
    """Names of a block that no other block of the window holds."""
    messages: Sequence[Message] = ()
    """The whole history, as the caller has it."""
    cut: int = 0
    """Messages before this index have given way to a summary already."""
    work: Callable[[], dict[str, Any]] = dict
    """The record of the work so far (worklog/fold.py); {} when none is kept."""
    notes: str = ""
    """Notes taken on the way, as text."""
    ask: Ask | None = None
    embed: Embed | None = None
    factor: float = 1.0
    """What a block's tokens, which are estimated, are multiplied by to be those of `used` and `limit`."""

    @property
    def wanted(self) -> int:
        """Tokens to free until the target is met, in those of the blocks."""
        return max(0, ceil((self.used - self.limit * self.options.target) / self.factor))

    def free(self, kinds: frozenset[str]) -> list[Block]:
        """Blocks of these kinds that may be shortened: unprotected, and more than a placeholder."""
        return [
            block
            for block in self.blocks
            if block.kind in kinds and block.state != PLACEHOLDER and not eviction.protected(block, self.moment)
        ]
