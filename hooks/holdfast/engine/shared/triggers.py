"""Is it time to compress, how much is enough, and who must be told when that is not enough?

Rule: tables of rows whose conditions must all hold; a value that nobody has measured (None) fires nothing. What fires
is told smallest tier first, and one summary of the largest tier asked for answers all of them. The nine of the policy
look at the shared slice and the window; the rot-aware ones look at a text that is written for a model: their 1,000 and
200 tokens would fire on every turn of a window. Source: requirement M (summarization triggers, context rot).
"""

from collections.abc import Mapping, Sequence
from operator import eq, ge, gt, lt
from typing import NamedTuple

from holdfast.gauge import pressure

TIERS = ("micro", "phase", "macro")  # of a summary: 50, 300, 800 tokens at most


class Measures(NamedTuple):
    """What is known at this moment. None: not measured. Shares are 0..1."""

    phase_ended: bool | None = None
    slice_share: float | None = None  # tokens of the shared slice as a share of its threshold
    projected_share: float | None = None  # the same after the next batch
    debt: float | None = None
    growth: float | None = None  # predicted growth by the next batch, as a share of the working set
    batches: int | None = None  # since the last compression
    grown: float | None = None  # by which share the working set grew meanwhile
    guardrail_share: float | None = None  # working set as a share of its guardrail; see `guardrail`
    events: int | None = None
    resumable: bool | None = None  # whether an agent could go on from the events alone
    text_tokens: int | None = None
    worse: bool | None = None  # whether answers have become worse as the context grew
    alike: float | None = None  # share of what is similar to the task and not relevant to it
    density: float | None = None
    irrelevant_over: float | None = None  # irrelevant content less the bound for a task of this size; see `adapted`
    irrelevant: float | None = None
    redundancy: float | None = None
    staleness: float | None = None
    distractors: bool | None = None
    longest_block: int | None = None
    placement: float | None = None
    separated: bool | None = None
    ordered: bool | None = None


class Trigger(NamedTuple):
    """One row of the table."""

    name: str
    family: str
    tier: str  # the smallest tier of summary that answers it; "" for one that no summary answers
    when: str  # comparisons of measures, e.g. "batches >= 3 and grown > 0.10"
    todo: str


TABLE = tuple(
    Trigger(*row)
    for row in (
        ("phase boundary", "policy", "phase", "phase_ended is 1", "write phase_complete with the state in short"),
        ("slice fills", "policy", "micro", "slice_share > 0.70", "summarise: the smallest tier that saves 12 %"),
        ("context debt", "policy", "phase", "debt >= 0.25", "drop what is repeated or superseded"),
        ("before a burst", "policy", "phase", "growth > 0.15", "compress before the batch, not after it"),
        ("creeping growth", "policy", "phase", "batches >= 3 and grown > 0.10", "compress"),
        ("guardrail", "policy", "macro", "guardrail_share > 1", "summarise all that is settled"),
        ("emergency", "policy", "macro", "projected_share > 1", "prune stale anchors at once, then summarise"),
        ("stream overflow", "policy", "phase", "events > 50", "fold the events into a checkpoint"),
        ("not resumable", "policy", "macro", "resumable is 0", "rebuild the context from the record"),
        ("long", "performance", "micro", "text_tokens > 1000", "keep what is relevant"),
        ("worse answers", "performance", "phase", "worse is 1", "compress"),
        ("alike but foreign", "performance", "phase", "alike > 0.30", "take out what only resembles the task"),
        ("thin", "performance", "phase", "density < 0.70", "condense"),
        ("irrelevant", "relevance", "phase", "irrelevant > 0.40", "take out what the task does not need"),
        ("redundant", "relevance", "phase", "redundancy > 0.25", "keep the newest of what is said twice"),
        ("stale", "relevance", "phase", "staleness > 0.30", "drop finished phases and old decisions"),
        ("distractor", "relevance", "micro", "distractors is 1", "take out what is wrong and looks right"),
        ("long block", "structure", "micro", "longest_block > 200", "break it into parts with headings"),
        ("buried", "structure", "micro", "placement > 0.25", "move the critical to the beginning"),
        ("no borders", "structure", "", "separated is 0", "separate the kinds of information"),
        ("order", "structure", "", "ordered is 0", "order by importance"),
        ("task's own bound", "adaptive", "phase", "irrelevant_over > 0", "take out what the task does not need"),
    )
)


def fired(measures: Measures) -> list[tuple[Trigger, str]]:
    """The triggers that fire, smallest tier first, each with why ("debt 0.31 >= 0.25"); in a tier as in the table."""
    found = [(row, why) for row in TABLE if (why := holds(row.when, measures._asdict()))]
    return sorted(found, key=lambda one: (*TIERS, "").index(one[0].tier))


def holds(when: str, values: Mapping[str, float | None]) -> str:
    """The comparisons with their values when all of them hold, else ""; an unknown value holds nothing."""
    told, signs = [], {">": gt, ">=": ge, "<": lt, "is": eq}
    for measure, sign, bound in map(str.split, when.split(" and ")):
        value = values[measure]
        if value is None or not signs[sign](float(value), float(bound)):
            return ""
        words = measure.replace("_", " ")
        told.append(f"{words}: {bool(value)}" if sign == "is" else f"{words} {value:.3g} {sign} {float(bound):g}")
    return " and ".join(told)


def coalesced(found: Sequence[tuple[Trigger, str]]) -> str:
    """The tier of the one summary that answers all of them; "" when none is asked for."""
    asked = {trigger.tier for trigger, _ in found}
    return next((tier for tier in reversed(TIERS) if tier in asked), "")


def guardrail(limit: int, preset: str = "default") -> int:
    """Tokens of a working set above which a macro summary is due.

    The source's 8,000 where the limit is not known or small, else where the yellow zone begins: a client's system
    prompt and tools alone are more than 8,000.
    """
    return max(8_000, *pressure.marks(limit, preset)[:1], 0)
