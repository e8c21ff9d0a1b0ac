"""How well does each of some texts answer a question?

Rule: J7's relevance, a number from 0 (nothing in common) to about 1, from three parts:

lines    .50  BM25 of a text's best three lines, the second counting half and the third a quarter, with a bonus for two
              words that stand beside each other in question and line: an answer stands in one place
letters  .45  BM25 of groups of four letters over the whole text: forms that stems miss, compounds, misspellings
days     .05  how near the text is to the days that the question names

How rare a word is, is counted over the texts that are compared. The weights were chosen on conversations, so that each
part helps in either half of them (docs/decisions/0014-search-index.md).
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from holdfast.search import analysis as words
from holdfast.search import dates

WEIGHTS = {"lines": 0.50, "letters": 0.45, "days": 0.05}
LINES = (1.0, 0.5, 0.25)
"""What the best lines count."""
BESIDE = 0.5
"""The bonus of two neighbours; the weight of a word is 1 to 6."""
GRAM = 4
MOST_TERMS, MOST_ASKED = 32, 500
"""Of a question: of more terms the rarest decide, of very many those of its beginning."""


class Saturation(NamedTuple):
    """BM25's two numbers: how soon repetitions stop to count, and how much length is held against a text."""

    k: float
    b: float

    def of(self, count: int, length: float) -> float:
        """0 to 1 for a count in a text of `length` times the usual."""
        return count / (count + self.k * (1 - self.b + self.b * length))


LINE, LETTERS = Saturation(1.2, 0.4), Saturation(1.5, 0.75)


class Question(NamedTuple):
    """A question, analysed."""

    words: tuple[str, ...]
    terms: tuple[str, ...]
    """What texts are looked up by, each once, in order."""
    spans: tuple[dates.Span, ...]


class Text(NamedTuple):
    """A text that is compared: `body` as `encode` made it."""

    body: str
    time: str


class _Line(NamedTuple):
    """A line that has something of the question."""

    length: int
    counts: dict[str, int]
    beside: int


class _Hits(NamedTuple):
    """What of the question stands in one text."""

    lines: list[_Line]
    length: int
    grams: list[int]


def ask(text: str) -> Question:
    """Analyse a question. Without words to look up `terms` is empty."""
    found = words.question(text)
    terms = itertools.islice(dict.fromkeys(filter(words.is_term, found)), MOST_ASKED)
    return Question(tuple(found), tuple(terms), tuple(dates.named(text)))


def trimmed(question: Question, frequencies: Mapping[str, int]) -> Question:
    """A question of at most `MOST_TERMS`: of more, those that fewest texts have."""
    if len(question.terms) <= MOST_TERMS:
        return question
    known = [term for term in question.terms if frequencies.get(term)]
    kept = frozenset(sorted(known, key=lambda term: (frequencies[term], term))[:MOST_TERMS])
    return question._replace(terms=tuple(term for term in question.terms if term in kept))


def encode(title: str, text: str, time: str) -> str:
    """A text as it is kept: its title, its day and its lines, each as words between single spaces."""
    rows = [words.words(title), words.words(dates.spelled(time)), *words.lines(text)]
    return "\n".join(f" {' '.join(row)} " for row in rows)


def idf(texts: int, having: int) -> float:
    """The weight of a word that `having` of `texts` have; above 0 also when all do."""
    return math.log(1 + max(0.0, texts - having + 0.5) / (having + 0.5))


def scores(question: Question, texts: Sequence[Text]) -> list[float]:
    """One score per text, in order; 0 exactly when a text has nothing in common with the question."""
    grams = list(dict.fromkeys(gram for term in question.terms for gram in _grams(term)))
    pairs = frozenset(itertools.pairwise(question.words))
    terms = frozenset(question.terms)
    found = [_hits(text.body, terms, pairs, grams) for text in texts]
    length = sum(hits.length for hits in found) / max(1, len(found)) or 1.0
    parts = {
        "lines": _lines(found, sum(text.body.count("\n") + 1 for text in texts), len(pairs)),
        "letters": _letters(found, length),
        "days": [dates.near(question.spans, text.time) for text in texts],
    }
    return [sum(WEIGHTS[name] * part[i] for name, part in parts.items()) for i in range(len(texts))]


def _grams(term: str) -> list[str]:
    padded = f" {term} "
    return [padded[i : i + GRAM] for i in range(max(1, len(padded) - GRAM + 1))]


def _hits(body: str, terms: frozenset[str], pairs: frozenset[tuple[str, str]], grams: list[str]) -> _Hits:
    found, length = [], 0
    for line in body.split("\n"):
        row = line.split()
        length += len(row)
        if terms.isdisjoint(row):
            continue
        counts: dict[str, int] = {}
        for word in row:
            if word in terms:
                counts[word] = counts.get(word, 0) + 1
        found.append(_Line(len(row), counts, len(pairs.intersection(itertools.pairwise(row)))))
    return _Hits(found, length, [body.count(gram) for gram in grams])


def _lines(found: list[_Hits], number: int, pairs: int) -> list[float]:
    """Of `number` lines in all; `pairs` are the question's."""
    usual = max(1.0, sum(hits.length for hits in found) / max(1, number))
    having: dict[str, int] = {}
    for line in (line for hits in found for line in hits.lines):
        for term in line.counts:
            having[term] = having.get(term, 0) + 1
    weights = {term: idf(number, count) for term, count in having.items()}
    most = (sum(weights.values()) + pairs * BESIDE) * sum(LINES)

    def value(line: _Line) -> float:
        length = line.length / usual
        matched = sum(weights[term] * LINE.of(count, length) for term, count in line.counts.items())
        return matched + BESIDE * line.beside

    best = (sorted(map(value, hits.lines), reverse=True) for hits in found)
    return [sum(weight * one for weight, one in zip(LINES, values, strict=False)) / (most or 1.0) for values in best]


def _letters(found: list[_Hits], usual: float) -> list[float]:
    columns = zip(*(hits.grams for hits in found), strict=True)
    weights = [idf(len(found), sum(1 for count in column if count)) for column in columns]
    most = idf(len(found), 1) * len(weights) or 1.0
    return [
        sum(w * LETTERS.of(n, hits.length / usual) for w, n in zip(weights, hits.grams, strict=True) if n) / most
        for hits in found
    ]
