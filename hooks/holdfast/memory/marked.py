"""Which lines of the session are marked as a note, a measured gain, a next step or what blocks the work?

Rule: `Note: …`, a figure that went from one value to another, what stands below "Next steps" and after "Blocked by:",
in the assistant's own words: neither in a quote nor in a fence, nor in what a sub-agent told. Of next steps the last
list counts, since it takes the place of the ones before. Sources: requirements J1, J2.
"""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.worklog import statements

_UNIT = r"\s?(?:%|(?:ns|us|ms|s|min|h|[kmg]i?b|seconds?|minutes?|hours?|bytes|rows|queries|requests)\b)"
_MARKS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("note", r"note\s*:\s*(?=\S)"),
        ("next", r"next (?:steps?|actions?)\s*:\s*(?=\S)"),
        ("blocked", r"(?:blocked by|blockers?)\s*:\s*(?=\S)"),
        (
            "gain",
            rf"(?=.*\bfrom \d[\d.,]*{_UNIT}.{{0,40}} to \d[\d.,]*{_UNIT})"
            r"|(?=.*\d\s?(?:x|%|times) (?:fast|small|few|less|cheap))",
        ),
    )
)
_HEADINGS = (
    ("next", re.compile(r"next (?:steps?|actions?)\b", re.IGNORECASE)),
    ("blocked", re.compile(r"(?:blocked by|blockers?)\b", re.IGNORECASE)),
)
_WISHED = re.compile(r"\b(?:would|could|should|might|may|expect\w*|goal|target|if)\b|\?\s*\Z", re.IGNORECASE)
"""A gain that nobody has measured."""
_LAST_ONLY = ("next", "blocked")


def marked(work: Mapping[str, Any], kind: str) -> list[str]:
    """The lines of a kind (note, gain, next, blocked) without their mark, oldest first, each once."""
    lines = ((said.n, *_line(said)) for said in statements.all_of(dict(work)) if said.kind != "code")
    found = [(n, text) for n, this, text in lines if this == kind]
    last = found[-1][0] if found else 0
    return list(dict.fromkeys(text for n, text in found if kind not in _LAST_ONLY or n == last))


def _line(said: statements.Said) -> tuple[str, str]:
    """(its kind or "", its text without the mark); its own mark goes before that of its heading."""
    under = next((kind for kind, pattern in _HEADINGS if pattern.match(said.heading)), "")
    for kind, pattern in _MARKS:
        start = pattern.match(said.text)
        if start and not (kind == "gain" and (under or _WISHED.search(said.text))):
            return kind, said.text[start.end() :]
    return under, said.text
