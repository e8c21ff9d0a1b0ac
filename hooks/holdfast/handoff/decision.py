"""The decision that a report states in a line of its own.

It is found by structure alone: a field, a heading or a label named decision, verdict or status, or a line that begins
with one of the three keywords of the protocol. Sentences are not read: what they mean is not code's to say.
"""

from itertools import zip_longest
from typing import NamedTuple

from holdfast.handoff.structure import DASHES, Line, scan
from holdfast.text.lines import clip

DECISIONS = ("PROCEED", "STOP", "CLARIFY")


class Decision(NamedTuple):
    """What was decided."""

    name: str = ""
    """PROCEED, STOP or CLARIFY; "" where no line says one of them, or lines differ."""
    words: str = ""
    """As the report says it, e.g. "REQUEST CHANGES"; where lines differ all of them; "" where it is unstated."""


def find(text: str) -> Decision:
    """The decision of a report: its first line's, else the one on which all lines that state one agree."""
    lines = scan(text)
    stated = statements(lines)
    named = [(line, words) for line, words in stated if keyword(words)]
    if named and named[0][0] is lines[0]:
        named = named[:1]
    names = {keyword(words) for _, words in named}
    words = dict.fromkeys(clip(words, 120) for _, words in named or stated)
    return Decision(names.pop() if len(names) == 1 else "", " / ".join(words))


def statements(lines: list[Line]) -> list[tuple[Line, str]]:
    """The lines that state a decision, with its words; a status only where there is but one and nothing else."""
    found, status = list[tuple[Line, str]](), list[tuple[Line, str]]()
    for line, following in zip_longest(lines, lines[1:]):
        if line.kind in ("code", "row"):
            continue
        label, value = line.field
        if line.kind == "heading" and not value and following and following.kind in ("text", "item"):
            label, value = line.plain.rstrip(":"), following.plain
        kind = (label.casefold().split() or [""])[-1]
        if kind in ("decision", "verdict"):
            found.append((line, value))
        elif kind == "status":
            status.append((line, value))
        elif _begins(line.plain):
            found.append((line, line.plain))
    return found or (status if len(status) == 1 else [])


def keyword(value: str) -> str:
    """The keyword that a value such as "STOP, two tests fail" begins with; "" when none or when it names several."""
    first, *words = [word.strip(".,:;!()'\"*_`") for word in value.split()] or [""]
    named = {word for word in words if word in DECISIONS} - {first.upper()}
    return first.upper() if first.upper() in DECISIONS and not named else ""


def _begins(plain: str) -> bool:
    """Whether a line begins with a keyword as a label, in capitals."""
    first, _, rest = plain.partition(" ")
    closed = first not in DECISIONS or rest[:1] in ("", "(", *DASHES)
    return closed and first.rstrip(".,:;!") in DECISIONS and bool(keyword(plain))
