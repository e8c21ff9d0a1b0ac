"""The search of a project's memory: the index is brought up to the files, and only the files of answers are read.

The index's mark says which state of the folders it was made from. While their dates stay, no file was added, removed or
replaced, and the files of the answers alone are looked at: where one was edited in place, all are compared, and the
question is put once more. Up to 2,000 records all are compared each time, so that such an edit is found by its new
words at once; in a larger memory, with the next change.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from holdfast.errors import BadInput, Fault
from holdfast.hot import jsonc
from holdfast.memory import files
from holdfast.memory.files import Found
from holdfast.memory.location import Name, Use, make_cache
from holdfast.memory.record import Record, is_set_aside, texts
from holdfast.memory.store import Memory
from holdfast.search import ranking
from holdfast.search.index import SearchIndex
from holdfast.search.ranking import Facts, Moment, Where
from holdfast.text.dates import iso, seconds

SMALL = 2_000

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
    """Of very many, the larger of 100 and what was asked for."""
    unread: int = 0
    note: str = ""
    """How words were compared where that is not as usual (`SearchIndex.note`)."""


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
    with SearchIndex.of_ours(f"{make_cache(memory.folder)}/{Name.INDEX}") as index:
        unread, most = _follow(index, memory, progress), max(asked.most, 100)
        uses = memory.uses()
        at = Moment(iso(now), {name: use.times for name, use in uses.items()})
        for last in (False, True):
            found = index.search(asked.query, most, asked.mode, where=asked.where, at=at)
            best = _read(index, memory.folder, uses, found[: asked.most])
            if last or len(best) == len(found[: asked.most]):
                break
            unread = _follow(index, memory, progress, anew=True)
        note = index.note
    return Answers(best, len(found), unread, note)


def _follow(index: SearchIndex, memory: Memory, progress: Progress | None, anew: bool = False) -> int:
    """Bring the index up to the files; the number of those that cannot be read. anew: whatever its mark says."""
    folders, known = files.dates(memory.folder), jsonc.loads_object(index.mark)
    unread = known.get("unread")
    if not anew and isinstance(unread, int) and known.get("folders") == folders and known.get("count", 0) > SMALL:
        return unread
    scan, had = memory.scan(), index.facts()
    sources = {name: _source(memory, one) for name, one in scan.records.items()}
    if gone := [name for name in had if name not in sources]:
        index.remove(gone)
    fresh = [name for name, source in sources.items() if name not in had or had[name].source != source]
    if fresh:
        _add(index, {name: (sources[name], scan.records[name].record) for name in fresh}, progress)
    made = {"folders": folders, "count": index.count(), "unread": len(scan.problems)}
    if made != known:
        index.mark = jsonc.dumps(made)
    return len(scan.problems)


def _source(memory: Memory, one: Found) -> str:
    """Where a record of the index stands, and how the file looked."""
    return f"{one.mark} {one.path[len(memory.folder) + 1 :]}"


def _add(index: SearchIndex, fresh: Mapping[str, tuple[str, Record]], progress: Progress | None) -> None:
    rows = ((one.id, one.title, _text(one), iso(seconds(one.time))) for _, one in fresh.values())
    known = {name: facts(one, source=source) for name, (source, one) in fresh.items()}
    shows = progress if len(fresh) >= 5_000 else None
    index.add_many(rows, known, (lambda done: shows(done, len(fresh))) if shows else None)


def _text(record: Record) -> str:
    return "\n".join([*texts(record), " ".join([*record.tags, *record.paths]), record.code])


def facts(record: Record, uses: int = 0, source: str = "") -> Facts:
    """What the ranking and the filters ask of a record beside its text."""
    expires = iso(seconds(record.expires)) if record.expires else ""
    return Facts(record.kind, record.importance, uses, record.tags, is_set_aside(record), expires, source)


def _read(index: SearchIndex, folder: str, uses: Mapping[str, Use], found: list[tuple[str, float]]) -> list[Answer]:
    """The answers' records; without those whose file is another one now."""
    there, answers = index.facts([name for name, _ in found]), []
    for name, score in found:
        *mark, path = there[name].source.split(" ", 3) if name in there else ("",)
        path = f"{folder}/{path}"
        try:
            if files.is_as_it_was(path, " ".join(mark)):
                answers.append(Answer(path, files.read(path), uses.get(name, Use()), score))
        except BadInput:  # gone or broken in this moment
            pass
    return answers
