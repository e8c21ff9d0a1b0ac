"""What a record of the memory may hold: its kinds, the shape of each kind's content, and the words of its choices.

And the words for what maintenance does with one: they stand in its plan, in its log and in the JSON of the command.
"""

from collections.abc import Mapping
from typing import NamedTuple

KINDS = ("decision", "issue", "state", "learning")
TRUSTS = ("trusted", "semi_trusted", "untrusted")
"""Who said it: the user, an assistant, a tool or the web."""
SEVERITIES = ("critical", "high", "medium", "low")
STATUSES = ("open", "resolved")
ARCHIVE, DELETE, RESTORE = "archive", "delete", "restore"
"""What maintenance does with a record: sets it aside, removes it, takes it back into use."""


class Field(NamedTuple):
    """One field of a kind's content. form: text, list, numbered, percent or choice."""

    name: str
    form: str = "text"
    choices: tuple[str, ...] = ()
    default: str = ""


def _plain(*names: str) -> tuple[Field, ...]:
    return tuple(map(Field, names))


SHAPES: Mapping[str, tuple[Field, ...]] = {
    "decision": (
        *_plain("decision", "rationale"),
        Field("alternatives_considered", "numbered"),
        *_plain("expected_impact", "validation_criteria", "context"),
    ),
    "issue": (
        Field("description"),
        Field("severity", "choice", SEVERITIES, "medium"),
        Field("status", "choice", STATUSES, "open"),
        *_plain("reproduction_steps", "investigation_status"),
        Field("attempted_fixes", "list"),
        Field("next_actions"),
    ),
    "state": (
        Field("task_description"),
        Field("completion_percentage", "percent"),
        *(Field(name, "list") for name in ("substeps_completed", "substeps_remaining", "blockers", "next_actions")),
    ),
    "learning": _plain("lesson", "context", "applicability", "evidence"),
}
"""Kind -> fields of its content; the first one must say something."""
