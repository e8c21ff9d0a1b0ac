"""The record of a session on disk, and its index: what has been added to the record is read, and no more.

The record is the client's transcript, its agents' transcripts, the results that the client keeps in files of their own,
what Holdfast archived, and agents' reports: what else stands beside these is a part of them. The index keeps the
passages, without secrets, and can be thrown away; its mark says how far each file is read, and
by which rules. Rule: W8.
"""

import itertools
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from holdfast.hot import jsonc
from holdfast.hot.files import names_in, read_from, read_text, size_of
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.paths import InSession
from holdfast.hot.provenance import real_within
from holdfast.recall import excerpt, passages
from holdfast.recall.passages import RESULT, SpokenPassage, Utterance
from holdfast.search import analysis, ranking
from holdfast.search.facts import TextFacts
from holdfast.search.index import SearchIndex
from holdfast.session import folders
from holdfast.text.lines import one_line
from holdfast.text.redaction import redacted
from holdfast.transcript.rows import parse_chunk

INDEX = "recall.index"
AT_ONCE, LONGEST = 8_000_000, 64_000_000
"""Bytes of a transcript that are read at once, and of a row; a longer one is stepped over."""


class SearchedFile(NamedTuple):
    """A file of the record; name: as an answer calls it; is_text: it holds one text, not rows."""

    path: str
    name: str
    is_text: bool = False


class FoundPassage(NamedTuple):
    """A passage that answers: where it stands (row from 1), when (ISO), and what is shown of it, with who spoke."""

    path: str
    name: str
    row: int
    time: str
    pieces: list[Utterance]


def sources(transcript: str, folder: str = "") -> list[SearchedFile]:
    """The files of a session's record, its transcript first; folder: the session's, "" where Holdfast has none.

    Nothing is read through a link in a folder's place: the transcript may be a clone's.
    """
    beside = transcript.removesuffix(".jsonl")
    found = [SearchedFile(transcript, "transcript")]
    agents = folders.transcripts_of_agents(transcript)
    found += (SearchedFile(path, os.path.basename(path).removesuffix(".jsonl")) for path in agents)
    kept = [f"{folder}/{name}" for name in real_within(folder, (InSession.ARCHIVE, InSession.HANDOFFS))]
    for place in [*(f"{beside}/{name}" for name in real_within(beside, ["tool-results"])), *kept]:
        names = (name for name in sorted(names_in(place)) if name[0] != ".")
        is_whole = ".report" if place.endswith(f"/{InSession.HANDOFFS}") else ""
        found += (SearchedFile(f"{place}/{name}", name, True) for name in names if is_whole in name)
    return found


def ask(query: str, limit: int, index: str, of: list[SearchedFile]) -> list[FoundPassage]:
    """At most `limit` answers from these sources, the best first; the index at this path is brought up to them.

    What holds the question verbatim comes first, then what says something new. What has none of its words is no answer,
    however alike its letters; nor, of one word that stands somewhere, what has not all its parts, or shows it no more,
    since those before it have shown the same lines. Raises BadInput and Fault as SearchIndex.
    """
    verbatim, known = query.casefold(), set[str]()
    word = verbatim if len(query.split()) == 1 else ""
    with SearchIndex.of_ours(index) as opened:
        _follow(opened, of)
        found = opened.search(query, max(limit, 100 if word else 20))  # among them the verbatim ones come first
        kept = opened.facts([name for name, _ in found])
        total, having = opened.highest(), opened.having(ranking.ask(query).terms)
    weights = {term: ranking.idf(total, count) for term, count in having.items() if count}
    there = _varied([_kept(kept[name].source) for name, _ in found if name in kept])
    there = [answer for answer in there if not having.keys().isdisjoint(_words(answer))]
    there.sort(key=lambda answer: not holds(answer, verbatim))
    if word and there and holds(there[0], word):
        there = [answer for answer in there if having.keys() <= _words(answer)]
    shown = ((one, one._replace(pieces=excerpt.chosen(one.pieces, weights, known, word))) for one in there)
    new = (cut for one, cut in shown if cut.pieces and (not word or holds(cut, word) or not holds(one, word)))
    return list(itertools.islice(new, limit))


def holds(answer: FoundPassage, verbatim: str) -> bool:
    """Whether these words, in small letters, stand in it."""
    return any(verbatim in f"{piece.who}\n{piece.text}".casefold() for piece in answer.pieces)


