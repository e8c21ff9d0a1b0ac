"""What has the assistant told the user, statement by statement?

Rule: prose is cut into statements under their headings (text/markdown.py); announcements ("Let me check …") and
bare cheers are left out. The newest KEPT stay. A summary that the client made at an earlier compaction is such
prose too. Source: requirement W2.
"""

import re
from typing import Any, NamedTuple

from holdfast.text import authorship, markdown, phrasing
from holdfast.text.lines import clip

KEPT = 900
SUB_AGENT = "(sub-agent)"  # stands before the heading of what a sub-agent told
CODE_CHARS = 420  # of a block that says in signs what a sentence would say: states, steps, a signature
LONGEST = 420  # characters of a statement that are kept
_FEW, _FIRST = 3, 2  # words, and the first statements of a message, which may be its answer
_MOST = 60  # of one message


_INTENT = re.compile(
    r"(?:ok(?:ay)?[,.]? |now,? |perfect[.!]? |good[.!]? |first,? )?"
    r"(?:let me|let's|i(?:'ll| will| need to| should| am going to|'m going to))\b"
    r"|(?:all )?(?:the )?tests? (?:still )?pass\w*\W*$"
    r"|(?:yes|ah|great|perfect|done|fixed|excellent|much cleaner"
    r"|you(?:'re| are| were) (?:absolutely |completely )?right"
    r"|(?:that's )?(?:a )?(?:very |really )?(?:good|great|fair|valid) (?:question|point|catch|idea|concern))\W*$",
    re.IGNORECASE,
)
"""Announcements and cheers: what they announce is told by the result, so they are not kept."""


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


def keep(state: dict[str, Any], text: str, by: str = "") -> list[str]:
    """Add a message's statements to the pool; the texts of those that are its author's own (text/authorship.py).

    by: whose words they are, where not the assistant's.
    """
    if "\n" not in text and _INTENT.match(text):  # most messages of a session; looking closer would cost the most
        return authorship.unquoted(text, markdown.sentences(text))
    found = [part for part in markdown.statements(text, phrasing.marked, CODE_CHARS) if part.text]
    own = authorship.unquoted(text, [part.text for part in found])
    now = state["messages"]
    telling = [
        part
        for part in found
        if (part.names or len(part.text.split()) > _FEW or part.order < _FIRST) and not _INTENT.match(part.text)
    ]
    passed_on = {part.text for part in found}.difference(own)
    new = [
        [
            now,
            part.order,
            clip(part.text, LONGEST),
            f"{by} {part.heading}".strip(),
            "code" if part.text in passed_on else part.kind,
            part.strong,
        ]
        for part in telling[:_MOST]
    ]
    if new:
        state["sentences"] = [*state["sentences"], *new][-KEPT:]
    return own


def without_reports(work: dict[str, Any]) -> dict[str, Any]:
    """The state without what sub-agents told: for where their handoffs are shown."""
    kept = [entry for entry in work["sentences"] if not str(entry[3]).startswith(SUB_AGENT)]
    return {**work, "sentences": kept}


def all_of(work: dict[str, Any]) -> list[Said]:
    """The pool, oldest first; entries of another shape are passed over."""
    return [Said(*entry) for entry in work["sentences"] if isinstance(entry, list) and len(entry) == len(Said._fields)]
