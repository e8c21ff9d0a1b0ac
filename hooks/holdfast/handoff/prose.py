"""Open errors and changed files that a report in prose lists under a heading of their own.

A heading is a line that ends in a colon, is bold, or begins with `#`; its list is the items that follow until
another kind of line. A line that begins with a label ("Error: …", "Blocked: …") stands for itself.
"""

import re

from holdfast.text import identifiers

_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>\S.*)$")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(?P<hash>.+)|\*\*(?P<bold>[^*]+)\*\*:?|(?P<colon>[^\n]{2,70}):)\s*$")
_ERRORS = re.compile(
    r"^\W*(?:open|unresolved|remaining|known|outstanding|blocking|current|critical)"
    r"(?: (?:errors?|issues?|problems?|bugs?|failures?|questions?|blockers?))?\W*(?:\(\d+\))?\W*$"
    r"|^\W*(?:errors?|blockers?|failures?|failing tests?)\b",
    re.IGNORECASE,
)
_RESOLVED = re.compile(r"\b(?:fixed|resolved|solved|none|no longer|all (?:tests )?pass\w*|addressed)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"^\W*(?:open error|error|blocker|blocked|failing|unresolved|still (?:open|failing))\s*:\s*(?P<text>\S.*)$",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\bfiles? (?:changed|modified|created|added|edited|updated)|(?:changed|modified|created|edited|new) files?\b",
    re.IGNORECASE,
)
MOST = 12


def open_errors(text: str) -> tuple[str, ...]:
    """Errors that the report says are open, at most MOST."""
    found = [item for heading, item in _listed(text) if _ERRORS.search(heading) and not _RESOLVED.search(item)]
    for line in text.split("\n"):
        label = _LABEL.match(line)
        if label and not _RESOLVED.search(line):
            found.append(label["text"].strip())
    return tuple(dict.fromkeys(found))[:MOST]


def files_changed(text: str) -> tuple[str, ...]:
    """Paths listed under a heading that says that they were changed, or on a line with such a label."""
    found: list[str] = []
    for heading, item in _listed(text):
        if _CHANGED.search(heading):
            found += identifiers.paths(item)
    for line in text.split("\n"):
        label, colon, rest = line.partition(":")
        if colon and len(label) < 40 and _CHANGED.search(label):
            found += identifiers.paths(rest)
    return tuple(dict.fromkeys(found))


def _listed(text: str) -> list[tuple[str, str]]:
    """(heading, item) of every list item that follows a heading."""
    pairs, heading = [], ""
    for line in text.split("\n"):
        item = _ITEM.match(line)
        title = None if item else _HEADING.match(line)
        if title:
            heading = (title["hash"] or title["bold"] or title["colon"]).strip()
        elif item and heading:
            pairs.append((heading, item["text"].strip()))
        elif line.strip() and not line.startswith((" ", "\t")):
            heading = ""
    return pairs
