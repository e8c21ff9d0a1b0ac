"""The state of the work at the end of a transcript file, read in pieces, so that 50 MB need no 50 MB of rows."""

import os
from typing import Any

from holdfast.errors import BadInput
from holdfast.hot.files import read_from
from holdfast.transcript import rows
from holdfast.worklog import fold

PIECE = 8_000_000


def work_of(path: str, work: dict[str, Any] | None = None) -> dict[str, Any]:
    """The worklog at the file's end; `work`: the state so far, of which only the growth is read.

    Raises BadInput when the file is not there.
    """
    if not os.path.isfile(path):
        raise BadInput("no such transcript", path, "Give a .jsonl file of Claude Code's")
    state, size, piece = work or fold.empty(), os.path.getsize(path), PIECE
    while state["offset"] < size:
        chunk = rows.parse_chunk(read_from(path, state["offset"], piece))
        if chunk.consumed:
            state = fold.fold(state, chunk)
        elif state["offset"] + piece >= size:
            break  # a half-written last line
        else:
            piece *= 2  # one line longer than the piece
    return state
