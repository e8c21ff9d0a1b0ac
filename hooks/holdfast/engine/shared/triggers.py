"""Is it time to compress, and how much is enough?

Rule: one table of triggers; each compares measured values with bounds, all of which must hold. A value that nobody has
measured (None) fires nothing. What fires is told smallest tier first, and one event with the largest tier asked for
satisfies them all. The nine of the policy look at the shared slice and the window; the rot-aware ones look at a text
that is written for a model: their 1,000 and 200 tokens would fire on every turn of a window. Source: requirement M
(summarization triggers, context rot, reduction strategies).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from holdfast.engine.shared.quality import Quality, irrelevant_bound
from holdfast.gauge import pressure

TIERS = {"micro": 50, "phase": 300, "macro": 800}
"""Tier -> tokens of its summary at most, smallest first."""
ENOUGH = 0.12
"""A summary of the slice must save this share of it to be worth making."""
GUARDRAIL = 8_000


class Measures(NamedTuple):
    """What is known at this moment. None: not measured."""

    phase_ended: bool | None = None
    slice_share: float | None = None
    """Tokens of the shared slice as a share of its threshold."""
    projected_share: float | None = None
    """The same after the next batch."""
    debt: float | None = None
    growth: float | None = None
    """Predicted growth by the next batch, as a share of the working set."""
    batches: int | None = None
    """Batches since the last compression, and by which share the working set grew meanwhile."""
    grown: float | None = None
    guardrail_share: float | None = None
    """Working set as a share of its guardrail; see `guardrail`."""
    events: int | None = None
    resumable: bool | None = None
    """Whether an agent could go on from the events alone."""
    text_tokens: int | None = None
    worse: bool | None = None
    """Whether answers have become worse as the context grew."""
    alike: float | None = None
    """Share of what is similar to the task and not relevant to it."""
    density: float | None = None
    irrelevant_over: float | None = None
    """Share of irrelevant content less the bound for a task of this size; see `adapted`."""
    irrelevant: float | None = None
    redundancy: float | None = None
    staleness: float | None = None
    distractors: bool | None = None
    longest_block: int | None = None
    placement: float | None = None
    separated: bool | None = None
    ordered: bool | None = None


class Condition(NamedTuple):
    """One comparison."""

    measure: str
    sign: str
    bound: float


class Trigger(NamedTuple):
    """One row of the table."""

    name: str
    family: str
    tier: str
    """The smallest tier of summary that answers it; "" for one that no summary answers."""
    conditions: tuple[Condition, ...]
    todo: str


_SIGNS = {">": float.__gt__, ">=": float.__ge__, "<": float.__lt__, "is": float.__eq__}


def _row(name: str, family: str, tier: str, todo: str, *conditions: tuple[str, str, float]) -> Trigger:
    return Trigger(name, family, tier, tuple(Condition(*one) for one in conditions), todo)


POLICY, PERFORMANCE, RELEVANCE, STRUCTURE, ADAPTIVE = "policy", "performance", "relevance", "structure", "adaptive"
TABLE = (
    _row("phase boundary", POLICY, "phase", "write phase_complete with the state in short", ("phase_ended", "is", 1)),
    _row("slice fills", POLICY, "micro", "summarise: the smallest tier that saves 12 %", ("slice_share", ">", 0.70)),
    _row("context debt", POLICY, "phase", "drop what is repeated or superseded", ("debt", ">=", 0.25)),
    _row("before a burst", POLICY, "phase", "compress before the batch, not after it", ("growth", ">", 0.15)),
    _row("creeping growth", POLICY, "phase", "compress", ("batches", ">=", 3), ("grown", ">", 0.10)),
    _row("guardrail", POLICY, "macro", "summarise all that is settled", ("guardrail_share", ">", 1)),
    _row("emergency", POLICY, "macro", "prune stale anchors at once, then summarise", ("projected_share", ">", 1)),
    _row("stream overflow", POLICY, "phase", "fold the events into a checkpoint", ("events", ">", 50)),
    _row("not resumable", POLICY, "macro", "rebuild the context from the record", ("resumable", "is", 0)),
    _row("long", PERFORMANCE, "micro", "keep what is relevant", ("text_tokens", ">", 1_000)),
    _row("worse answers", PERFORMANCE, "phase", "compress", ("worse", "is", 1)),
    _row("alike but foreign", PERFORMANCE, "phase", "take out what only resembles the task", ("alike", ">", 0.30)),
    _row("thin", PERFORMANCE, "phase", "condense", ("density", "<", 0.70)),
    _row("irrelevant", RELEVANCE, "phase", "take out what the task does not need", ("irrelevant", ">", 0.40)),
    _row("redundant", RELEVANCE, "phase", "keep the newest of what is said twice", ("redundancy", ">", 0.25)),
    _row("stale", RELEVANCE, "phase", "drop finished phases and old decisions", ("staleness", ">", 0.30)),
    _row("distractor", RELEVANCE, "micro", "take out what is wrong and looks right", ("distractors", "is", 1)),
    _row("long block", STRUCTURE, "micro", "break it into parts with headings", ("longest_block", ">", 200)),
    _row("buried", STRUCTURE, "micro", "move the critical to the beginning", ("placement", ">", 0.25)),
    _row("no borders", STRUCTURE, "", "separate the kinds of information", ("separated", "is", 0)),
    _row("order", STRUCTURE, "", "order by importance", ("ordered", "is", 0)),
    _row("task's own bound", ADAPTIVE, "phase", "take out what the task does not need", ("irrelevant_over", ">", 0)),
)

STRATEGIES = (
    ("deduplicate", "of unchanged plans and checklists keep the latest"),
    ("collapse", "reasoning becomes one line with its outcome"),
    ("index", "repeated paths become a short list of anchors"),
    ("externalise", "settled rationale goes to memory and leaves the window"),
    ("prune", "tasks that a newer plan replaces leave, with a line in the log"),
    ("anchor", "large code becomes its place and its difference; what concerns security stays verbatim"),
)
"""Reduction strategies in the order in which they are tried."""
FALLBACK = (
    ("deduplicate", "duplicate plans leave"),
    ("collapse", "reasoning becomes one line"),
    ("anchor", "unchanged code blocks are trimmed"),
    ("macro", "the earliest settled phases become a macro summary"),
)
"""The short way when it is urgent."""


class Fired(NamedTuple):
    """A trigger whose conditions hold."""

    trigger: Trigger
    why: str
    """The measured values beside their bounds, e.g. "debt 0.31 >= 0.25"."""


def fired(measures: Measures) -> list[Fired]:
    """The triggers that fire, smallest tier first; within a tier as in the table."""
    found = [Fired(row, why) for row in TABLE if (why := holds(row.conditions, measures._asdict()))]
    order = [*TIERS, ""]
    return sorted(found, key=lambda one: order.index(one.trigger.tier))


def holds(conditions: Sequence[Condition], values: Mapping[str, float | None]) -> str:
    """The comparisons in words when all of them hold, else ""; an unknown value holds nothing."""
    told = []
    for measure, sign, bound in conditions:
        value = values[measure]
        if value is None or not _SIGNS[sign](float(value), float(bound)):
            return ""
        words = measure.replace("_", " ")
        told.append(f"{words} {float(value):.3g} {sign} {bound:g}" if sign != "is" else f"{words}: {bool(value)}")
    return " and ".join(told)


def coalesced(found: Sequence[Fired]) -> str:
    """The tier of the one summary that answers all of them; "" when none is asked for."""
    asked = {one.trigger.tier for one in found}
    return next((tier for tier in reversed(TIERS) if tier in asked), "")


def smallest(tokens: int, after: Mapping[str, int]) -> str:
    """The smallest tier that leaves at least 12 % less of `tokens`; "" when none does. after: tier -> tokens."""
    return next((tier for tier in TIERS if tier in after and after[tier] <= tokens * (1 - ENOUGH)), "")


def guardrail(limit: int, preset: str = "default") -> int:
    """Tokens of a working set above which a macro summary is due.

    The source's 8,000 where the limit is not known or small, else where the yellow zone begins: a client's system
    prompt and tools alone are more than 8,000.
    """
    return max(GUARDRAIL, *pressure.marks(limit, preset)[:1], 0)


def with_quality(measures: Measures, quality: Quality) -> Measures:
    """The measures with what engine/shared/quality.py has measured of a text."""
    return measures._replace(
        density=quality.density,
        irrelevant=None if quality.relevance is None else 1 - quality.relevance,
        redundancy=quality.redundancy,
        staleness=quality.staleness,
        placement=quality.placement,
    )


def adapted(measures: Measures, tokens: int, complex_task: bool = False) -> Measures:
    """The measures with the bound for irrelevant content that a task of `tokens` has."""
    if measures.irrelevant is None:
        return measures
    return measures._replace(irrelevant_over=measures.irrelevant - irrelevant_bound(tokens, complex_task))
