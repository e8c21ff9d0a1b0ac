"""How large is the next request, and what do the last turns say of the window?

Rule: the size that the API reported for the last request is true; only what has been added since is estimated, by the
factor that this loop's own usage has taught. Blocks come in the order in which they are sent. Sources: requirements P,
T, F2, C3.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from holdfast.engine import blocks, health
from holdfast.engine.blocks import Block, BlockKind, Plan
from holdfast.engine.options import Options
from holdfast.errors import BadInput
from holdfast.gauge import budget, calibration, monitor

OWN = (BlockKind.ASSISTANT, BlockKind.CALL, BlockKind.THINKING)  # kinds that an answer's own usage has counted


class Usage(NamedTuple):
    """What the API counted for one request, tokens."""

    request: int
    answer: int
    cached: int  # of the request, read from the cache


def usage_of(reported: Any) -> Usage:
    """A client's usage object or a mapping with its keys; what is missing counts 0."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    found = [reported.get(name) if isinstance(reported, Mapping) else getattr(reported, name, 0) for name in names]
    sizes = [size if isinstance(size, int) and size > 0 else 0 for size in found]
    return Usage(sum(sizes[:3]), sizes[3], sizes[2])


def _fixed(found: Sequence[Block]) -> int:
    """Tokens of what stands outside the messages, before them, and may change from request to request."""
    return blocks.tokens_of(takewhile(lambda block: block.place[0] < 0, found))


class UsageTracker:
    """The gauge of one window."""

    def __init__(self, limit: int, options: Options) -> None:
        """limit: tokens, 0 for not known: then there is no budget and the zone is unknown."""
        self.monitor = monitor.Monitor(limit, options.preset)
        self._budget: budget.Budget | None = None
        with contextlib.suppress(BadInput):  # without a limit, and for one in which the output reserve has no room
            self._budget = budget.allocate(limit, options.profile)
        self.health: health.History = ()
        self.fit = calibration.Calibration()
        """What an estimate is corrected by, and how well that has done."""
        self.alerts: tuple[health.Alert, ...] = ()
        self.cached = self.sent = 0  # tokens of all requests so far, and how many of them the cache gave
        self.start_over()

    def start_over(self) -> None:
        """A new window: what was learned of this loop stays."""
        self._base = self._messages = self._fixed = self._request = self._freed = 0
        self._answered, self._answer = -1, 0
        self._made = list[Plan]()  # in this turn
        self.monitor = self.monitor._replace(sizes=(), zone="green")

    @property
    def factor(self) -> float:
        """What the tokens of a block, which are estimated, are multiplied by in `used`."""
        return self.fit.factor if self._base else self.fit.factor * monitor.MARGIN

    def used(self, found: Sequence[Block]) -> int:
        """Tokens of the next request, as far as is known."""
        if not self._base:
            return round(self.factor * blocks.tokens_of(found))
        fresh = blocks.tokens_of(self._since(found))
        more = round(self.fit.factor * (_fixed(found) - self._fixed))
        return max(0, self._base + more + (self.fit.tokens(fresh) if fresh else 0))

    def _since(self, found: Sequence[Block]) -> Iterator[Block]:
        """What came in since the last report, without the answer that it has counted."""
        for block in reversed(found):
            if 0 <= block.place[0] < self._messages:
                return
            if block.place[0] >= 0 and not self._is_counted(block):
                yield block

    def _is_counted(self, block: Block) -> bool:
        return block.kind in OWN and block.turn == self._answered

    def read(self, found: Sequence[Block]) -> monitor.Reading:
        """The gauge before a request.

        What the caller has not sent back of the answer, its thinking as a rule, does not stand in the window.
        """
        since = takewhile(lambda block: block.place[0] >= self._messages, reversed(found))
        own = [block for block in since if self._is_counted(block)]
        if own and not any(block.kind == BlockKind.THINKING for block in own):
            self._base -= max(0, self._answer - round(self.fit.factor * blocks.tokens_of(own)))
        self._answer = 0 if own else self._answer
        used = self.used(found)
        estimated = round(self.fit.factor * blocks.tokens_of(found))
        self.monitor, reading = monitor.measure(self.monitor, reported=used if self._base else 0, estimated=estimated)
        return reading

    def account(self, found: Sequence[Block]) -> budget.Budget | None:
        """The account by component, with what stands in the window; None where there is none."""
        sizes = {name: round(self.fit.factor * tokens) for name, tokens in blocks.by_component(found).items()}
        self._budget = budget.settle(self._budget, sizes) if self._budget else None
        return self._budget

    def made(self, plan: Plan) -> None:
        """A plan was carried out."""
        freed = round(self.fit.factor * plan.freed)
        self._base, self._freed = max(0, self._base - freed), self._freed + freed
        self._made.append(plan)

    def reported(self, reported: Any, found: Sequence[Block]) -> None:
        """After an answer: learn from its usage, and close the turn."""
        usage = usage_of(reported)
        grown = usage.request - self._request + self._freed
        if self._request and usage.request:
            brought = blocks.tokens_of(takewhile(lambda block: block.place[0] >= self._messages, reversed(found)))
            self.fit = calibration.observe(self.fit, brought, grown)
        self._record(usage, grown if self._request else None, found)
        if usage.request:
            self._base, self._request = usage.request + usage.answer, usage.request
            newest = found[-1] if found else Block("", BlockKind.OTHER, "", 0)
            self._fixed, self._messages = _fixed(found), newest.place[0] + 1
            self._answered, self._answer = newest.turn if usage.answer else -1, usage.answer
        self.sent, self.cached = self.sent + usage.request, self.cached + usage.cached
        self._freed, self._made = 0, []

    def _record(self, usage: Usage, grown: int | None, found: Sequence[Block]) -> None:
        limit, sizes = self.monitor.limit, blocks.by_component(found)
        changes = [change for plan in self._made for change in plan.changes]
        freed, left = sum(plan.freed for plan in self._made), sum(change.tokens for change in changes)
        snapshot = health.Snapshot(
            utilisation=usage.request / limit if limit and usage.request else None,
            eviction_rate=float(sum(change.state == blocks.BlockState.PLACEHOLDER for change in changes)),
            compression_ratio=(freed + left) / left if left else None,
            burn_rate=None if grown is None else float(max(0, grown)),
            fidelity=next((plan.fidelity for plan in reversed(self._made) if plan.fidelity is not None), None),
            results_share=health.results_share(sizes),
        )
        self.health, self.alerts = health.record(self.health, snapshot)
        account = self.account(found)
        self._budget = budget.end_turn(account) if account else None
