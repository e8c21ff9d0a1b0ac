"""How well does each of some texts answer a question, and which memory is worth most for it?

Rule: J7's relevance, a number from 0 (nothing in common) to 1 (the best in every part): the mean of two parts, each a
BM25 (Robertson and Zaragoza 2009) as a share of the best text's.

lines    over each line of a text, the second best counting half, the third a third: an answer stands in one place.
         Two words that stand beside each other in the question are a term of their own.
letters  over groups of four letters of the whole text: forms that stems miss, compounds, misspellings

How rare a term is, is counted over the texts that are compared. docs/decisions/0014-search-index.md has the figures.

Rule: J7's memory ranking: .15 title, .25 content, .25 importance, .20 recency 1/(1 + days/30), .15 access (10 count in
full). The source calls this "text similarity 40 %" and three more; the five weights make 1 and are used as they stand.
Title is the share of the question's words, by number, that stand in the title; content is relevance. Without a question
both are 0 for all, and importance, recency and access decide. An unknown time counts as old.
"""

import datetime as dt
import functools
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from holdfast.search.analysis import STOP, lines, words
from holdfast.search.facts import TextFacts

WEIGHTS = {"title": 0.15, "content": 0.25, "importance": 0.25, "recency": 0.20, "access": 0.15}

Term = str | tuple[str, str]  # a word, or two that stand beside each other


class Question(NamedTuple):
    """A question, analysed."""

    words: tuple[str, ...]
    terms: tuple[str, ...]
    """What texts are looked up by, each once, in order."""


class _Counted(NamedTuple):
    """What of the question stands in a line or a text; its length is in words."""

    length: int
    counts: Mapping[Term, int]


def ask(text: str) -> Question:
    """Analyse a question. Without words to look up `terms` is empty; of very many those of its beginning count."""
    found = words(text)
    terms = [*dict.fromkeys(word for word in found if word not in STOP)][:500]
    return Question(tuple(found), tuple(terms))


def trimmed(question: Question, frequencies: Mapping[str, int]) -> Question:
    """A question of at most 32 terms: of more, those that fewest texts have."""
    if len(question.terms) <= 32:
        return question
    known = [term for term in question.terms if frequencies.get(term)]
    kept = frozenset(sorted(known, key=lambda term: (frequencies[term], term))[:32])
    return question._replace(terms=tuple(term for term in question.terms if term in kept))


def encode(title: str, text: str, time: str) -> str:
    """A text as it is kept: its title, its day as people write it and its lines, each as words between spaces."""
    rows = [words(title), _spelled(time[:10]), *lines(text)]
    return "\n".join(f" {' '.join(row)} " for row in rows)


@functools.lru_cache(maxsize=4_096)  # one search asks for the same few days again and again
def _spelled(day: str) -> list[str]:
    """The words of an ISO date as "8 May 2023"; none when it is no day."""
    try:
        date = dt.date.fromisoformat(day)
    except ValueError:
        return []
    return words(f"{date.day} {date:%B} {date.year}")


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
    return [padded[i : i + 4] for i in range(max(1, len(padded) - 3))]


def _counted(line: Sequence[str], terms: frozenset[str], pairs: frozenset[tuple[str, str]]) -> _Counted:
    found: list[Term] = [word for word in line if word in terms]
    if not pairs.isdisjoint(itertools.pairwise(line)):  # few lines have some
        found += [pair for pair in itertools.pairwise(line) if pair in pairs]
    return _Counted(len(line), Counter(found))


def _bm25(texts: Sequence[Sequence[_Counted]], number: int, length: int) -> list[list[float]]:
    """The BM25 of each unit of each text. number: units in all, those without a term included; length: their words."""
    having = Counter(term for units in texts for unit in units for term in unit.counts)
    weights = {term: idf(number, count) for term, count in having.items()}
    usual = length / number if length else 1

    def value(unit: _Counted) -> float:
        slack = 1.2 * (1 / 4 + 3 / 4 * unit.length / usual)  # k1 1.2, b .75
        return sum(weights[term] * count / (count + slack) for term, count in unit.counts.items())

    return [list(map(value, units)) for units in texts]


def _shares(values: Sequence[float]) -> list[float]:
    """As shares of the best; all 0 where there is none."""
    best = max(values, default=0) or 1
    return [value / best for value in values]


def competing(question: Question, bodies: Sequence[str], relevance: Sequence[float]) -> list[int]:
    """Which memories answer, by their places: those with a word of the question, else those that share letters.

    What shares only some letters would win by its importance or age. Without words to look up all compete.
    """
    words = [f" {term} " for term in question.terms]
    if not words:
        return list(range(len(bodies)))
    exact = [place for place, body in enumerate(bodies) if any(word in body for word in words)]
    return exact or [place for place, one in enumerate(relevance) if one > 0]


def worth(question: Question, titles: Sequence[str], relevance: Sequence[float], rest: Sequence[float]) -> list[float]:
    """One score from 0 to 1 per memory; `titles` are encoded, `rest` is what `standing` gives."""
    return [
        WEIGHTS["title"] * _share(question.terms, title) + WEIGHTS["content"] * one + other
        for title, one, other in zip(titles, _shares(relevance), rest, strict=True)
    ]


def standing(about: TextFacts, time: str, now: str) -> float:
    """The part of a memory's score that no question changes; `time` and `now` are ISO."""
    recency = 1 / (1 + max(0, _day(now) - _day(time)) / 30)
    parts = {"importance": about.importance / 10, "recency": recency, "access": min(about.accessed / 10, 1)}
    return sum(WEIGHTS[name] * part for name, part in parts.items())


@functools.lru_cache(maxsize=4_096)
def _day(time: str) -> int:
    """The number of an ISO time's day; 0 when it names none."""
    try:
        return dt.date.fromisoformat(time[:10]).toordinal()
    except ValueError:
        return 0


def _share(terms: Sequence[str], title: str) -> float:
    return len(set(terms) & set(title.split())) / len(terms) if terms else 0
