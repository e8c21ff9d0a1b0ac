"""What would the policy for shared context say of this window now?

Rule: what the window itself tells is measured, growth from its last plan on. Critical are the goal, the newest request
and what is marked. Foreign to the task is a result or a memory that holds few of its words and that no turn has named;
of what has just come nobody can tell. What only the caller can know is taken from the caller; what nobody knows fires
nothing. The bound on long blocks is held against the paragraphs of the system prompt, which is written for the model.
Source: requirement M (triggers, context debt, quality metrics, escalation).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.engine.blocks import UNKNOWN, Block, Kind, tokens_of
from holdfast.engine.eviction import ScoringContext
from holdfast.engine.shared import debt, escalation, quality, triggers
from holdfast.engine.shared.escalation import Load
from holdfast.engine.shared.slice import burst
from holdfast.engine.shared.triggers import Measures
from holdfast.engine.usage_tracker import OWN, UsageTracker
from holdfast.errors import BadInput
from holdfast.gauge import pressure
from holdfast.text.tokens import estimate

Audit = Sequence[Mapping[str, Any]]


def report(
    blocks: Sequence[Block],
    context: ScoringContext,
    tracker: UsageTracker,
    audit: Audit,
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Measures, triggers that fire with what to do, quality, debt and who is to be told, as plain JSON.

    known: measures of the caller's, by their name in Measures or Load; they go before what is measured here. Raises
    BadInput for a name that there is not.
    """
    told = _checked(known or {})
    shown, turn = judged(blocks, context), context.turn
    found = measured(shown, turn, tracker, audit)._asdict()
    found.update((name, value) for name, value in told.items() if name in Measures._fields)
    measures = Measures(**found)
    load = Load(debt=measures.debt)._replace(**{name: told[name] for name in told if name in Load._fields})
    fired = triggers.fired(measures)
    owed = debt.owed(shown, turn)
    return {
        "measures": {name: value for name, value in found.items() if value is not None},
        "fired": [
            {name: getattr(one.trigger, name) for name in ("name", "family", "tier", "todo")} | {"why": one.why}
            for one in fired
        ],
        "tier": triggers.coalesced(fired),
        "quality": quality.measure(shown, turn)._asdict(),
        "debt": {
            "share": measures.debt,
            "due": (measures.debt or 0) * 100 >= 25,
            "tokens": sum(one.tokens for one in owed),
            "of": tokens_of(shown),
            "reasons": debt.by_reason(owed),
        },
        "escalations": [one._asdict() for one in escalation.escalations(load)],
    }


def measured(blocks: Sequence[Block], turn: int, tracker: UsageTracker, audit: Audit) -> Measures:
    """What the window itself tells; the blocks as `judged`."""
    used, limit = tracker.used(blocks), tracker.monitor.limit
    sizes = list(tracker.monitor.sizes)
    last = last_plan(audit)
    found = Measures(
        debt=debt.ratio(blocks, turn) if blocks else None,
        growth=burst(used, [round(pressure.velocity(sizes))], ()).growth if len(sizes) > 1 else None,
        batches=turn - last if last is not None else None,
        grown=_grown(blocks, last) if last is not None else None,
        guardrail_share=used / triggers.guardrail(limit, tracker.monitor.preset),
        longest_block=_longest(blocks),
    )
    whole = triggers.with_quality(found, quality.measure(blocks, turn))
    return triggers.adapted(whole, used)


def judged(blocks: Iterable[Block], context: ScoringContext) -> list[Block]:
    """The blocks as the measures take them: critical ones marked, relevance by what was named as well."""
    critical = (context.goal, context.request)
    return [
        block._replace(keep=block.keep or block.id in critical, relevance=_relevance(block, context))
        for block in blocks
    ]


def _relevance(block: Block, context: ScoringContext) -> float:
    if block.kind not in (Kind.RESULT, Kind.MEMORY) or block.turn >= context.turn:
        return UNKNOWN
    return 1 if block.uses else block.relevance


def last_plan(audit: Audit) -> int | None:
    """The turn of this window's last plan that freed something; None before the first."""
    for record in reversed(audit):
        if record.get("by") == "hand_over":
            return None
        if record.get("freed"):
            return int(record.get("turn") or 0)
    return None


def _grown(blocks: Iterable[Block], since: int) -> float | None:
    """What came in after a plan of turn `since`, as a share of what stood then: the request's own results are of the
    turn after it, as an answer to it is."""
    total, new = 0, 0
    for block in blocks:
        total += block.tokens
        new += block.tokens if block.turn > since + (block.kind not in OWN) else 0
    return new / (total - new) if total > new else None


def _longest(blocks: Iterable[Block]) -> int | None:
    paragraphs = [
        part for block in blocks if block.kind == Kind.SYSTEM for part in block.text.split("\n\n") if part.strip()
    ]
    return max(map(estimate, paragraphs), default=None)


def _checked(known: Mapping[str, Any]) -> Mapping[str, Any]:
    allowed = dict.fromkeys((*Measures._fields, *Load._fields))
    for name, value in known.items():
        if name not in allowed:
            raise BadInput("is no measure", name, f"Allowed: {', '.join(allowed)}")
        if value is not None and not isinstance(value, (int, float)):
            raise BadInput(f"{value!r} cannot be", name, "Give a number, true or false, or None for not known")
    return known
