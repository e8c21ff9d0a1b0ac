"""How often each record of the memory was used, and when last: apart from the records, so that reading changes none.

`access.log` in the cache takes one line per use, `<id> <epoch seconds>`, without a lock. `access.json` holds what
has been added up: {"v": 1, "counts": {id: [uses, last]}, "since": epoch seconds, "done": [names]}. Adding up renames
the log first, and `done` names the logs that are in the counts, so that none is counted twice when the process is
killed in between. `since` is when the first counts were added up: what was used before, nobody here knows.
A use that is noted in the very moment of renaming may be missed: nothing hangs on one.
"""

import math
import os
import time
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from holdfast.hot import jsonc
from holdfast.hot.files import Lock, append, make_folder, names_in, read_bytes, read_text, write_atomic
from holdfast.memory.cache import COUNTS, PENDING, USED

VERSION = 1


class Use(NamedTuple):
    """Of one record: number of uses, and epoch seconds of the last one."""

    times: int = 0
    last: int = 0


def note(cache: str, ids: Iterable[str], now: float) -> None:
    """One use of each of these records. Raises OSError."""
    lines = "".join(f"{name} {int(now)}\n" for name in ids)
    if lines:
        make_folder(cache)
        append(f"{cache}/{USED}", lines)


def load(cache: str) -> dict[str, Use]:
    """Uses by id, those that are not added up yet included."""
    counts, done = _known(cache)
    for name in [*_pending(cache), USED]:
        if name not in done:
            _add(counts, read_text(f"{cache}/{name}"))
    return counts


def since(cache: str) -> float:
    """Since when uses are counted, epoch seconds; infinity where they were not added up yet, or the counts are lost."""
    data = jsonc.loads_object(read_bytes(f"{cache}/{COUNTS}"))
    told = data.get("since")
    return told if data.get("v") == VERSION and isinstance(told, (int, float)) else math.inf


def fold(cache: str, without: Collection[str] = ()) -> None:
    """Add up what was noted, and forget the records in `without`. Raises OSError."""
    with Lock(f"{cache}/access.lock") as held:
        if not held:  # another process is at it
            return
        counts, done = _known(cache)
        if os.path.exists(f"{cache}/{USED}"):
            os.rename(f"{cache}/{USED}", f"{cache}/{PENDING}{time.time_ns():x}.log")
        pending = _pending(cache)
        for name in pending:
            if name not in done:
                _add(counts, read_text(f"{cache}/{name}"))
        whole = {"v": VERSION, "since": min(since(cache), time.time())}
        kept = {name: list(use) for name, use in counts.items() if name not in without}
        write_atomic(f"{cache}/{COUNTS}", jsonc.dumps({**whole, "counts": kept, "done": pending}))
        for name in pending:
            os.unlink(f"{cache}/{name}")


def _known(cache: str) -> tuple[dict[str, Use], list[str]]:
    data = jsonc.loads_object(read_bytes(f"{cache}/{COUNTS}"))
    if data.get("v") != VERSION or not isinstance(data.get("counts"), dict):
        return {}, []
    rows: dict[str, Any] = data["counts"]
    counts = {name: Use(row[0], row[1]) for name, row in rows.items() if _is_use(row)}
    return counts, [str(name) for name in data.get("done") or ()]


def _is_use(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 2 and all(isinstance(number, int) for number in row)


def _pending(cache: str) -> list[str]:
    return [name for name in names_in(cache) if name.startswith(PENDING) and name.endswith(".log") and name != USED]


def _add(counts: dict[str, Use], log: str) -> None:
    for line in log.splitlines():
        name, _, when = line.partition(" ")
        if when.isdecimal() and when.isascii():  # a torn line is passed over
            known = counts.get(name, Use())
            counts[name] = Use(known.times + 1, max(known.last, int(when)))
