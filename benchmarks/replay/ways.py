"""The ways of running a window that a replay sets side by side: the pack's policies and strategies, and baselines.

Baselines: nothing at all, and clearing all tool results but the last few whenever the window is filled to where the
manager would act, with a mark that says only that something was there. That is the usual rule of loops, and what the
API's own context editing does.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.replay.managed import Manager, managed
from holdfast.engine.block_index import BlockIndex
from holdfast.engine.blocks import BlockKind, BlockState, Edit, Plan, cost, plan
from holdfast.engine.eviction import SCORERS
from holdfast.engine.manager import Turn
from holdfast.engine.messages import Message, Place, replaced
from holdfast.engine.options import Options
from holdfast.gauge.monitor import Monitor, measure
from holdfast.text import tokens

LAST = 5
CLEARED = "[Old tool result content cleared]"


class KeepLast:
    """Clears older results; keep 0 clears none at any time."""

    def __init__(self, limit: int, model: str, keep: int = LAST) -> None:
        """limit: tokens at which the window is full."""
        self._limit, self._keep, self._size = limit, keep, 0
        self._index = BlockIndex(lambda text: tokens.estimate(text, tokens.family(model)))
        self._texts: dict[Place, str | None] = {}
        self._monitor = Monitor(limit, "default")

    def on_turn_start(self, messages: Sequence[Message]) -> Turn:
        """The view, with results cleared when the last request had filled the window to where the pack acts."""
        self._index.take(messages)
        before = list(self._index.blocks)
        made = self._cleared() if self._keep and self._size >= self._limit * Options().act else Plan("last results")
        self._monitor, reading = measure(self._monitor, reported=self._size, estimated=0)
        self._index.change(made.changes)
        self._texts.update({self._index[change.id].place: change.text for change in made.changes})
        plans = (made,) if made.changes else ()
        spent = cost(before, made.changes) if made.changes else None
        return Turn(replaced(messages, self._texts), self._size, reading, plans, spent, False)

    def on_turn_end(self, usage: Mapping[str, int]) -> None:
        """The size of the request."""
        self._size = usage["input_tokens"]

    def _cleared(self) -> Plan:
        results = [block for block in self._index.blocks if block.kind == BlockKind.RESULT][: -self._keep]
        size = tokens.estimate(CLEARED)
        found = [
            Edit(block.id, CLEARED, size, BlockState.PLACEHOLDER, "older than the last results")
            for block in results
            if block.state != BlockState.PLACEHOLDER and block.tokens > size
        ]
        return plan("last results", {block.id: block for block in results}, found, 0)


Way = Callable[[int, str], Manager]
"""(limit, model) -> a new manager."""


def _keep_last(keep: int) -> Way:
    def made(limit: int, model: str) -> Manager:
        baseline = KeepLast(limit, model, keep)
        return Manager(baseline.on_turn_start, baseline.on_turn_end, lambda place: "")

    return made


def _managed(**options: Any) -> Way:
    return lambda limit, model: managed(limit, model, **options)


NOTHING, DEFAULT = "no management", "all steps, hybrid"
WAYS: Mapping[str, Way] = {
    NOTHING: _keep_last(0),
    f"last {LAST} results": _keep_last(LAST),
    **{f"evict, {policy}": _managed(policy=policy, steps=("merge", "evict")) for policy in SCORERS},
    "summarise and evict": _managed(steps=("summarise", "evict")),
    "progressive": _managed(steps=("progressive",)),
    "compaction": _managed(steps=("compact",)),
    DEFAULT: _managed(),
}
"""Name in the table -> the way."""
