"""SearchIndex: texts found by a question, offline, in one file.

    with SearchIndex.open("notes.index") as index:
        index.add_many([("a1", "Login", "Tokens are refreshed every hour.", "2026-05-08T10:00:00Z")])
        index.search("how often is the token refreshed?")     # [("a1", 1.0)]

The file can be thrown away: texts stay where they were, and `fresh` says when they must be added again. The ranking is
search/ranking.py, the file search/sqlite.py; docs/decisions/0014-search-index.md says why this one.

Rule: J7 over 100,000 records in milliseconds. Texts that have the question's rare words are all looked at (`wide`); of
words that stand in many texts it is only asked which of those have them too (`narrow`). The `POOL` texts with most
weight of words are compared in full. Where fewer have a word of the question, texts with its common words and then the
newest fill the pool: a small collection is compared as a whole, so that letters find what no word finds.
"""

import datetime as dt
import heapq
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from holdfast.errors import BadInput, how_to_add
from holdfast.search import analysis, ranking
from holdfast.search.facts import SearchMoment, TextFacts, Where
from holdfast.search.ranking import idf
from holdfast.search.sqlite import Among, IndexedText, Searchable, TextTables, set_aside, tagged

Record = tuple[str, str, str, str]
"""id, title, text, ISO time ("" when not known)."""
POOL = 100
"""Texts that are compared in full: about 3 ms for short ones, 30 ms for long conversations."""
BUDGET = 3_000
"""Texts that are looked at before that; each costs about a microsecond."""
_COLUMNS = ("id", "time", "body", *TextFacts._fields)
_DROP = "DELETE FROM texts WHERE id = ?"


