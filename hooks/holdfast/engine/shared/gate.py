"""May these agents run side by side?

Rule: seven criteria, handed over as values; each that fails says why in one plain line and what to do instead. A value
that is not known fails nothing, and nothing is read out of the agents' prompts. Source: requirement M (parallelization
criteria). Where the source measures the payload of the branches against what is left of the slice's threshold, which
four handoffs of 500 tokens would always exceed, it is measured here against the room that they return into
(docs/decisions/0011-shared-context.md).
"""

from typing import NamedTuple

from holdfast.engine.shared.context import THRESHOLD


class FanOut(NamedTuple):
    """What is known of agents that are to run at once. None and (): not known, or nothing found."""

    agents: int
    slice_tokens: int | None = None
    threshold: int = THRESHOLD
    merged: int | None = None  # tokens of the slice once the returns are in it
    payload: int | None = None  # tokens that all returns will bring
    room: int | None = None  # that they return into
    ordered: tuple[str, ...] = ()  # dependencies between the agents' tasks, one line each
    escalations: tuple[str, ...] = ()  # high-risk matters that wait for a decision, one line each
    backlog: int | None = None  # compressions that are due and have not happened
    unspecified: tuple[str, ...] = ()  # tasks that do not say what is to come back
    incomplete: tuple[str, ...] = ()  # tasks that cannot be understood from their own text, one line each


class FailedCriterion(NamedTuple):
    """One criterion that does not hold."""

    criterion: str
    reason: str
    todo: str


class GateAnswer(NamedTuple):
    """Whether the agents may run at once."""

    allowed: bool
    failed: tuple[FailedCriterion, ...]


def _slice(plan: FanOut) -> str:
    """At most its threshold, and nine tenths of it once the returns are merged."""
    if plan.slice_tokens is not None and plan.slice_tokens > plan.threshold:
        return f"the shared slice has {plan.slice_tokens:,} tokens, at most {plan.threshold:,}"
    if plan.merged is not None and plan.merged * 100 > 90 * plan.threshold:
        return f"with the returns the shared slice has {plan.merged:,} of {plan.threshold:,} tokens"
    return ""


def _payload(plan: FanOut) -> str:
    """All returns together may take 40 % of the room."""
    if plan.payload is None or plan.room is None or plan.payload * 100 <= 40 * plan.room:
        return ""
    return f"{plan.agents} returns of about {plan.payload:,} tokens meet {max(0, plan.room):,} that are left"


def judge(plan: FanOut) -> GateAnswer:
    """Whether the agents may run at once; one agent alone always may."""
    criteria = (
        ("slice", _slice(plan), "compress the shared slice first"),
        ("payload", _payload(plan), "launch fewer at once, or compact first"),
        ("order", "; ".join(plan.ordered), "run these one after another"),
        ("escalation", "; ".join(plan.escalations), "settle that first"),
        ("backlog", "compaction is overdue" if (plan.backlog or 0) >= 2 else "", "compact before agents are launched"),
        ("schema", "; ".join(plan.unspecified), "say what each is to return"),
        ("stateless", "; ".join(plan.incomplete), "put what it needs into the prompt"),
    )
    failed = tuple(FailedCriterion(*one) for one in criteria if one[1] and plan.agents > 1)
    return GateAnswer(not failed, failed)
