"""Which few lines of which resources answer what is needed now?

Rule: just in time: candidates are ranked by how many of the question's words their name and description hold, only the
best are read, and of each only the lines around the words are returned, with the exact place so that it can be checked.
Rare words count more than those that every candidate has. Source: requirement N (retrieval strategy, five steps).
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from holdfast.search import analysis
from holdfast.text.lines import clip

Read = Callable[[str], str | None]


class Candidate(NamedTuple):
    """A resource that could be read."""

    path: str
    about: str = ""


class Snippet(NamedTuple):
    """Some lines of a resource."""

    path: str
    first: int  # number of the first line shown, from 1
    last: int
    text: str
    score: float

    @property
    def reference(self) -> str:
        """The place, as it is cited."""
        return f"{self.path}:{self.first}-{self.last}"


def rank(query: str, candidates: Sequence[Candidate]) -> list[tuple[float, Candidate]]:
    """The candidates that have a word of the query, best first, each with its score."""
    wanted = _words(query)
    held = [wanted & _words(f"{candidate.path} {candidate.about}") for candidate in candidates]
    common = Counter(word for found in held for word in found)
    scores = [sum(math.log(1 + len(candidates) / common[word]) for word in found) for found in held]
    found = [(score, candidate) for score, candidate in zip(scores, candidates, strict=True) if score > 0]
    return sorted(found, key=lambda one: (-one[0], one[1].path))


def _words(text: str) -> frozenset[str]:
    """As the search has them: short ones too, parts of paths and of camelCase, pairs where words are not apart."""
    return frozenset(analysis.words(text)) - analysis.STOP


def retrieve(query: str, candidates: Sequence[Candidate], read: Read, most: int = 5) -> list[Snippet]:
    """Snippets of the best candidates, best first; at most `most` resources are read, `None` is one that is gone."""
    wanted, found = _words(query), []
    for score, candidate in rank(query, candidates)[:most]:
        text = read(candidate.path)
        if text:
            found += _snippets(text, wanted, candidate.path, score)
    return sorted(found, key=lambda one: (-one.score, one.path, one.first))


def _snippets(text: str, wanted: frozenset[str], path: str, score: float) -> list[Snippet]:
    """The three places with most words of the query, two lines around each; those that meet joined into one."""
    lines = text.split("\n")
    shown = [clip(line, 201) for line in lines]
    hits = [(len(wanted & _words(line)), number) for number, line in enumerate(lines)]
    best = sorted((hit for hit in hits if hit[0]), key=lambda hit: (-hit[0], hit[1]))[:3]
    spans: list[list[int]] = []
    for count, number in sorted(best, key=lambda hit: hit[1]):
        start, end = max(0, number - 2), min(len(lines), number + 3)
        if spans and start <= spans[-1][1]:
            spans[-1][1:] = [end, spans[-1][2] + count]
        else:
            spans.append([start, end, count])
    return [Snippet(path, start + 1, end, "\n".join(shown[start:end]), score + count) for start, end, count in spans]
