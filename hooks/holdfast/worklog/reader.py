"""The state of the work at the end of a transcript file.

A session grows by little between two hooks. Only a pack that is put into a long session at work, or one whose state was
lost, meets many megabytes at once: then the beginning is read, where the first prompt stands, and the end.
Commands read everything, in pieces, so that 50 MB need no 50 MB of rows.
"""

import os

from holdfast.errors import BadInput
from holdfast.hot.files import read_from
from holdfast.transcript import rows
from holdfast.worklog.fold import fold
from holdfast.worklog.model import Worklog, empty

WHOLE, HEAD, TAIL = 12_000_000, 500_000, 8_000_000
"""Bytes: growth up to which all of it is read; what is read of its beginning and of its end when it is more."""
PIECE = 8_000_000


def grown(path: str, work: Worklog, size: int) -> Worklog:
    """The state at the end of a transcript of `size` bytes, within a hook's time."""
    left = size - work["offset"]
    if left <= WHOLE:
        return fold(work, rows.parse_chunk(read_from(path, work["offset"], left)))
    begun = fold(work, rows.parse_chunk(read_from(path, work["offset"], HEAD)))
    data = read_from(path, size - TAIL, TAIL)
    start = size - TAIL + data.find(b"\n") + 1  # the row in which the end begins is cut: it is left out
    return fold({**begun, "offset": start}, rows.parse_chunk(data[start - (size - TAIL) :]))


def read_whole(path: str, work: Worklog | None = None) -> Worklog:
    """The state at the file's end; `work`: the state so far, of which only the growth is read.

    Raises BadInput when the file is not there.
    """
    if not os.path.isfile(path):
        raise BadInput("no such transcript", path, "Give a .jsonl file of Claude Code's")
    state, size, piece = work or empty(), os.path.getsize(path), PIECE
    while state["offset"] < size:
        data = read_from(path, state["offset"], piece)
        chunk = rows.parse_chunk(data)
        if chunk.consumed:
            state = fold(state, chunk)
        elif state["offset"] + piece >= size:
            last = rows.parse_chunk(data + b"\n")  # a copy may end without a line break, a live file in half a row
            state = state if last.skipped else fold(state, last._replace(consumed=len(data)))
            break
        else:
            piece *= 2  # one line longer than the piece
    return state
