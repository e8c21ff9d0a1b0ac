"""What has the assistant told the user, statement by statement?

Rule: prose is cut into statements under their headings (policy/sections.py); announcements ("Let me check …") and
bare cheers are left out. The newest KEPT stay. A summary that the client made at an earlier compaction is such
prose too. Source: requirement W2.
"""

from typing import Any, NamedTuple

from holdfast.policy import sections, wording

KEPT = 900
CODE_CHARS = 360  # of a block that says in signs what a sentence would say: states, steps, a signature
_FEW = 3
_MOST = 60  # of one message


class Said(NamedTuple):
    """One statement as it is stored."""

    n: int
    """Number of the message."""
    order: int
    """Place within the message."""
    text: str
    heading: str
    kind: str
    strong: bool


def keep(state: dict[str, Any], text: str) -> list[str]:
    """Add a message's statements to the pool; the texts of all of them."""
    found = [part for part in sections.statements(text, wording.marked, CODE_CHARS) if part.text]
    now = state["messages"]
    telling = [part for part in found if part.names or len(part.text.split()) > _FEW]
    new = [[now, part.order, part.text, part.heading.strip(), part.kind, part.strong] for part in telling[:_MOST]]
    if new:
        state["sentences"] = [*state["sentences"], *new][-KEPT:]
    return [part.text for part in found]


def all_of(work: dict[str, Any]) -> list[Said]:
    """The pool, oldest first; entries of another shape are passed over."""
    return [Said(*entry) for entry in work["sentences"] if isinstance(entry, list) and len(entry) == len(Said._fields)]
