"""What stands in the window where a block was?

Rule: at most 50 tokens: what it was, when it came, its finding, and where the whole of it is. The finding is what is
lost otherwise: a problem line, else the names that nothing else in the window says, as many as fit. The place is never
left out: of a path that is too long its last part stands, which is the name in the archive. Source:
requirement E; what gives way to names is ours, by what recorded sessions used again (docs/decisions/0010-eviction.md).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from holdfast.engine.blocks import RESULT, Block
from holdfast.text.identifiers import basename
from holdfast.text.tokens import estimate

TOKENS = 50
START = "[Evicted: "
_ABOUT = 36
_NAMES = 12
_SHORTEST = 8
"""Characters up to which a finding says nothing."""


class Left(NamedTuple):
    """What is known of a block that leaves."""

    whole: str
    """Where its whole text can be read; "" when it is kept nowhere."""
    finding: str = ""
    """One line of what it found, e.g. its error; "" when there is none."""
    names: Sequence[str] = ()
    """Names that stand nowhere else, most wanted first."""


def text(block: Block, left: Left, tokens: int = TOKENS) -> str:
    """The placeholder, within `tokens` unless the turn and the name in the archive alone are more."""
    short = basename(left.whole).removesuffix(".txt")
    heads = (f"{_cut(_what(block), _ABOUT)}, turn {block.turn}", f"turn {block.turn}")
    tails = tuple(f"; whole: {whole}]" if whole else "]" for whole in dict.fromkeys((left.whole, short)))
    found = [(f"{START}{head}", tail) for tail in tails for head in heads]
    head, tail = next((one for one in found if estimate("".join(one)) <= tokens), found[-1])
    room = tokens - estimate(head + tail)
    said = _finding(left.finding, room) if left.finding else ""
    said += _names(left.names, room - (estimate(said) if said else 0), ". Names: " if said else ": ")
    whole = f"{head}{said}{tail}"
    return whole if estimate(whole) <= tokens else f"{head}{tail}"


def _what(block: Block) -> str:
    """What it was: of a path its last part, since the call that stands before a result still says the whole."""
    tool, _, argument = block.about.partition(" ")
    if not block.about:
        return block.kind.replace("_", " ")
    path = block.kind == RESULT and "/" in argument and " " not in argument
    return f"{tool} {basename(argument)}" if path else block.about


def _finding(finding: str, room: int) -> str:
    """As much of it as fits in two thirds of the room; names have the rest."""
    limit = room * 2 // 3
    shown = _cut(" ".join(finding.split()), max(0, int(limit * 2.2)))
    while len(shown) > _SHORTEST and estimate(f". {shown}") > limit:
        shown = _cut(shown, len(shown) * 3 // 4)
    return f". {shown}" if len(shown) > _SHORTEST else ""


def _names(names: Iterable[str], room: int, before: str) -> str:
    shown: list[str] = []
    left = room - estimate(before)
    for name in names:
        cost = estimate(name) + 1
        if cost <= left and len(shown) < _NAMES:
            shown.append(name)
            left -= cost
    return f"{before}{', '.join(shown)}" if shown else ""


def _cut(line: str, chars: int) -> str:
    return line if len(line) <= chars else f"{line[: max(0, chars - 1)]}…"
