"""Which lines of a passage answer the question?

Rule: W8. Of a passage longer than its room the lines with most weight of the question's words are shown, each with its
neighbours, in their order; gaps are marked. A long line is looked at in parts. The weight of a word is how rare it is
in the record (`ranking.idf`); a line of many words counts less, since it holds any word sooner. Thoughts have the room
that such lines leave: what they came to is said or done. What has no word of the question comes last of all.
"""

from collections.abc import Iterator, Mapping, Sequence

from holdfast.recall.passages import THOUGHT, Utterance
from holdfast.search import analysis
from holdfast.text.lines import clip

ROOM = 1_200
"""Characters of an answer."""
LINE = 400
GAP = "…"


def chosen(
    pieces: Sequence[Utterance], weights: Mapping[str, float], known: set[str], word: str = ""
) -> list[Utterance]:
    """The pieces with the lines that are shown of them, at most `ROOM` characters.

    known: lines that were shown before; those of this passage are added. word: what a long line is cut around.
    """
    lines = [(place, line) for place, piece in enumerate(pieces) for line in _lines(piece.text, known, word)]
    heads = [len(piece.who) + 2 for piece in pieces]
    thoughts = {place for place, piece in enumerate(pieces) if piece.who == THOUGHT}
    worths = [_worth(line, weights) for _, line in lines]
    order = sorted(range(len(lines)), key=lambda at: (not worths[at], lines[at][0] in thoughts, -worths[at]))
    taken = _taken(lines, order, heads)
    shown: list[list[str]] = [[] for _ in pieces]
    for at, (place, line) in enumerate(lines):
        if at in taken:
            shown[place].append(line)
        elif shown[place][-1:] not in ([], [GAP]):
            shown[place].append(GAP)
    known |= {line for at, (_, line) in enumerate(lines) if at in taken and len(line) > len("    return result")}
    return [Utterance(piece.who, "\n".join(of)) for piece, of in zip(pieces, shown, strict=True) if of]


def _lines(text: str, known: set[str], word: str) -> list[str]:
    lines = (line for line in text.split("\n") if any(map(str.isalnum, line)))
    parts = (part for line in lines for part in ([clip(_from(line, word), LINE)] if word else _parts(line)))
    return [part for part in parts if part and part not in known]


def _parts(line: str) -> Iterator[str]:
    """A line in parts that can be shown whole, cut at blanks: its answer may stand anywhere in it."""
    start = 0
    while len(line) - start > LINE:
        end = line.rfind(" ", start + 1, start + LINE)
        end = end if end > start else start + LINE
        yield line[start:end].strip()
        start = end
    yield line[start:].lstrip() if start else line


def _from(line: str, word: str) -> str:
    """The line, or where a word stands too far behind in it, what is around that."""
    at = line.casefold().find(word) - LINE // 2 if word and len(line) > LINE else 0
    return GAP + line[at:] if at > LINE // 4 else line


def _taken(lines: Sequence[tuple[int, str]], order: Sequence[int], heads: Sequence[int]) -> set[int]:
    """Which lines are shown: the first in this order with their piece's lines beside them, as many as have room.

    heads: characters of what stands before a piece's first line.
    """
    taken, begun, room = set[int](), set[int](), ROOM
    for at, near in ((one, near) for one in order for near in (one, one - 1, one + 1) if 0 <= near < len(lines)):
        piece, line = lines[near]
        size = len(line) + 1 + heads[piece] * (piece not in begun)
        if piece == lines[at][0] and near not in taken and size <= room:
            taken.add(near)
            begun.add(piece)
            room -= size
    return taken


def _worth(line: str, weights: Mapping[str, float]) -> float:
    words = set(analysis.words(line))
    return sum(weights[word] for word in words & weights.keys()) / (1 + len(words) / 40)
