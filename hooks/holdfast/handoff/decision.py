"""The decision that a report states in a line of its own.

It is found by structure alone: a field, a heading or a label named decision, verdict or status, or a line that begins
with one of the three keywords of the protocol. Sentences are not read: what they mean is not code's to say.
"""

from typing import NamedTuple

from holdfast.handoff.structure import DASHES, Line, scan
from holdfast.text.lines import clip

DECISIONS = ("PROCEED", "STOP", "CLARIFY")
_LABELS = ("decision", "verdict")
_STATUS = "status"
"""Counts only where it is said once and nothing else is: status lines of single findings are common."""
_WORDS_CHARS = 120
_ENDS = (*".,:;!(", *DASHES)


class Decision(NamedTuple):
    """What was decided."""

    name: str = ""
    """PROCEED, STOP or CLARIFY; "" where no line says one of them, or lines differ."""
    words: str = ""
    """As the report says it, e.g. "REQUEST CHANGES"; where lines differ all of them; "" where it is unstated."""


class Statement(NamedTuple):
    """A line that states a decision."""

    line: Line
    words: str
    name: str


def find(text: str) -> Decision:
    """The decision of a report: its first line's, else the one on which all lines that state one agree."""
    lines = scan(text)
    stated = statements(lines)
    keywords = [one for one in stated if one.name]
    if keywords and keywords[0].line is lines[0]:
        return Decision(keywords[0].name, keywords[0].words)
    names = {one.name for one in keywords}
    words = dict.fromkeys(clip(one.words, _WORDS_CHARS) for one in keywords or stated)
    return Decision(names.pop() if len(names) == 1 else "", " / ".join(words))


def statements(lines: list[Line]) -> list[Statement]:
    """The lines that state a decision, in their order; status lines only where there is but one and no other."""
    found: list[Statement] = []
    status: list[Statement] = []
    for place, line in enumerate(lines):
        if line.kind in ("code", "row"):
            continue
        label, value = line.field
        if line.kind == "heading" and not value:
            follows = lines[place + 1] if place + 1 < len(lines) else line
            label, value = line.plain.rstrip(":"), follows.plain if follows.kind in ("text", "item") else ""
        kind = (label.casefold().split() or [""])[-1]
        if kind in _LABELS and value:
            found.append(Statement(line, value, keyword(value)))
        elif kind == _STATUS and value:
            status.append(Statement(line, value, keyword(value)))
        elif bare := _bare(line.plain):
            found.append(Statement(line, line.plain, bare))
    return found or (status if len(status) == 1 else [])


def keyword(value: str) -> str:
    """The keyword that a value such as "STOP, two tests fail" begins with; "" when none or when it names several."""
    words = [word.strip(".,:;!()'\"*_`") for word in value.split()]
    first = words[0].upper() if words else ""
    named = {word for word in words[1:] if word in DECISIONS} - {first}
    return first if first in DECISIONS and not named else ""


def _bare(plain: str) -> str:
    """The keyword that a line begins with, as a label."""
    name = next((name for name in DECISIONS if plain.startswith(name)), "")
    rest = plain[len(name) :].lstrip()
    ends = not rest or (rest.startswith(_ENDS) and not plain[len(name) :].startswith(("-", "_")))
    return name if name and ends and keyword(plain) else ""
