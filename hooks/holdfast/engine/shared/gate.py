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


def judge(plan: FanOut) -> GateAnswer:
    """Whether the agents may run at once; one agent alone always may."""
    size, merged, payload, room = plan.slice_tokens or 0, plan.merged or 0, plan.payload or 0, max(0, plan.room or 0)
    merging = f"with the returns the shared slice has {merged:,} of {plan.threshold:,} tokens"
    returning = f"{plan.agents} returns of about {payload:,} tokens meet {room:,} that are left"
    criteria = (  # a slice has nine tenths of its threshold once the returns are in it, all returns 40 % of the room
        ("slice", size > plan.threshold, f"the shared slice has {size:,} tokens, at most {plan.threshold:,}"),
        ("slice", merged * 100 > 90 * plan.threshold, merging),
        ("payload", plan.room is not None and payload * 100 > 40 * plan.room, returning),
        ("order", plan.ordered, "; ".join(plan.ordered)),
        ("escalation", plan.escalations, "; ".join(plan.escalations)),
        ("backlog", (plan.backlog or 0) >= 2, "compaction is overdue"),
        ("schema", plan.unspecified, "; ".join(plan.unspecified)),
        ("stateless", plan.incomplete, "; ".join(plan.incomplete)),
    )
    todo = {
        "slice": "compress the shared slice first",
        "payload": "launch fewer at once, or compact first",
        "order": "run these one after another",
        "escalation": "settle that first",
        "backlog": "compact before agents are launched",
        "schema": "say what each is to return",
        "stateless": "put what it needs into the prompt",
    }
    failed = tuple(FailedCriterion(name, why, todo[name]) for name, fails, why in criteria if fails and plan.agents > 1)
    return GateAnswer(not failed, failed)
