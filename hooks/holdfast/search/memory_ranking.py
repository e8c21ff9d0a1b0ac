"""Which memory is worth most for a question?

Rule: J7's memory ranking: .15 title, .25 content, .25 importance, .20 recency 1/(1 + days/30), .15 access (10 count in
full). The source calls this "text similarity 40 %" and three more; the five weights make 1 and are used as they stand.

title    share of the question's words, by number, that stand in the title
content  relevance (search/ranking.py) as a share of the best candidate's, so that a question that nothing answers
         well is still decided by its text as well as by importance

Without a question both are 0 for all, and importance, recency and access decide. An unknown time counts as old.
"""

import datetime as dt
import functools
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from holdfast.search.ranking import Question

WEIGHTS = {"title": 0.15, "content": 0.25, "importance": 0.25, "recency": 0.20, "access": 0.15}
FADING = 30
"""Days after which recency is a half."""
OFTEN = 10
"""Accesses that count in full."""


class Facts(NamedTuple):
    """What is known of a memory beside its text."""

    kind: str = ""
    importance: int = 5
    """1 to 10."""
    accessed: int = 0
    tags: tuple[str, ...] = ()
    archived: bool = False
    expires: str = ""
    """ISO time, "" for never."""
    source: str = ""
    """Where it stands, in the words of whoever adds it; it ranks nothing."""


class Where(NamedTuple):
    """Which memories are asked for (`admits`, and in an index `sqlite.Among`); an empty field asks nothing.

    Times are compared as texts: give all of them in one form, `2026-11-04T14:32:00Z`.
    """

    kind: str = ""
    tags: Collection[str] = ()
    """All of these."""
    importance: int = 0
    """At least."""
    after: str = ""
    """ISO time, inclusive."""
    before: str = ""
    """ISO time, exclusive."""
    archived: bool | None = False
    """None for either."""
    alive: str = ""
    """ISO time at which it has not expired."""


class Moment(NamedTuple):
    """When it is asked, as ISO time ("" is now), and how often memories were used until then."""

    now: str = ""
    uses: Mapping[str, int] = {}
    """By id; of others it is as often as their facts say."""

    def of(self, name: str, about: Facts) -> Facts:
        """What is known of a memory at this moment."""
        return about._replace(accessed=self.uses[name]) if name in self.uses else about


def admits(where: Where, about: Facts, time: str) -> bool:
    """Whether a memory is one of those that are asked for."""
    return (
        where.kind in ("", about.kind)
        and set(where.tags) <= set(about.tags)
        and about.importance >= where.importance
        and (not where.after or time >= where.after)
        and (not where.before or time < where.before)
        and where.archived in (None, about.archived)
        and not (where.alive and about.expires and about.expires <= where.alive)
    )


def competing(question: Question, bodies: Sequence[str], relevance: Sequence[float]) -> list[int]:
    """Which memories answer, by their places: those with a word of the question, else those that share letters.

    What shares only some letters would win by its importance or age. Without words to look up all compete.
    """
    terms = frozenset(question.terms)
    if not terms:
        return list(range(len(bodies)))
    exact = [place for place, body in enumerate(bodies) if not terms.isdisjoint(body.split())]
    return exact or [place for place, one in enumerate(relevance) if one > 0]


def scores(question: Question, titles: Sequence[str], relevance: Sequence[float], rest: Sequence[float]) -> list[float]:
    """One score from 0 to 1 per memory; `titles` are encoded, `rest` is what `standing` gives."""
    best = max(relevance, default=0.0) or 1.0
    return [
        WEIGHTS["title"] * _share(question.terms, title) + WEIGHTS["content"] * one / best + other
        for title, one, other in zip(titles, relevance, rest, strict=True)
    ]


def standing(about: Facts, time: str, now: str) -> float:
    """The part of a memory's score that no question changes; `time` and `now` are ISO."""
    days = max(0, _day(now) - _day(time))
    parts = {
        "importance": about.importance / 10,
        "recency": 1 / (1 + days / FADING),
        "access": min(about.accessed / OFTEN, 1),
    }
    return sum(WEIGHTS[name] * part for name, part in parts.items())


@functools.lru_cache(maxsize=4_096)  # one search asks for the same few days again and again
def _day(time: str) -> int:
    """The number of an ISO time's day; 0 when it names none."""
    try:
        return dt.date.fromisoformat(time[:10]).toordinal()
    except ValueError:
        return 0


def _share(terms: Sequence[str], title: str) -> float:
    return len(set(terms) & set(title.split())) / len(terms) if terms else 0
