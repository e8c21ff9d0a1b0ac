"""Who must be told when compression is not enough, and should the slice's threshold be another?

Rule: escalations are a table like the triggers. The threshold is raised when the slice is nearly full and fan-outs are
refused for it, lowered when it stays half empty and macro summaries save nothing. A change is a proposal for a pilot on
three complex tasks, with the statistics of seven days. Source: requirement M (escalation, SCS_THRESHOLD change
control); that a step is a quarter is ours.
"""

from itertools import pairwise
from statistics import median
from typing import NamedTuple

from holdfast.engine.shared.context import THRESHOLD
from holdfast.engine.shared.triggers import holds
from holdfast.gauge.pressure import percent


class Load(NamedTuple):
    """What has happened lately. None: not measured."""

    full_batches: int | None = None  # of the last four, those whose slice was above 80 % of its threshold
    next_phase: float | None = None  # what the next phase will add, as a share of the slice
    denials: int | None = None  # fan-outs refused in a row
    debt: float | None = None
    loses_open_detail: bool | None = None  # whether the next compression would drop what is unresolved and needed


def escalations(load: Load) -> list[dict[str, str]]:
    """Those that are due, the user last: to whom, what and why."""
    values = load._asdict()
    table = (
        ("context agent", "full_batches >= 2", "the shared slice keeps filling"),
        ("context agent", "next_phase >= 0.5", "the next phase adds half a slice"),
        ("orchestrator", "denials >= 3 and debt > 0.30", "agents cannot run side by side for context debt"),
        ("user", "loses_open_detail is 1", "compressing further would drop what is unresolved"),
    )
    return [{"to": to, "what": what, "why": why} for to, when, what in table if (why := holds(when, values))]


class Week(NamedTuple):
    """Recorded statistics of seven days."""

    shares: tuple[float, ...] = ()  # the slice's size as a share of its threshold, one for each batch
    asked: int = 0  # fan-outs asked for
    denied: int = 0  # and refused
    idle_macros: int = 0  # macro summaries that saved nothing


class ThresholdChange(NamedTuple):
    """What to do about the threshold: "raise", "lower" or "keep"."""

    verdict: str
    threshold: int
    reasons: tuple[str, ...]


def change(week: Week, threshold: int = THRESHOLD) -> ThresholdChange:
    """Raise, lower or keep, with the figures that say so; a step is a quarter."""
    if len(week.shares) < 7:  # fewer records than days say nothing of a week
        return ThresholdChange("keep", threshold, (f"{len(week.shares)} records, at least 7 are needed",))
    middle = median(week.shares)
    reasons = (
        f"median use {percent(middle)} of {threshold:,} tokens in 7 days",
        f"largest step {percent(max(abs(after - before) for before, after in pairwise(week.shares)))}",
        f"{week.denied} of {week.asked} fan-outs refused",
        f"{week.idle_macros} macro summaries without effect",
    )
    pilot = "try it on 3 complex tasks, then adopt or revert"
    if middle * 100 > 75 and week.denied * 100 > 30 * week.asked:
        return ThresholdChange("raise", round(threshold * 5 / 4), (*reasons, pilot))
    if middle * 100 < 40 and week.idle_macros > 2:
        return ThresholdChange("lower", round(threshold * 4 / 5), (*reasons, pilot))
    return ThresholdChange("keep", threshold, reasons)
