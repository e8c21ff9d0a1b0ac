"""The state of the work at the end of a transcript file, which is read in pieces: 50 MB need no 50 MB of rows."""

import os
from collections.abc import Callable

from holdfast.errors import BadInput
from holdfast.hot.files import read_from
from holdfast.transcript import rows
from holdfast.worklog.fold import fold
from holdfast.worklog.model import Worklog, empty

PIECE = 4_000_000
"""Bytes that are folded at once. A hook has time for three: the beginning, where the first prompt stands, and the end.

A session grows by less between two hooks, but for a pack that is put into a long one at work.
"""


def grown(path: str, work: Worklog, size: int, begin: Callable[[Worklog], bool] | None = None) -> Worklog:
    """The state at the end of a transcript of `size` bytes, within a hook's time.

    begin: called with the state before each row is folded; one for which it gives False is stepped over.
    """
    if size - work["offset"] > 3 * PIECE:
        work = _folded(path, work, work["offset"] + PIECE, begin)
        tail = size - 2 * PIECE  # the row in which the end begins is cut: it is left out
        end = read_from(path, tail, 2 * PIECE, follow=True)
        work = {**work, "offset": max(work["offset"], tail + end.find(b"\n") + 1)}
    return _folded(path, work, size, begin)


def read_whole(path: str, work: Worklog | None = None) -> Worklog:
    """The state at the file's end, from `work` on, the state so far. Raises BadInput when the file is not there."""
    if not os.path.isfile(path):
        raise BadInput("no such transcript", path, "Give a .jsonl file of Claude Code's")
    return _folded(path, work or empty(), os.path.getsize(path))


def _folded(path: str, work: Worklog, end: int, begin: Callable[[Worklog], bool] | None = None) -> Worklog:
    """The state after the rows before `end`; half a row there is left for the next reading."""
    piece = PIECE
    while work["offset"] < end:
        data = read_from(path, work["offset"], min(piece, end - work["offset"]), follow=True)
        chunk = rows.parse_chunk(data)
        if chunk.consumed and begin:
            work = _one_by_one(work, data[: chunk.consumed], begin)
        elif chunk.consumed:
            work = fold(work, chunk)
        elif len(data) == piece:
            piece *= 2  # one row longer than the piece
        else:
            last = rows.parse_chunk(data + b"\n")  # a copy may end without a line break
            return work if last.skipped else fold(work, last._replace(consumed=len(data)))
    return work


def _one_by_one(work: Worklog, data: bytes, begin: Callable[[Worklog], bool]) -> Worklog:
    for line in (row + b"\n" for row in data.split(b"\n")[:-1]):
        if begin(work):
            work = fold(work, rows.parse_chunk(line))
        else:
            work = {**work, "offset": work["offset"] + len(line), "skipped": work["skipped"] + 1}
    return work
