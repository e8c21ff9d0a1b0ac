"""Which levels does a change reach?

Rule: the matrix of the source, row by row; a condition is a word that whoever reports the change says, or that is seen
by comparing (CHANGED, PERCENT, BLOCKER). Level 4 is the files themselves, so nothing is written there: it always holds.
Where the matrix names a part ("status only"), only that part of the document is written anew. Source: requirement L
(update propagation L4 to L1).
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from holdfast.errors import BadInput

ALWAYS, NEVER = "always", "never"
STATUS, DECISIONS, BLOCKERS = "Status", "Key decisions", "Blockers"
"""Names of parts, the same at each level."""
CHANGED, PERCENT, BLOCKER = "status", "percent", "blocker"
"""Conditions that comparing the documents tells."""


class Cell(NamedTuple):
    """Whether a level is written: always, never, or on a condition; and which parts of it, () for all."""

    when: str
    parts: tuple[str, ...] = ()


class Due(NamedTuple):
    """What one change asks for at one level."""

    level: int
    due: bool
    parts: tuple[str, ...]
    why: str


_ALL, _STATUS, _DECISION = Cell(ALWAYS), Cell(ALWAYS, (STATUS,)), Cell(ALWAYS, (DECISIONS,))
MATRIX: Mapping[str, tuple[Cell, Cell, Cell, Cell]] = {  # levels 4, 3, 2, 1
    "code": (_ALL, Cell("significant"), Cell(CHANGED), Cell(PERCENT)),
    "fix": (_ALL, Cell("notable"), Cell("critical"), Cell(BLOCKER)),
    "config": (_ALL, Cell("architecture"), Cell("design"), Cell("exceptional")),
    "feature": (_ALL, _ALL, _ALL, Cell("major")),
    "progress": (Cell(NEVER), _STATUS, _STATUS, _STATUS),
    "decision": (_ALL, _DECISION, _DECISION, _DECISION),
}
"""Kind of change -> what it asks of each level; "exceptional" stands for the source's "rarely"."""
CONDITIONS = tuple(
    dict.fromkeys(cell.when for row in MATRIX.values() for cell in row if cell.when not in (ALWAYS, NEVER))
)


def due(change: str, conditions: Collection[str]) -> tuple[Due, ...]:
    """What a change of this kind asks for, from level 4 up to 1. Raises BadInput for an unknown kind or condition."""
    if change not in MATRIX:
        raise BadInput(f"there is no change {change[:40]!r}", "--change", f"Kinds are {', '.join(MATRIX)}")
    if unknown := [one for one in conditions if one not in CONDITIONS]:
        raise BadInput(f"there is no condition {unknown[0][:40]!r}", "--if", f"Conditions are {', '.join(CONDITIONS)}")
    told = []
    for level, (when, parts) in zip((4, 3, 2, 1), MATRIX[change], strict=True):
        met = when in conditions
        why = when if when in (ALWAYS, NEVER) else f"it is {when}" if met else f"only if {when}"
        told.append(Due(level, met or when == ALWAYS, parts, why))
    return tuple(told)
