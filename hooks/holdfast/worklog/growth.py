"""What a transcript has grown by since the last hook, folded into the worklog within a hook's time.

A session grows by little between two hooks. Only a pack that is put into a long session at work, or one whose state
was lost, meets many megabytes at once: then the beginning is read, where the goal stands, and the end, and how much
lies between is noted. `holdfast packet` reads everything (worklog/transcripts.py).
"""

from typing import Any

from holdfast.hot.files import read_from
from holdfast.transcript import rows
from holdfast.worklog import fold

WHOLE, HEAD, TAIL = 12_000_000, 500_000, 8_000_000
"""Bytes: growth up to which all of it is read; what is read of its beginning and of its end when it is more."""


def folded(path: str, work: Any, size: int) -> Any:
    """The state at the end of a transcript of `size` bytes."""
    left = size - work["offset"]
    if left <= WHOLE:
        return fold.fold(work, rows.parse_chunk(read_from(path, work["offset"], left)))
    begun = fold.fold(work, rows.parse_chunk(read_from(path, work["offset"], HEAD)))
    data = read_from(path, size - TAIL, TAIL)
    start = size - TAIL + data.find(b"\n") + 1  # the row in which the end begins is cut: it belongs to what is left out
    end = fold.fold({**begun, "offset": start}, rows.parse_chunk(data[start - (size - TAIL) :]))
    return {**end, "left_out": begun["left_out"] + start - begun["offset"]}
