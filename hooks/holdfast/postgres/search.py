"""The team's records searched where they stand: PostgreSQL finds the likeliest, search/ranking.py compares them.

The same steps as in the local index: how many texts have each word of the question, the hundred with the most weight of
words, those compared in full. What is not in a team of the asker's is never among them.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from holdfast.postgres.settings import Place
from holdfast.search import ranking
from holdfast.search.facts import Facts
from holdfast.search.index import BUDGET, POOL, choose
from holdfast.search.ranking import Question
from holdfast.search.sqlite import Among

if TYPE_CHECKING:
    from holdfast.postgres.connection import Connection


class Answer(NamedTuple):
    """A record that answers: its Markdown, who wrote it, and in which project."""

    id: str
    project: str
    author: str
    record: str
    score: float


class _Row(NamedTuple):
    id: str
    project: str
    author: str
    record: str
    body: str
    time: str
    facts: dict[str, object]


class _Server(Among):
    """The records of one place, as `choose` asks for them."""

    def __init__(self, connection: "Connection", place: Place) -> None:
        self._connection, self._place = connection, place
        self._had: dict[str, list[int]] = {}

    def having(self, terms: Sequence[str]) -> dict[str, int]:
        """Term -> number of records with it; "" is all of them."""
        query = "SELECT word, texts, numbers FROM holders(%s, %s, %s, %s)"
        rows = self._connection.execute(query, (*self._place, ["", *terms], BUDGET)).fetchall()
        self._had = {word: numbers for word, _, numbers in rows if word and numbers is not None}
        return {word: texts for word, texts, _ in rows}

    def holding(self, term: str, most: int, others: Sequence[str] = ()) -> list[int]:
        """As of `Among`; with others only as far back as those were looked at."""
        if not others:
            if term not in self._had:
                newest = min(most, 500)  # a common word by itself may stand in nearly all
                self._had[term] = self._numbers(self._word(term), 0, newest)
            return self._had[term]
        oldest = min((numbers[-1] for other in others if (numbers := self._had.get(other))), default=0)
        either = " | ".join(map(self._word, others))
        return self._numbers(f"{self._word(term)} & ({either})", oldest, most)

    def newest(self, most: int) -> list[int]:
        """As of `Among`."""
        return self._numbers("", 0, most)

    def _word(self, term: str) -> str:
        return f"'{self._place.team}/{term}'"

    def _numbers(self, asked: str, since: int, most: int) -> list[int]:
        rows = self._connection.execute("SELECT holding(%s, %s, %s, %s, %s)", (*self._place, asked, since, most))
        return [number for (number,) in rows]

    def rows(self, numbers: Sequence[int]) -> list[_Row]:
        """The records of these numbers that the asker may read, in their order."""
        query = (
            "SELECT number, id::text, project, author, record, body, time, facts FROM records"
            " WHERE number = ANY(%s) AND team = %s AND NOT withdrawn"
        )
        rows = self._connection.execute(query, (numbers, self._place.team))
        found = {number: _Row(*rest) for number, *rest in rows}
        return [found[number] for number in numbers if number in found]


def search(connection: "Connection", place: Place, query: str, most: int, now: str = "") -> list[Answer]:
    """What answers the question, the best first, of one project or with "" of all; nothing for one without words.

    now: ISO time, by which what answers is ranked as a memory; without, only what it says counts.
    """
    question = ranking.ask(query)
    if not question.terms:
        return []
    server = _Server(connection, place)
    frequencies = server.having(question.terms)
    total = frequencies.pop("")
    question = ranking.trimmed(question, frequencies)
    rows = server.rows(choose(frequencies, total, server, max(most, POOL)))
    scores = ranking.scores(question, [row.body for row in rows])
    if now:
        scores = _as_memories(question, rows, scores, now)
    best = sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: -scores[i])[:most]
    return [Answer(*rows[i][:4], scores[i]) for i in best]


def _as_memories(question: Question, rows: Sequence[_Row], relevance: Sequence[float], now: str) -> list[float]:
    """The memory's ranking of those that answer; 0 for the others, and for what is set aside."""
    bodies = [row.body for row in rows]
    known = [_facts(row.facts) for row in rows]
    rest = [ranking.standing(about, row.time, now) for about, row in zip(known, rows, strict=True)]
    scores = ranking.worth(question, [body.partition("\n")[0] for body in bodies], relevance, rest)
    answers = {i for i in ranking.competing(question, bodies, relevance) if not known[i].archived}
    return [score if place in answers else 0 for place, score in enumerate(scores)]


def _facts(said: Mapping[str, object]) -> Facts:
    """As far as they are what they should be: their author may have written anything."""
    given = said.get("importance")
    importance = given if type(given) is int and 1 <= given <= 10 else 5
    return Facts(importance=importance, archived=said.get("archived") is True)
