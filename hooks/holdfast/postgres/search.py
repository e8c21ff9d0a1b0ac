"""The team's records searched where they stand: PostgreSQL finds them, search/index.py ranks them as local ones.

What is not in a team of the asker's is never among them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.postgres.connection import Place
from holdfast.search import ranking
from holdfast.search.facts import SearchMoment, TextFacts, Where
from holdfast.search.index import BUDGET, Scope, ranked
from holdfast.search.sqlite import Among, IndexedText, Values

if TYPE_CHECKING:
    from holdfast.postgres.connection import Connection


class ServerRecord(NamedTuple):
    """A record that answers: its Markdown, who wrote it, and in which project."""

    id: str
    project: str
    author: str
    record: str
    score: float = 0


class _Server(Among):
    """The records of one place, as `ranked` asks for them; `found`: by their ids those that it has looked at."""

    def __init__(self, connection: "Connection", place: Place, archived: bool) -> None:
        self._connection, self._place, self._archived = connection, place, archived
        self._had: dict[str, list[int]] = {}
        self._total, self.found = 0, dict[str, ServerRecord]()

    def select(self, query: str, values: Values = ()) -> list[Any]:
        """The rows of a query."""
        return self._connection.execute(query, values).fetchall()

    def having(self, terms: Iterable[str]) -> dict[str, int]:
        """Term -> number of records with it."""
        query = "SELECT word, texts, numbers FROM holders(%s, %s, %s, %s)"
        rows = self.select(query, (*self._place, ["", *terms], BUDGET))
        self._had = {word: numbers for word, _, numbers in rows if word and numbers is not None}
        texts = {word: number for word, number, _ in rows}
        self._total = texts.pop("")
        return texts

    def highest(self) -> int:
        """How many there are."""
        return self._total

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
        rows = self.select("SELECT holding(%s, %s, %s, %s, %s)", (*self._place, asked, since, most))
        return [number for (number,) in rows]

    def rows(self, numbers: Sequence[int]) -> list[IndexedText]:
        """The records of these numbers that the asker may read, in their order."""
        query = (
            "SELECT number, id::text, project, author, record, body, time, facts FROM records"
            " WHERE number = ANY(%s) AND team = %s AND NOT withdrawn"
        )
        found = {}
        for number, name, project, author, record, body, time, facts in self.select(query, (numbers, self._place.team)):
            self.found[name] = ServerRecord(name, project, author, record)
            found[number] = IndexedText(name, time, body, _facts(facts))
        there = (found[number] for number in numbers if number in found)
        return [row for row in there if self._archived or not row.facts.archived]


def search(connection: "Connection", place: Place, query: str, most: int, now: str = "") -> list[ServerRecord]:
    """What answers the question, the best first, of one project or with "" of all; nothing for one without words.

    now: ISO time, by which what answers is ranked as a memory; without, only what it says counts.
    """
    if not ranking.ask(query).terms:
        return []
    server = _Server(connection, place, archived=not now)
    scores = ranked(server, query, most, "memory" if now else "relevance", Scope(Where(), SearchMoment(now)))
    return [server.found[name]._replace(score=score) for name, score in scores]


def _facts(said: Mapping[str, object]) -> TextFacts:
    """As far as they are what they should be: their author may have written anything."""
    given = said.get("importance")
    importance = given if type(given) is int and 1 <= given <= 10 else 5
    return TextFacts(importance=importance, archived=said.get("archived") is True)
