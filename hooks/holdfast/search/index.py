"""SearchIndex: texts found by a question, offline, in one file.

    with SearchIndex.open("notes.index") as index:
        index.add_many([("a1", "Login", "Tokens are refreshed every hour.", "2026-05-08T10:00:00Z")])
        index.search("how often is the token refreshed?")     # [("a1", 0.61)]

The file can be thrown away: texts stay where they were, and `fresh` says when they must be added again. The ranking is
policy/search/, the file search/sqlite.py; docs/decisions/0014-search-index.md says why this one.
"""

import datetime as dt
import itertools
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from holdfast.errors import BadInput
from holdfast.search import candidates, meaning, memory_ranking, ranking
from holdfast.search.memory_ranking import Facts, Moment, Where
from holdfast.search.sqlite import Index
from holdfast.search.sqlite_rows import FACTS, Row, joined, split

MODES = ("relevance", "memory")
Record = tuple[str, str, str, str]
"""id, title, text, ISO time ("" when not known)."""
WITHOUT_QUESTION = 1_000
"""Memories that compete when nothing is asked: the newest."""


Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Texts -> one vector each."""
AT_ONCE = 500
"""Texts that are read at once."""
TOGETHER = 256
"""Lines that are given to it at once."""


class _Found(NamedTuple):
    """A candidate, as it comes from the file."""

    id: str
    text: ranking.Text
    row: Row

    @property
    def title(self) -> str:
        return self.text.body.partition("\n")[0]

    @property
    def facts(self) -> Facts:
        return _facts(self.row[-len(FACTS) :])


class SearchIndex:
    """An open index. For one thread; several processes may have the same path open and write to it."""

    def __init__(self, index: Index, embed: Embed | None = None) -> None:
        self._index, self._embed = index, embed
        self.fresh = index.fresh
        """True when it began empty: new, damaged or of another version. Add the texts again."""

    @classmethod
    def open(cls, path: str | os.PathLike[str], embed: Embed | None = None) -> Self:
        """Open or create. Raises BadInput for a file that is not an index, Fault where SQLite cannot work.

        embed: an embedding model, optional: it has a share in the relevance of the candidates that words find
        (search/meaning.py). Give the same one at each opening.
        """
        return cls(Index(os.fspath(path)), embed)

    def add_many(
        self,
        records: Iterable[Record],
        facts: Mapping[str, Facts] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add texts, or replace those of the same id; how many. Each batch is safe on disk before the next.

        facts: by id, for mode="memory". progress: called with the number added so far. Raises BadInput for a record
        that is none.
        """
        done = 0
        rows = (_row(record, facts or {}) for record in records)
        for number in self._index.put(self._embedded(records, facts or {}) if self._embed else rows):
            done += number
            if progress:
                progress(done)
        return done

    def remove(self, ids: Iterable[str]) -> int:
        """Remove texts; how many there were."""
        return self._index.drop(map(_id, ids))

    def count(self) -> int:
        """Texts in the index."""
        return self._index.count()

    def facts(self, ids: Sequence[str] | None = None) -> dict[str, Facts]:
        """What is known of these texts, or of all, by id; one that is not there is left out."""
        return {name: _facts(values) for name, values in self._index.facts(ids).items()}

    @property
    def mark(self) -> str:
        """A line of the caller's on what the index was made from; "" where it began empty."""
        return self._index.mark()

    @mark.setter
    def mark(self, mark: str) -> None:
        self._index.set_mark(mark)

    def search(
        self,
        query: str,
        limit: int = 10,
        mode: str = "relevance",
        *,
        where: Where | None = None,
        at: Moment | None = None,
    ) -> list[tuple[str, float]]:
        """The ids and scores (0 to about 1) of at most `limit` texts, best first.

        mode="relevance": what answers the question; nothing for a question without words to look up. mode="memory":
        the ranking of search/memory_ranking.py over what answers, or without a question over all. where: only these.
        at: the time that recency counts from, and uses that have come since the texts were added.
        Any text is a question; it has no syntax. Raises BadInput for another mode or a limit below 1.
        """
        _check(mode, limit)
        question = ranking.ask(query)
        frequencies = self._index.having(question.terms)
        question = ranking.trimmed(question, frequencies)
        found = self._candidates(frequencies, mode, where or Where(), limit)
        scores = self._meant(query, found, ranking.scores(question, [one.text for one in found]))
        answers = [i for i, score in enumerate(scores) if score > 0]
        if mode == "memory":
            answers = memory_ranking.competing(question, [one.text.body for one in found], scores)
            when = at or Moment()
            now = when.now or _now()
            rest = [memory_ranking.standing(when.of(one.id, one.facts), one.text.time, now) for one in found]
            scores = memory_ranking.scores(question, [one.title for one in found], scores, rest)
        return [(found[i].id, scores[i]) for i in sorted(answers, key=lambda i: -scores[i])[:limit]]

    def _candidates(self, frequencies: Mapping[str, int], mode: str, where: Where, limit: int) -> list[_Found]:
        """Those that are compared, of those that are asked for: a pool of them, or as many as are wanted."""
        among, numbers = self._index.among(where._asdict()), list[int]()
        if frequencies:
            numbers = candidates.choose(frequencies, self._index.highest(), among, max(limit, candidates.POOL))
        elif mode == "memory":
            numbers = among.newest(max(limit, WITHOUT_QUESTION))
        return [
            _found(row)
            for start in range(0, len(numbers), AT_ONCE)
            for row in self._index.rows(numbers[start : start + AT_ONCE])
        ]

    def _embedded(self, records: Iterable[Record], facts: Mapping[str, Facts]) -> Iterator[Row]:
        """Rows with the vectors of their lines."""
        rest = iter(records)
        while batch := list(itertools.islice(rest, TOGETHER)):
            rows = [_row(record, facts) for record in batch]
            lines = [meaning.lines(title, text) for _, title, text, _ in batch]
            vectors = self._vectors(list(itertools.chain.from_iterable(lines)))
            for row, own in zip(rows, lines, strict=True):
                kept = meaning.packed(itertools.islice(vectors, len(own)))
                yield row._replace(vector=array("f", kept).tobytes())

    def _vectors(self, texts: Sequence[str]) -> Iterator[Sequence[float]]:
        for start in range(0, len(texts), TOGETHER):
            some = texts[start : start + TOGETHER]
            vectors = self._embed(some) if self._embed else ()
            if len(vectors) != len(some):
                raise BadInput(f"{len(vectors)} vectors for {len(some)} texts", "embed", "Give one for each")
            yield from vectors

    def _meant(self, query: str, found: Sequence[_Found], scores: list[float]) -> list[float]:
        """Scores by words and, where there is a model, by meaning."""
        if not self._embed or not found or not query.strip():
            return scores
        asked = array("f", meaning.unit(self._embed([query])[0]))
        near = (meaning.nearest(asked, array("f", one.row.vector)) for one in found)
        return list(map(meaning.blended, scores, near))

    def close(self) -> None:
        """Let go of the file."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self.close()
        return False


def _row(record: Record, facts: Mapping[str, Facts]) -> Row:
    try:
        name, title, text, time = record
        body = ranking.encode(title, text, time)
    except (TypeError, ValueError, AttributeError) as error:
        raise BadInput("a record is (id, title, text, time), four texts", repr(record)[:80], "") from error
    about = facts.get(name, Facts())
    return Row(_id(name), time, body, b"", *_columns(about))


def _columns(about: Facts) -> tuple[Any, ...]:
    """What is known of a text, as its row ends."""
    return tuple(joined(about.tags) if name == "tags" else value for name, value in about._asdict().items())


def _facts(columns: Sequence[Any]) -> Facts:
    kind, importance, accessed, tags, archived, *others = columns
    return Facts(kind, importance, accessed, split(tags), bool(archived), *others)


def _id(name: str) -> str:
    try:
        name.encode()
    except (AttributeError, UnicodeEncodeError) as error:
        raise BadInput("an id is a text that UTF-8 can hold", repr(name)[:80]) from error
    return name


def _found(row: Row) -> _Found:
    return _Found(row.id, ranking.Text(row.body, row.time), row)


def _check(mode: str, limit: int) -> None:
    if mode not in MODES:
        raise BadInput(f"unknown mode {mode!r}", "search", f"Allowed: {', '.join(MODES)}")
    if limit < 1:
        raise BadInput("limit is below 1", "search", "Ask for at least one")


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat()
