"""What must every agent that works at the same time know, and how much will the next batch add?

Rule: the shared slice is the mission, the phase, the open part of the checklist, open risks, decisions that are not
taken and anchors, within 2,000 tokens. When it is too long the least needed goes first: anchors, what was done, then
the far end of the checklist, then the oldest risks. A burst is predicted when planned reads and prompts make the window
grow by more than 15 % or do not fit into what is left. Source: requirement M (shared context slice, token burst).
"""

import bisect
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.engine.shared import formats
from holdfast.engine.shared.context import SHAPES, THRESHOLD, Context, filled
from holdfast.text.lines import clip
from holdfast.text.tokens import estimate


def build(state: Mapping[str, Any], plan: Sequence[Mapping[str, str]], limit: int = THRESHOLD) -> Context:
    """The slice, at most `limit` tokens as it is written.

    state: as handoff/orchestrator.py keeps it; plan: items with `text` and `status`, as worklog/plan.py gives them.
    """
    task, phases = state["task"], state["phases"]
    doing = [item["text"] for item in plan if item["status"] == "in_progress"]
    finished = [item["text"] for item in plan if item["status"] == "completed"]
    unsettled = {name: one["decision"] for name, one in phases.items() if one["decision"] in ("STOP", "CLARIFY")}
    context = Context(
        goal=_short(task["feature"] or task["id"]),
        phase=_short(next(reversed(phases), "")),
        progress=f"{len(finished)} of {len(plan)} done" if plan else "",
        done=tuple(map(_short, finished or phases)),
        current=_short("; ".join(doing)),
        issues=tuple(map(_short, state["open_errors"])),
        decisions=tuple((_short(name), decision) for name, decision in unsettled.items()),
        next=tuple(_short(item["text"]) for item in plan if item["status"] == "pending"),
        anchors=tuple(filter(None, [task["spec_path"], *state["files_changed"]])),
    )
    return bounded(context, limit)


def _short(text: str) -> str:
    return clip(" ".join(text.split()), 240)


def size(context: Context) -> int:
    """Tokens of a slice as it is written for other agents."""
    return estimate(formats.write(context))


def bounded(context: Context, limit: int = THRESHOLD) -> Context:
    """The context within `limit` tokens; what the slice has not goes after that, its texts are halved at the last."""
    first = ("anchors", "done", "next", "issues", "decisions")
    for field in (*first, *(name for name, shape in SHAPES.items() if shape != "text" and name not in first)):
        fewer = functools.partial(_without, context, field)
        numbers = range(len(getattr(context, field)))
        context = fewer(bisect.bisect_left(numbers, True, key=lambda number: size(fewer(number)) <= limit))
    while size(context) > limit and filled(context):
        halves: dict[str, Any] = {name: text[: len(text) // 2] for name, text in filled(context).items()}
        context = context._replace(**halves)
    return context


def _without(context: Context, field: str, number: int) -> Context:
    """The context without so many values of a field."""
    values = getattr(context, field)
    return context._replace(**{field: values[: len(values) - number] if field == "next" else values[number:]})


class Burst(NamedTuple):
    """What the next batch adds to the window: tokens, their share of the working set, by how much they exceed what is
    left (0 when they fit, None when that is not known), and whether it is a burst.
    """

    tokens: int
    growth: float
    over: int | None
    is_predicted: bool


def burst(working_set: int, reads: Iterable[int], prompts: Iterable[int], left: int | None = None) -> Burst:
    """Of planned reads and agents' prompts, in tokens, beside a working set; left: tokens until the limit."""
    tokens = sum(reads) + sum(prompts)
    growth = tokens / working_set if working_set > 0 else 0
    over = None if left is None else max(0, tokens - left)
    return Burst(tokens, growth, over, growth * 100 > 15 or bool(over))
