"""Who must be told when compression is not enough, and should the slice's threshold be another?

Rule: escalations are a table like the triggers. The threshold is raised when the slice is nearly full and fan-outs are
refused for it, lowered when it stays half empty and macro summaries save nothing; otherwise it is kept. A change is a
proposal for a pilot on three complex tasks, with the statistics of seven days. Source: requirement M (escalation,
SCS_THRESHOLD change control). The source states no size for a step; a quarter is our choice.
"""

from collections.abc import Sequence
from itertools import pairwise
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
DAYS, PILOT, STEP = 7, 3, 1.25
LEAST_SHARES = 7
"""Fewer records than days say nothing of a week."""


class Week(NamedTuple):
    """Recorded statistics of seven days."""

    shares: tuple[float, ...] = ()
    """The slice's size as a share of its threshold, one for each batch."""
    asked: int = 0
    """Fan-outs asked for, and refused."""
    denied: int = 0
    idle_macros: int = 0
    """Macro summaries that saved nothing."""


class Change(NamedTuple):
    """What to do about the threshold."""

    verdict: str
    threshold: int
    reasons: tuple[str, ...]


def change(week: Week, threshold: int = THRESHOLD) -> Change:
    """Raise, lower or keep, with the figures that say so."""
    if len(week.shares) < LEAST_SHARES:
        return Change(KEEP, threshold, (f"{len(week.shares)} records, at least {LEAST_SHARES} are needed",))
    middle = _median(week.shares)
    denials = week.denied / week.asked if week.asked else 0.0
    reasons = (
        f"median use {middle:.0%} of {threshold:,} tokens in {DAYS} days",
        f"largest step {_step(week.shares):.0%}",
        f"{week.denied} of {week.asked} fan-outs refused",
        f"{week.idle_macros} macro summaries without effect",
    )
    pilot = (f"try it on {PILOT} complex tasks, then adopt or revert",)
    if middle > 0.75 and denials > 0.30:
        return Change(RAISE, round(threshold * STEP), reasons + pilot)
    if middle < 0.40 and week.idle_macros > 2:
        return Change(LOWER, round(threshold / STEP), reasons + pilot)
    return Change(KEEP, threshold, reasons)


def _median(shares: Sequence[float]) -> float:
    ordered, half = sorted(shares), len(shares) // 2
    return (ordered[half] + ordered[-half - 1]) / 2


def _step(shares: Sequence[float]) -> float:
    return max((abs(after - before) for before, after in pairwise(shares)), default=0.0)
