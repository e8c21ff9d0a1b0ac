"""How much of a text's relevance is its meaning, where a caller has an embedding model?

Rule: J7's relevance with an optional model: .07 of it is the cosine of the question and the nearest line of the text,
for an answer stands in one place; the rest is by words (search/ranking.py). The words' part is mostly below .2, so
that this weighs about a third of it. The share was chosen on conversations: more makes short texts worse, less gains
nothing (docs/decisions/0014-search-index.md).
"""

import itertools
import math
import operator
from collections.abc import Iterable, Sequence

MEANING = 0.07
UNRELATED = 0.3
"""A text that has nothing of the question but a cosine below this does not answer."""
VECTORS = 100
"""Of a text at most; in a longer one several lines share one."""


def lines(title: str, text: str) -> list[str]:
    """What is embedded of a text: its lines, of a long one so many together that `VECTORS` do."""
    found = [line for line in f"{title}\n{text}".split("\n") if line.strip()]
    step = -(-len(found) // VECTORS) or 1
    return ["\n".join(found[start : start + step]) for start in range(0, len(found), step)]


def unit(vector: Sequence[float]) -> list[float]:
    """A vector of length 1; of zeros only, itself."""
    length = math.sqrt(sum(map(operator.mul, vector, vector))) or 1.0
    return [x / length for x in vector]


def packed(vectors: Iterable[Sequence[float]]) -> list[float]:
    """The vectors of a text as they are kept: their width, then one after the other, each of length 1."""
    kept = [*map(unit, vectors)]
    return [float(len(kept[0])), *itertools.chain.from_iterable(kept)] if kept else []


def nearest(asked: Sequence[float], kept: Sequence[float]) -> float:
    """The cosine of a question's vector (of length 1) and the nearest of a `packed` text, 0 to 1.

    0 for vectors of another width and where there are none.
    """
    width = len(asked)
    if not width or not kept or kept[0] != width:
        return 0.0
    starts = range(1, len(kept), width)
    return max(0.0, *(math.fsum(map(operator.mul, asked, kept[start : start + width])) for start in starts))


def blended(words: float, meaning: float) -> float:
    """Both as one relevance."""
    if not words and meaning < UNRELATED:
        return 0.0
    return (1 - MEANING) * words + MEANING * meaning
