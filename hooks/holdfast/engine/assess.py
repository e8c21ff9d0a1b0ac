"""What would the policy for shared context say of this window now?

Rule: what the window itself tells is measured, growth from its last plan on. Critical are the goal, the newest request
and what is marked. Foreign to the task is a result or a memory that holds few of its words and that no turn has named;
of what has just come nobody can tell. What only the caller can know is taken from the caller; what nobody knows fires
nothing. The bound on long blocks is held against the paragraphs of the system prompt, which is written for the model.
Source: requirement M (triggers, context debt, quality metrics, escalation).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.engine.blocks import UNKNOWN, Block, BlockKind, tokens_of
from holdfast.engine.shared import escalation, quality, triggers
from holdfast.engine.shared.escalation import Load
from holdfast.engine.shared.triggers import Measures
from holdfast.engine.strategy import ScoringContext
from holdfast.engine.usage_tracker import OWN, UsageTracker
from holdfast.engine.window_state import Audited
from holdfast.errors import BadInput
from holdfast.gauge import pressure
from holdfast.text.tokens import estimate

Audit = Sequence[Audited]


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
    shown = judged(blocks, context)
    debt = quality.owed(shown, context.turn)
    owed, good = sum(tokens for _, tokens in debt.values()), quality.measure(shown, debt)
    found = _measured(shown, context.turn, tracker, audit) | _of_quality(good, tracker.used(shown))
    found["debt"] = owed / max(1, tokens_of(shown)) if shown else None
    measures = Measures(**(found | {name: told[name] for name in told if name in Measures._fields}))
    load = Load(debt=measures.debt)._replace(**{name: told[name] for name in told if name in Load._fields})
    fired = triggers.fired(measures)
    return {
        "measures": {name: value for name, value in measures._asdict().items() if value is not None},
        "fired": [
            {name: getattr(trigger, name) for name in ("name", "family", "tier", "todo")} | {"why": why}
            for trigger, why in fired
        ],
        "tier": triggers.coalesced(fired),
        "quality": good._asdict(),
        "debt": {
            "share": measures.debt,
            "due": (measures.debt or 0) * 100 >= 25,
            "tokens": owed,
            "of": tokens_of(shown),
            "reasons": quality.by_reason(debt),
        },
        "escalations": escalation.escalations(load),
    }


def _measured(blocks: Sequence[Block], turn: int, tracker: UsageTracker, audit: Audit) -> dict[str, Any]:
    """What window and log tell, as fields of Measures; the blocks as `judged`."""
    used, sizes, last = tracker.used(blocks), list(tracker.monitor.sizes), last_plan(audit)
    grows = round(pressure.velocity(sizes)) / used if used > 0 else 0
    return {
        "growth": grows if len(sizes) > 1 else None,
        "batches": None if last is None else turn - last,
        "grown": None if last is None else _grown(blocks, last),
        "guardrail_share": used / triggers.guardrail(tracker.monitor.limit, tracker.monitor.preset),
        "longest_block": _longest(blocks),
    }


def _of_quality(good: quality.Quality, used: int) -> dict[str, Any]:
    irrelevant = None if good.relevance is None else 1 - good.relevance
    return {
        "irrelevant": irrelevant,
        "irrelevant_over": None if irrelevant is None else irrelevant - quality.irrelevant_bound(used),
        **{name: getattr(good, name) for name in ("density", "redundancy", "staleness", "placement")},
    }


def judged(blocks: Iterable[Block], context: ScoringContext) -> list[Block]:
    """The blocks as the measures take them: critical ones marked, relevance by what was named as well."""
    critical = (context.goal, context.request)
    return [
        block._replace(keep=block.keep or block.id in critical, relevance=_relevance(block, context))
        for block in blocks
    ]


def _relevance(block: Block, context: ScoringContext) -> float:
    if block.kind not in (BlockKind.RESULT, BlockKind.MEMORY) or block.turn >= context.turn:
        return UNKNOWN
    return 1 if block.uses else block.relevance


def last_plan(audit: Audit) -> int | None:
    """The turn of this window's last plan that freed something; None before the first."""
    for record in reversed(audit):
        if record["by"] == "hand_over":
            return None
        if record["freed"]:
            return record["turn"]
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
    paragraphs = (part for block in blocks if block.kind == BlockKind.SYSTEM for part in block.text.split("\n\n"))
    return max((estimate(part) for part in paragraphs if part.strip()), default=None)


def _checked(known: Mapping[str, Any]) -> Mapping[str, Any]:
    allowed = dict.fromkeys((*Measures._fields, *Load._fields))
    for name, value in known.items():
        if name not in allowed:
            raise BadInput("is no measure", name, f"Allowed: {', '.join(allowed)}")
        if value is not None and not isinstance(value, (int, float)):
            raise BadInput(f"{value!r} cannot be", name, "Give a number, true or false, or None for not known")
    return known
