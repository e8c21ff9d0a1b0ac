"""What is said when one agent tells another, or its own later self, where the work stands?

Rule: one value whose fields' types say how each is written, so that a field exists in all formats or in none. Source:
requirement M, the four formats.
"""

from typing import Any, NamedTuple

from holdfast.errors import BadInput

THRESHOLD = 2_000
"""Tokens that the context which all agents share may have; changed only by engine/shared/escalation.py."""

Value = str | tuple[str, ...] | tuple[tuple[str, str], ...]


class Context(NamedTuple):
    """Where the work stands. Every field may be empty; an empty one is left out when it is written."""

    goal: str = ""
    phase: str = ""
    progress: str = ""  # in the writer's own words: "70 %", "step 5 of 8"
    done: tuple[str, ...] = ()
    current: str = ""
    issues: tuple[str, ...] = ()  # what blocks, is wrong or at risk, and open
    decisions: tuple[tuple[str, str], ...] = ()  # (id, what was decided)
    constraints: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()  # what was attempted against the issues
    next: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()  # files and names that lead back to the whole
    source: str = ""  # the agent that tells, and the one that is told
    target: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()  # what is expected of the target
    deliverables: tuple[tuple[str, str], ...] = ()  # (kind, what): what the source hands over


SHAPES = {
    name: {str: "text", tuple[str, ...]: "list"}.get(kind, "pairs") for name, kind in Context.__annotations__.items()
}
"""Field -> "text", "list" or "pairs"."""


def filled(context: Context) -> dict[str, Value]:
    """Field -> value, of those that say something, in the order in which they are written.

    Raises BadInput for a value that is not of its field's form: it would not come back as it was.
    """
    found = {name: value for name, value in context._asdict().items() if value}
    forms = {"text": "a text", "list": "a tuple of texts", "pairs": "a tuple of pairs of texts"}
    for name, value in found.items():
        if _shape(value) != SHAPES[name]:
            raise BadInput(f"{str(value)[:40]!r} cannot be", name, f"Give {forms[SHAPES[name]]}")
    return found


def _shape(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    inner = {_shape(one) for one in value} if isinstance(value, (tuple, list)) else {""}
    if inner == {"text"}:
        return "list"
    return "pairs" if inner == {"list"} and {len(one) for one in value} == {2} else ""
