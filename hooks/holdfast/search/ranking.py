"""How well does each of some texts answer a question?

Rule: J7's relevance, a number from 0 (nothing in common) to 1 (the best in every part): the mean of two parts, each a
BM25 (Robertson and Zaragoza 2009, with k1 1.2 and b .75) as a share of the best text's.

lines    over each line of a text, the second best counting half, the third a third: an answer stands in one place.
         Two words that stand beside each other in the question are a term of their own.
letters  over groups of four letters of the whole text: forms that stems miss, compounds, misspellings

How rare a term is, is counted over the texts that are compared. docs/decisions/0014-search-index.md has the figures.
"""

import datetime as dt
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from holdfast.search.analysis import STOP, lines, words

K1, B = 1.2, 0.75
GRAM = 4
MOST_TERMS, MOST_ASKED = 32, 500
"""Of a question: of more terms the rarest decide, of very many those of its beginning."""

Term = str | tuple[str, str]
"""A word, or two that stand beside each other."""


class Question(NamedTuple):
    """A question, analysed."""

    words: tuple[str, ...]
    terms: tuple[str, ...]
    """What texts are looked up by, each once, in order."""


class _Counted(NamedTuple):
    """What of the question stands in a line or a text."""

    length: int
    """In words."""
    counts: Mapping[Term, int]


def ask(text: str) -> Question:
    """Analyse a question. Without words to look up `terms` is empty."""
    found = words(text)
    terms = itertools.islice(dict.fromkeys(word for word in found if word not in STOP), MOST_ASKED)
    return Question(tuple(found), tuple(terms))


def trimmed(question: Question, frequencies: Mapping[str, int]) -> Question:
    """A question of at most `MOST_TERMS`: of more, those that fewest texts have."""
    if len(question.terms) <= MOST_TERMS:
        return question
    known = [term for term in question.terms if frequencies.get(term)]
    kept = frozenset(sorted(known, key=lambda term: (frequencies[term], term))[:MOST_TERMS])
    return question._replace(terms=tuple(term for term in question.terms if term in kept))


def encode(title: str, text: str, time: str) -> str:
    """A text as it is kept: its title, its day as people write it and its lines, each as words between spaces."""
    rows = [words(title), words(_spelled(time)), *lines(text)]
    return "\n".join(f" {' '.join(row)} " for row in rows)


def _spelled(time: str) -> str:
    """An ISO time as "8 May 2023"; "" when it names no day."""
    try:
        day = dt.date.fromisoformat(time[:10])
    except ValueError:
        return ""
    return f"{day.day} {day:%B} {day.year}"


def idf(texts: int, having: int) -> float:
    """The weight of a term that `having` of `texts` have; above 0 also when all do."""
    return math.log(1 + max(0, texts - having + 1 / 2) / (having + 1 / 2))


def scores(question: Question, bodies: Sequence[str]) -> list[float]:
    """One score per text (as `encode` made it), in order; 0 exactly when it has nothing in common with the question."""
    terms = frozenset(question.terms)
    pairs = frozenset(itertools.pairwise(question.words))
    grams = list(dict.fromkeys(gram for term in question.terms for gram in _grams(term)))
    rows = [[line.split() for line in body.split("\n")] for body in bodies]
    wholes = [
        _Counted(sum(map(len, lines)), {gram: count for gram in grams if (count := body.count(gram))})
        for body, lines in zip(bodies, rows, strict=True)
    ]
    found = [[_counted(line, terms, pairs) for line in lines if not terms.isdisjoint(line)] for lines in rows]
    length = sum(whole.length for whole in wholes)
    by_line = _bm25(found, sum(map(len, rows)), length)
    by_letters = _bm25([[whole] for whole in wholes], len(wholes), length)
    best = [sum(one / rank for rank, one in enumerate(sorted(values, reverse=True), 1)) for values in by_line]
    return [sum(pair) / 2 for pair in zip(_shares(best), _shares([one for (one,) in by_letters]), strict=True)]


def _grams(term: str) -> list[str]:
    padded = f" {term} "
    return [padded[i : i + GRAM] for i in range(max(1, len(padded) - GRAM + 1))]


def _counted(line: Sequence[str], terms: frozenset[str], pairs: frozenset[tuple[str, str]]) -> _Counted:
    counts: dict[Term, int] = {}
    for word in line:
        if word in terms:
            counts[word] = counts.get(word, 0) + 1
    for pair in itertools.pairwise(line):
        if pair in pairs:
            counts[pair] = counts.get(pair, 0) + 1
    return _Counted(len(line), counts)


def _bm25(texts: Sequence[Sequence[_Counted]], number: int, length: int) -> list[list[float]]:
    """The BM25 of each unit of each text. number: units in all, those without a term included; length: their words."""
    having = Counter(term for units in texts for unit in units for term in unit.counts)
    weights = {term: idf(number, count) for term, count in having.items()}
    usual = length / number if length else 1

    def value(unit: _Counted) -> float:
        slack = K1 * (1 - B + B * unit.length / usual)
        return sum(weights[term] * count / (count + slack) for term, count in unit.counts.items())

    return [list(map(value, units)) for units in texts]


def _shares(values: Sequence[float]) -> list[float]:
    """Of the best; all 0 where there is none."""
    best = max(values, default=0) or 1
    return [value / best for value in values]
