"""The search of a project's memory: the catalogue chooses by words, and only the files of candidates are read.

The words are added here, as stems, for hooks run without the package that makes them. Where the file of a candidate is
another one than the catalogue knows, all files are looked at, and the question is put once more.
"""

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.errors import Fault
from holdfast.hot.files import read_bytes
from holdfast.memory import markdown
from holdfast.memory.catalogue import SMALL, Catalogue, Progress, Text
from holdfast.memory.files import EVERY, LARGEST, when_of
from holdfast.memory.location import Use
from holdfast.memory.record import KINDS, Record, believed, is_set_aside
from holdfast.memory.store import Memory
from holdfast.search import analysis, index, ranking
from holdfast.search.analysis import STOP
from holdfast.search.facts import SearchMoment, TextFacts, Where
from holdfast.search.sqlite import IndexedText
from holdfast.text.dates import iso, seconds

POOL = 20
"""Records that are compared in full: each is a file to read. LoCoMo's turns are found as well with 20 as with 100."""


class MemoryQuery(NamedTuple):
    """What is searched for."""

    query: str
    most: int  # answers that are read
    where: Where = Where()
    mode: str = "memory"  # of SearchIndex.search


class Hit(NamedTuple):
    """A record that answers, without secrets, trusted no more than it is here, and where it stands."""

    path: str
    record: Record
    use: Use
    score: float


class Answers(NamedTuple):
    """The best first; how many there are, the number of files that cannot be read, and what the index lacked."""

    best: list[Hit]
    total: int = 0  # of very many, the larger of `POOL` and what was asked for
    unread: int = 0
    note: str = ""  # how words were compared where that is not as usual (`SearchIndex.note`)


def search(memories: Sequence[Memory], asked: MemoryQuery, now: float, progress: Progress | None = None) -> Answers:
    """What answers the question, of all these as of one; nothing for one without words to look up. Raises BadInput and
    Fault.

    now: epoch seconds. Importance and age order what answers, and make an answer of nothing.
    """
    if not ranking.ask(asked.query).terms:
        return Answers([])
    known = [memory.catalogue(progress=progress) for memory in memories]
    uses = {name: use for memory in memories for name, use in memory.uses().items()}
    at, most = SearchMoment(iso(now), {name: use.times for name, use in uses.items()}), max(asked.most, POOL)
    for last in (False, True):
        for each in known:
            _add_words(each, progress)
        texts = [_Texts(each) for each in known]
        scope = index.Scope(as_kept(asked.where), at, POOL)
        found = index.ranked_together(texts, asked.query, most, asked.mode, scope)
        if last or not any(one.is_old for one in texts):
            break
        known = [memory.catalogue(EVERY) for memory in memories]
    shown, best = found[: asked.most], []
    there = [each.named(name for source, name, _ in shown if source == place) for place, each in enumerate(known)]
    for place, name, score in shown:
        if one := there[place].get(name):
            record = believed(one.record, memories[place].written())
            best.append(Hit(one.path, record, uses.get(name, Use()), score))
    return Answers(best, len(found), sum(each.unread() for each in known), index.note())


def facts(record: Record) -> TextFacts:
    """What the ranking and the filters ask of a record beside its text."""
    expires = iso(seconds(record.expires)) if record.expires else ""
    return TextFacts(record.kind, record.importance, 0, record.tags, is_set_aside(record), expires)


class _Texts:
    """The catalogue as a source of texts, which are read."""

    def __init__(self, known: Catalogue) -> None:
        self.having, self.highest, self.select = known.having, known.highest, known.select
        self._known, self.is_old = known, False

    def rows(self, numbers: Sequence[int]) -> list[IndexedText]:
        """Those that are there, in their order."""
        rows, found = list(self._known.files_of(numbers)), []
        for one in rows:
            self.is_old = self.is_old or not one.is_current
            body = one.is_current and _body(one)
            if body:
                found.append(IndexedText(one.id, one.time, body, TextFacts(importance=one.importance)))
        return found


def _body(one: Text) -> str:
    text = one.said or read_bytes(one.path, LARGEST).decode("utf-8", "replace")
    return ranking.encode(*markdown.spoken(text), one.time)


def _add_words(known: Catalogue, progress: Progress | None) -> None:
    """Bring the words up to the rows; all of them anew where they are other stems, or some have gone of a few."""
    now, highest = known.tidings, known.highest()
    if now.stemmed != analysis.STEMMED or (now.stale and highest <= SMALL):
        known.forget_words(analysis.STEMMED)
    first = known.tidings.worded
    for start in range(first, highest, 2_000):
        end = min(start + 2_000, highest)
        rows = known.files_of(range(start + 1, end + 1))
        bodies = [(one.n, " ".join({*_body(one).split()} - STOP)) for one in rows if one.is_current]
        with known.writing() as db:
            known.note()
            if known.tidings.worded == start:  # else another process has added them
                db.executemany("INSERT INTO words(rowid, body) VALUES (?, ?)", bodies)
                known.note(worded=end)
        if progress and highest - first >= 5_000:
            progress(end - first, highest - first)
    if highest - first > SMALL:  # into as little room as they need
        with contextlib.suppress(Fault):  # somebody reads: the next time that many are added
            with known.writing() as db:
                db.execute("INSERT INTO words(words) VALUES ('optimize')")
            known.select("VACUUM")


def as_kept(where: Where) -> Where:
    """What is asked for as the tables have it: kinds by their places, times as epoch seconds."""
    after, before, alive = (str(when_of(time)) for time in (where.after, where.before, where.alive))
    kind = str(KINDS.index(where.kind)) if where.kind else ""
    return where._replace(kind=kind, after=after, before=before, alive=alive)