class SearchIndex(TextTables):
    """An open index. For one thread; several processes may have the same path open and write to it.

    `fresh` is true when it began empty: new, damaged, of another version, or made of other stems. Add the texts again.
    """

    @property
    def note(self) -> str:
        """What a user should know of how words are compared; "" as a rule."""
        return note()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open or create. Raises BadInput for a file that is not an index, Fault where SQLite cannot work."""
        return cls(os.fspath(path), int(analysis.STEMMED))

    @staticmethod
    def of_ours(path: str) -> "SearchIndex":
        """As `open`, of a place where only we write: what stands there of somebody else's is set aside."""
        try:
            return SearchIndex.open(path)
        except BadInput:
            set_aside(path)
            return SearchIndex.open(path)

    def add_many(
        self,
        records: Iterable[Record],
        facts: Mapping[str, TextFacts] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add texts, or replace those of the same id; how many. Each batch is safe on disk before the next.

        facts: by id, for mode="memory". progress: called with the number added so far. Raises BadInput for a record
        that is none.
        """
        rest, done = iter(records), 0
        insert = f"INSERT INTO texts({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - names
        while batch := [_row(one, facts or {}) for one in itertools.islice(rest, 2_000)]:  # a tenth of a second
            latest = {row.id: row for row in batch}
            with self.writing() as db:
                db.executemany(_DROP, ((one,) for one in latest))
                highest = self.highest()
                db.executemany(insert, map(_packed, latest.values()))
                # A trigger would do, at three times the cost of all the rest.
                db.execute("INSERT INTO words(rowid, body) SELECT n, body FROM texts WHERE n > ?", (highest,))
            done += len(batch)
            if progress:
                progress(done)
        return done

    def remove(self, ids: Iterable[str]) -> int:
        """Remove texts; how many there were. Of what they said nothing stays in the file."""
        with self.writing() as db:
            gone = max(0, db.executemany(_DROP, ((one,) for one in ids)).rowcount)
            if gone:
                db.execute("INSERT INTO words(words) VALUES ('optimize')")  # else their words stay until a later merge
        if gone:
            self.wipe()
        return gone

    def facts(self, ids: Iterable[str]) -> dict[str, TextFacts]:
        """What is known of these texts, by id; one that is not there is left out."""
        query = f"SELECT id, {', '.join(TextFacts._fields)} FROM texts WHERE id = ?"  # noqa: S608 - names
        return {row[0]: _facts(row[1:]) for one in ids for row in self.select(query, (one,))}

    def rows(self, numbers: Sequence[int]) -> list[IndexedText]:
        """The texts of these numbers, in their order; one that has gone since is left out."""
        query = f"SELECT n, {', '.join(_COLUMNS)} FROM texts WHERE n IN ({','.join('?' * len(numbers))})"  # noqa: S608 - names and marks
        found = {row[0]: IndexedText(row[1], row[2], row[3], _facts(row[4:])) for row in self.select(query, numbers)}
        return [found[number] for number in numbers if number in found]

    def search(
        self,
        query: str,
        limit: int = 10,
        mode: str = "relevance",
        *,
        where: Where | None = None,
        at: SearchMoment | None = None,
    ) -> list[tuple[str, float]]:
        """The ids and scores (0 to 1, mostly as a share of the best) of at most `limit` texts, best first.

        mode="relevance": what answers the question; nothing for a question without words to look up. mode="memory":
        the ranking of search/ranking.py over what answers, or without a question over all. where: only these.
        at: the time that recency counts from, and uses that have come since the texts were added.
        Any text is a question; it has no syntax. Raises BadInput for another mode or a limit below 1.
        """
        return ranked(self, query, limit, mode, Scope(where or Where(), at or SearchMoment()))


def _packed(row: IndexedText) -> tuple[object, ...]:
    return (*row[:3], *row.facts._replace(tags="".join(map(tagged, row.facts.tags))))  # type: ignore[arg-type]  # a column


def _facts(columns: Sequence[Any]) -> TextFacts:
    found = TextFacts(*columns)
    return found._replace(tags=tuple(filter(None, columns[3].split("\n"))), archived=bool(found.archived))


def note() -> str:
    """What a user should know of how words are compared; "" as a rule."""
    told = "words are compared as they stand, without their stems"
    return "" if analysis.STEMMED else f"{told}: `{how_to_add('snowballstemmer')}`"


class Scope(NamedTuple):
    """Which texts are asked for, and when."""

    where: Where
    at: SearchMoment
    pool: int = POOL
    """How many texts are compared in full."""


def ranked(source: Searchable, query: str, limit: int, mode: str, scope: Scope) -> list[tuple[str, float]]:
    """As `SearchIndex.search`."""
    return [(name, score) for _, name, score in ranked_together([source], query, limit, mode, scope)]


def ranked_together(
    sources: Sequence[Searchable], query: str, limit: int, mode: str, scope: Scope
) -> list[tuple[int, str, float]]:
    """As `ranked`, of several sources, which compete as one; the place of its source stands before each."""
    if mode not in ("relevance", "memory"):
        raise BadInput(f"unknown mode {mode!r}", "search", "Allowed: relevance, memory")
    if limit < 1:
        raise BadInput("limit is below 1", "search", "Ask for at least one")
    question = ranking.ask(query)
    having = [source.having(question.terms) for source in sources]
    question = ranking.trimmed(question, sum(map(Counter[str], having), Counter[str]()))
    placed = [
        (place, row)
        for place, (source, frequencies) in enumerate(zip(sources, having, strict=True))
        for row in _candidates(source, frequencies, mode, scope.where, max(limit, scope.pool))
    ]
    rows = [row for _, row in placed]
    bodies = [row.body for row in rows]
    scores = ranking.scores(question, bodies)
    if mode == "memory":
        answers = ranking.competing(question, bodies, scores)
        rest = _standing(rows, scope.at)
        scores = ranking.worth(question, [body.partition("\n")[0] for body in bodies], scores, rest)
    else:
        answers = [place for place, score in enumerate(scores) if score > 0]
    best = sorted(answers, key=lambda i: -scores[i])[:limit]
    return [(placed[i][0], rows[i].id, scores[i]) for i in best]


def _candidates(
    source: Searchable, frequencies: Mapping[str, int], mode: str, where: Where, pool: int
) -> list[IndexedText]:
    """Those that are compared, of those that are asked for."""
    among, numbers = source if isinstance(source, Among) else Among(source, where), list[int]()
    if frequencies:
        numbers = choose(frequencies, source.highest(), among, pool)
    elif mode == "memory":
        numbers = among.newest(max(pool, 1_000))
    return [row for start in range(0, len(numbers), 500) for row in source.rows(numbers[start : start + 500])]


def _standing(rows: Sequence[IndexedText], at: SearchMoment) -> list[float]:
    now = at.now or dt.datetime.now(dt.UTC).isoformat()
    facts = (row.facts._replace(accessed=at.uses.get(row.id, row.facts.accessed)) for row in rows)
    return [ranking.standing(about, row.time, now) for about, row in zip(facts, rows, strict=True)]


def _row(record: Record, facts: Mapping[str, TextFacts]) -> IndexedText:
    try:
        name, title, text, time = record
        name.encode()
        return IndexedText(name, time, ranking.encode(title, text, time), facts.get(name, TextFacts()))
    except (TypeError, ValueError, AttributeError) as error:
        raise BadInput(
            "a record is (id, title, text, time), four texts that UTF-8 can hold", repr(record)[:80]
        ) from error


def choose(frequencies: Mapping[str, int], total: int, among: Among, pool: int = POOL) -> list[int]:
    """Numbers of at most `pool` texts of `total`, the likeliest first; equals by age, the newest first.

    The rarest terms are wide, as many as the budget allows and at least one; the others narrow.
    """
    terms = sorted((term for term, count in frequencies.items() if count), key=lambda term: (frequencies[term], term))
    spent = itertools.accumulate(frequencies[term] for term in terms)
    number = max(sum(one <= BUDGET for one in spent), 1)
    wide, narrow, most = terms[:number], terms[number:], max(BUDGET, pool)
    weights = {term: idf(total, count) for term, count in frequencies.items()}
    found: dict[int, float] = {}
    for term in wide:
        _add(found, among.holding(term, most), weights[term])
    if len(found) > pool:
        least = min(weights[term] for term in wide)
        for term in narrow:
            if frequencies[term] * 5 <= total:  # what more texts have decides nothing among those with a rarer word
                _add(found, among.holding(term, most, wide), weights[term], least)
    numbers = dict.fromkeys(heapq.nlargest(pool, found, key=lambda number: (found[number], number)))
    for term in (*narrow, ""):
        if len(numbers) < pool:
            numbers |= dict.fromkeys(among.holding(term, pool) if term else among.newest(pool))
    return list(numbers)[:pool]


def _add(found: dict[int, float], numbers: Iterable[int], weight: float, least: float = 0) -> None:
    """least: what a text that was not among the newest of a term has at the least."""
    for number in numbers:
        found[number] = found.get(number, least) + weight
