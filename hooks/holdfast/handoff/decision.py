"""The decision that a report states in a line of its own.

It is found by structure alone: a field, a heading or a label named decision, verdict or status, or a line that begins
with one of the three keywords of the protocol. Sentences are not read: what they mean is not code's to say.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal, get_args

from holdfast.handoff.structure import DASHES, ReportLine, scan
from holdfast.text.lines import clip

Name = Literal["PROCEED", "STOP", "CLARIFY", ""]
DECISIONS: tuple[str, ...] = get_args(Name)[:-1]


def find(text: str) -> str:
    """The decision of a report in its words, e.g. "REQUEST CHANGES"; "" where it is unstated.

    What its first line says, else what the lines say that have a keyword, else what any line says that states one.
    Where they differ it is all of them, and `keyword` finds none in it.
    """
    lines = scan(text)
    stated = statements(lines)
    named = [(line, words) for line, words in stated if keyword(words)]
    if named and named[0][0] is lines[0]:
        named = named[:1]
    return " / ".join(dict.fromkeys(clip(words, 120) for _, words in named or stated))


def statements(lines: Sequence[ReportLine]) -> list[tuple[ReportLine, str]]:
    """The lines that state a decision, with its words; where there is none the one status that is the whole report's.

    A status under a second heading is that part's, and one with a word before it ("Git status") is of that.
    """
    found: dict[str, list[tuple[ReportLine, str]]] = {"decision": [], "status": []}
    for line, following in zip_longest(lines, lines[1:]):
        if line.kind in ("code", "row"):
            continue
        label, value = line.field
        if line.kind == "heading" and not value and following and following.kind in ("text", "item"):
            label, value = line.plain.rstrip(":"), following.plain
            label = "" if _kind(label) == _kind(following.field[0]) else label  # that line states it
        if kind := _kind(label):
            found[kind].append((line, value))
        elif _begins(line.plain):
            found["decision"].append((line, line.plain))
    second = [line.number for line in lines if line.kind == "heading"][1:2]
    is_whole = len(found["status"]) == 1 and not (second and found["status"][0][0].number >= second[0])
    return found["decision"] or (found["status"] if is_whole else [])


def _kind(label: str) -> str:
    """Which of the two a label names; a longer text before a colon is a sentence."""
    name = label.casefold().split()
    if name == ["status"]:
        return "status"
    return "decision" if 0 < len(name) <= 3 and name[-1] in ("decision", "verdict") else ""


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
