"""The search of a project's memory: the index is brought up to the files, and only the files of answers are read.

The index's mark says which state of the folders it was made from. While their dates stay, no file was added, removed or
replaced, and the files of the answers alone are looked at: where one was edited in place, all are compared, and the
question is put once more. Up to `SMALL` records all are compared each time, so that such an edit is found by its new
words at once; in a larger memory, with the next change.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from holdfast.errors import BadInput, Fault
from holdfast.hot import jsonc
from holdfast.memory import files as record_files
from holdfast.memory.location import INDEX, Use, make_cache
from holdfast.memory.record import Record, is_set_aside, texts
from holdfast.memory.store import Memory
from holdfast.search import ranking
from holdfast.search.index import SearchIndex
from holdfast.search.ranking import Facts, Moment, Where
from holdfast.text.dates import iso, seconds

SMALL = 2_000
ENOUGH = 100  # answers that are counted where fewer are shown
SLOW = 5_000  # records from which on the making of an index shows how far it is

Progress = Callable[[int, int], None]
"""Told the number of records done, and of all that are to do."""


class Asked(NamedTuple):
    """What is searched for."""

    query: str
    most: int
    """Answers that are read."""
    where: Where = Where()
    mode: str = "memory"
    """Of SearchIndex.search."""


class Answer(NamedTuple):
    """A record that answers, and where it stands."""

    path: str
    record: Record
    use: Use
    score: float


class Answers(NamedTuple):
    """The best first; how many there are, the number of files that cannot be read, and what the index lacked."""

    best: list[Answer]
    total: int = 0
    """Of very many, the larger of `ENOUGH` and what was asked for."""
    unread: int = 0
    note: str = ""
    """How words were compared where that is not as usual (`SearchIndex.note`)."""


class _Making(NamedTuple):
    """An index, and what it is made from."""

    into: SearchIndex
    folder: str
    progress: Progress | None


def search(memory: Memory, asked: Asked, now: float, progress: Progress | None = None) -> Answers:
    """What answers the question; nothing for one without words to look up. Raises BadInput, Fault and OSError.

    now: epoch seconds. Importance and age order what answers, and make an answer of nothing.
    """
    if not ranking.ask(asked.query).terms:
        return Answers([])
    try:
        return _searched(memory, asked, now, progress)
    except Fault:  # another process has just thrown the index away, to forget
        return _searched(memory, asked, now, progress)


def _searched(memory: Memory, asked: Asked, now: float, progress: Progress | None) -> Answers:
    with SearchIndex.open(f"{make_cache(memory.folder)}/{INDEX}") as index:
        making = _Making(index, memory.folder, progress)
        unread, most = _follow(making), max(asked.most, ENOUGH)
        uses = memory.uses()
        at = Moment(iso(now), {name: use.times for name, use in uses.items()})
        for last in (False, True):
            found = index.search(asked.query, most, asked.mode, where=asked.where, at=at)
            best = _read(making, uses, found[: asked.most])
            if last or len(best) == len(found[: asked.most]):
                break
            unread = _follow(making, anew=True)
        note = index.note
    return Answers(best, len(found), unread, note)


def _follow(making: _Making, anew: bool = False) -> int:
    """Bring the index up to the files; the number of those that cannot be read. anew: whatever its mark says."""
    index = making.into
    folders, known = record_files.dates(making.folder), jsonc.loads_object(index.mark)
    unread = known.get("unread")
    is_current = known.get("folders") == folders and known.get("count", 0) > SMALL
    if anew or not is_current or not isinstance(unread, int):
        unread, count = _compared(making)
        made = {"folders": folders, "count": count, "unread": unread}
        if made != known:
            index.mark = jsonc.dumps(made)
    return unread


def _compared(making: _Making) -> tuple[int, int]:
    """Read what is new or has changed, take out what has gone; (files that cannot be read, records in the index)."""
    index = making.into
    known = index.facts()
    files = {jsonc.dumps(file): file for file in record_files.files(making.folder)}
    places = {source: place for place, source in enumerate(files)}
    kept = {about.source for about in known.values()} & places.keys()
    fresh: dict[str, tuple[str, Record]] = {}
    unread = 0
    for source, file in files.items():
        if source in kept:
            continue
        try:
            record = record_files.read(f"{making.folder}/{file.name}", bool(file.mark))
        except BadInput:
            unread += 1
            continue
        before = places.get(known[record.id].source, len(places)) if record.id in known else len(places)
        if record.id in fresh or before < places[source]:  # the first of two files of one id counts, as in a scan
            unread += 1
        else:
            unread += record.id in known and known[record.id].source in kept  # it was the first of two until now
            fresh[record.id] = source, record
    gone = [name for name, about in known.items() if about.source not in places and name not in fresh]
    if gone:
        index.remove(gone)
    if fresh:
        _add(making, list(fresh.values()))
    return unread, index.count()


def _add(making: _Making, fresh: Sequence[tuple[str, Record]]) -> None:
    rows = ((one.id, one.title, _text(one), iso(seconds(one.time))) for _, one in fresh)
    known = {one.id: facts(one, source=source) for source, one in fresh}
    shows = making.progress if len(fresh) >= SLOW else None
    making.into.add_many(rows, known, (lambda done: shows(done, len(fresh))) if shows else None)


def _text(record: Record) -> str:
    return "\n".join([*texts(record), " ".join([*record.tags, *record.paths]), record.code])


def facts(record: Record, uses: int = 0, source: str = "") -> Facts:
    """What the ranking and the filters ask of a record beside its text."""
    expires = iso(seconds(record.expires)) if record.expires else ""
    return Facts(record.kind, record.importance, uses, record.tags, is_set_aside(record), expires, source)


def _read(making: _Making, uses: Mapping[str, Use], found: list[tuple[str, float]]) -> list[Answer]:
    """The answers' records; without those whose file is another one now."""
    there, answers = making.into.facts([name for name, _ in found]), []
    for name, score in found:
        try:
            file, mark = jsonc.loads(there[name].source)
            path = f"{making.folder}/{file}"
            if record_files.mark_of(os.lstat(path)) == mark:
                answers.append(Answer(path, record_files.read(path), uses.get(name, Use()), score))
        except (KeyError, OSError, BadInput):  # gone or broken in this moment
            pass
    return answers
