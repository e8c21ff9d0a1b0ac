"""How often each record of the memory was used, and when last: apart from the records, so that reading changes none.

`access.log` in the cache has a line per use, `<id> <epoch seconds>`, appended without a lock; `fold` puts one line
`<id> <epoch seconds of the last> <uses>` in the place of many. Its first line then says since when uses are counted:
what was used before, nobody here knows. A use that is noted in the very moment of folding may be missed.
"""

import math
from collections.abc import Collection, Iterable
from typing import NamedTuple

from holdfast.hot.files import Lock, append, make_folder, read_text, write_atomic
from holdfast.memory.cache import USED

_SINCE = "since"


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
    """Uses by id. A torn line is passed over."""
    counts: dict[str, Use] = {}
    for name, last, *rest in _lines(cache):
        if name != _SINCE:
            known = counts.get(name, Use())
            counts[name] = Use(known.times + (rest[0] if rest else 1), max(known.last, last))
    return counts


def since(cache: str) -> float:
    """Since when uses are counted, epoch seconds; infinity where they were never added up."""
    return next((float(when) for name, when, *_ in _lines(cache) if name == _SINCE), math.inf)


def fold(cache: str, now: float, without: Collection[str] = ()) -> None:
    """Add up what was noted, and forget the records in `without`. Raises OSError."""
    with Lock(f"{cache}/access.lock") as held:
        if held:  # else another process is at it
            counts = {name: use for name, use in load(cache).items() if name not in without}
            write_atomic(f"{cache}/{USED}", lines_of(counts, min(since(cache), now)))


def lines_of(counts: dict[str, Use], when: float) -> str:
    """What the log holds when these were counted since then."""
    return "".join([f"{_SINCE} {int(when)}\n", *(f"{name} {use.last} {use.times}\n" for name, use in counts.items())])


def _lines(cache: str) -> Iterable[tuple[str, int, *tuple[int, ...]]]:
    for line in read_text(f"{cache}/{USED}").splitlines():
        name, *numbers = line.split(" ")
        if len(numbers) in (1, 2) and all(number.isdecimal() and number.isascii() for number in numbers):
            last, *times = map(int, numbers)
            yield name, last, *times
