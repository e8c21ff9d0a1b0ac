"""Who must be told when compression is not enough, and should the slice's threshold be another?

Rule: escalations are a table like the triggers. The threshold is raised when the slice is nearly full and fan-outs are
refused for it, lowered when it stays half empty and macro summaries save nothing; otherwise it is kept. A change is a
proposal for a pilot on three complex tasks, with the statistics of seven days. Source: requirement M (escalation,
SCS_THRESHOLD change control). The source states no size for a step; a quarter is our choice.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from holdfast.engine.shared.context import THRESHOLD
from holdfast.engine.shared.triggers import Condition, holds

CONTEXT_AGENT, ORCHESTRATOR, USER = "context agent", "orchestrator", "user"
FULL = 0.80
"""Share of the threshold from which a batch counts as full."""
WATCHED = 4
"""Batches that are looked at."""


class Load(NamedTuple):
    """What has happened lately. None: not measured."""

    full_batches: int | None = None
    """Of the last four, those whose slice was above 80 % of its threshold; see `full_of`."""
    next_phase: float | None = None
    """What the next phase will add, as a share of the slice."""
    denials: int | None = None
    """Fan-outs refused in a row."""
    debt: float | None = None
    loses_open_detail: bool | None = None
    """Whether the next compression would drop what is unresolved and needed."""


class Escalation(NamedTuple):
    """One row: whom to tell, and of what."""

    to: str
    conditions: tuple[Condition, ...]
    what: str


ESCALATIONS = (
    Escalation(CONTEXT_AGENT, (Condition("full_batches", ">=", 2),), "the shared slice keeps filling"),
    Escalation(CONTEXT_AGENT, (Condition("next_phase", ">=", 0.5),), "the next phase adds half a slice"),
    Escalation(
        ORCHESTRATOR,
        (Condition("denials", ">=", 3), Condition("debt", ">", 0.30)),
        "agents cannot run side by side for context debt",
    ),
    Escalation(USER, (Condition("loses_open_detail", "is", 1),), "compressing further would drop what is unresolved"),
)


class Escalated(NamedTuple):
    """An escalation that is due."""

    to: str
    what: str
    why: str


def escalations(load: Load) -> list[Escalated]:
    """Those that are due, in the order of the table: the user last."""
    values = load._asdict()
    return [Escalated(row.to, row.what, why) for row in ESCALATIONS if (why := holds(row.conditions, values))]


def full_of(shares: Sequence[float]) -> int:
    """Of the last four batches, newest last, those whose slice was above 80 % of its threshold."""
    return sum(share > FULL for share in shares[-WATCHED:])


RAISE, LOWER, KEEP = "raise", "lower", "keep"
LEAST_SHARES = 7
"""Fewer records than days say nothing of a week."""
PILOT = "try it on 3 complex tasks, then adopt or revert"


class Week(NamedTuple):
    """Recorded statistics of seven days."""

    shares: tuple[float, ...] = ()
    """The slice's size as a share of its threshold, one for each batch."""
    asked: int = 0
    """Fan-outs asked for, and refused."""
    denied: int = 0
    idle_macros: int = 0
    """Macro summaries that saved nothing."""


class ThresholdChange(NamedTuple):
    """What to do about the threshold."""

    verdict: str
    threshold: int
    reasons: tuple[str, ...]


def change(week: Week, threshold: int = THRESHOLD) -> ThresholdChange:
    """Raise, lower or keep, with the figures that say so; a step is a quarter."""
    if len(week.shares) < LEAST_SHARES:
        told = f"{len(week.shares)} records, at least {LEAST_SHARES} are needed"
        return ThresholdChange(KEEP, threshold, (told,))
    middle = median(week.shares)
    reasons = (
        f"median use {middle:.0%} of {threshold:,} tokens in 7 days",
        f"largest step {max(abs(after - before) for before, after in pairwise(week.shares)):.0%}",
        f"{week.denied} of {week.asked} fan-outs refused",
        f"{week.idle_macros} macro summaries without effect",
    )
    if middle > 0.75 and week.denied > 0.30 * week.asked:
        return ThresholdChange(RAISE, round(threshold * 5 / 4), (*reasons, PILOT))
    if middle < 0.40 and week.idle_macros > 2:
        return ThresholdChange(LOWER, round(threshold * 4 / 5), (*reasons, PILOT))
    return ThresholdChange(KEEP, threshold, reasons)