def _words(answer: FoundPassage) -> set[str]:
    return {word for piece in answer.pieces for part in piece for word in analysis.words(part)}


def _varied(found: list[FoundPassage]) -> list[FoundPassage]:
    """First one passage of each row, and two in which a tool alone speaks: else one file has all the room."""
    seen = set[tuple[str, int]]()
    first, rest, silent = list[FoundPassage](), list[FoundPassage](), 0
    for one in found:
        again = (one.path, one.row) in seen
        seen.add((one.path, one.row))
        silent += (is_silent := all(piece.who == RESULT for piece in one.pieces))
        (rest if again or (is_silent and silent > 2) else first).append(one)
    return first + rest


def _kept(source: str) -> FoundPassage:
    path, name, row, time, pieces = jsonc.loads(source)
    return FoundPassage(path, name, row, time, [Utterance(*piece) for piece in pieces])


def _follow(index: SearchIndex, of: list[SearchedFile]) -> None:
    """Read what the sources have grown by. Where one was written anew what it said goes, and all are read anew: of a
    passage that two have one is kept. What is gone, or cannot be read, keeps its passages.
    """
    known = jsonc.loads_object(index.mark)
    made: dict[str, list[Any]] = {source.path: [*known.get(source.path, [0, 0]), "", []][:4] for source in of}
    if anew := [path for path, (start, _, end, _) in made.items() if _end(path, start) not in ("", end)]:
        query = "SELECT id FROM texts WHERE instr(source, ?) = 1"
        beginnings = (f"{jsonc.dumps([path])[:-1]}," for path in anew)
        index.remove(name for one in beginnings for (name,) in index.select(query, (one,)))
        made = {path: [0, 0, "", []] for path in made}
    for source in of:
        start, row, _, waiting = made[source.path]
        asked = set[str](waiting)
        for found, *read in _grown(source, start, row, asked) if size_of(source.path) > start else ():
            _add(index, source, found)
            made[source.path] = [*read, _end(source.path, read[0]), sorted(asked)]
    if made != known:
        index.mark = jsonc.dumps(made)


def _end(path: str, start: int) -> str:
    """A mark of what stands before the byte `start`, or at the end of a shorter file, and of the rules of passages.

    "" where nothing can be read.
    """
    start = min(start, max(0, size_of(path)))
    data = read_from(path, max(0, start - 80), min(start, 80))
    return f"{passages.RULES} {start} {fingerprint(data)}" if data else ""


def _add(index: SearchIndex, source: SearchedFile, found: list[SpokenPassage]) -> None:
    """A text that comes again takes the place of the one before: the newest is told."""
    records, facts = [], {}
    for passage in found:
        pieces = [(piece.who, piece.text) for piece in passage.pieces]
        text = "\n".join(map("\n".join, pieces)).encode("utf-8", "replace")
        name = fingerprint(text)
        records.append((name, "", text.decode(), passage.time))
        kept = jsonc.dumps([source.path, source.name, passage.row, passage.time, pieces])
        facts[name] = TextFacts(source=kept.encode("utf-8", "replace").decode())
    index.add_many(records, facts)


def _grown(
    source: SearchedFile, start: int, row: int, asked: set[str]
) -> Iterator[tuple[list[SpokenPassage], int, int]]:
    """What stands behind the byte `start`, part by part, and how far it is read then: bytes, rows; `asked` goes along.

    Half a row at the end is left for the next time.
    """
    if source.is_text:
        who = redacted(one_line(source.name))
        yield list(passages.of_text(read_text(source.path, LONGEST), who)), size_of(source.path), 0
        return
    room = AT_ONCE
    while data := read_from(source.path, start, room):
        whole = data[: data.rfind(b"\n") + 1]
        if not whole and len(data) < room:
            return
        if not whole and room >= LONGEST:
            start, row, room = _behind(source.path, start + len(data)), row + 1, AT_ONCE
            yield [], start, row
            continue
        lines = whole.splitlines()
        rows = ((row + at, one) for at, line in enumerate(lines, 1) for one in parse_chunk(line + b"\n").rows)
        found = list(passages.of_rows(rows, asked))
        start, row = start + len(whole), row + len(lines)
        yield found, start, row
        room = AT_ONCE if whole else room * 2


def _behind(path: str, start: int) -> int:
    """Where the row that the byte `start` is in ends; the end of the file for its last."""
    while data := read_from(path, start, AT_ONCE):
        if b"\n" in data:
            return start + data.index(b"\n") + 1
        start += len(data)
    return start
