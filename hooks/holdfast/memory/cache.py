"""The memory's folders, and its cache with what this machine alone knows of the records.

A memory comes with a clone, and a clone may bring a link in the place of a folder, or a `.cache` of its own. So nothing
is written or removed through a link, and a cache counts only where it was made on this machine: `made` has the mark of
its empty file `here` (hot/provenance.py).
"""

import os
from collections.abc import Iterator

from holdfast.hot.files import Lock, names_in, read_text, write_atomic
from holdfast.hot.provenance import HERE, bears, is_plain, is_real, mark, marked, real_folder, real_within
from holdfast.memory import location

CACHE, CODES = location.CACHE, "codes"
START, ROWS, WEIGHTS = "start.json", "recall.tsv", location.WEIGHTS
INDEX = "search.index"
COMPILED = (START, ROWS, WEIGHTS, f"{INDEX}-wal", f"{INDEX}-shm", f"{INDEX}-journal", INDEX)
"""What is made from the records, the index's log before the index itself."""
READ, WRITTEN, FORGOTTEN = "records.tsv", "written.log", "forgotten.log"
USED = "access.log"
"""Uses of records (usage_counts.py)."""
MAINTAINED = "maintained"
"""The day of the last maintenance."""
_MADE, _LOCK = "made", "made.lock"
_WAIT = 2.0  # seconds for that lock: whoever empties the cache after another has noted something loses it
_KNOWN = (READ, WRITTEN, FORGOTTEN, USED, MAINTAINED, _MADE)


def make_cache(folder: str) -> str:
    """The cache's folder, made if need be and kept out of git; a foreign one is emptied first. Raises OSError."""
    place = f"{real_folder(folder)}/{CACHE}"
    if not is_ours(folder):
        with Lock(f"{real_folder(place)}/{_LOCK}", _WAIT):  # several may come first; not had in time: it is made twice
            if not is_ours(folder):
                _empty(place)
                write_atomic(f"{place}/.gitignore", "*\n")
                write_atomic(f"{place}/{_MADE}", marked(place))
    return place


def is_ours(folder: str) -> bool:
    """Whether this memory's cache was made on this machine, in this place."""
    place = f"{folder}/{CACHE}"
    is_there = real_within(folder, [CACHE]) and is_plain(f"{place}/{_MADE}")
    return bool(is_there) and bears(place, read_text(f"{place}/{_MADE}", 100))


def _empty(place: str) -> None:
    """Take away what a foreign cache says, by our own names, and every link. Other files are not ours to remove."""
    for name in names_in(place):
        path = f"{place}/{name}"
        named = name in (*COMPILED, *_KNOWN)
        is_false = name == HERE and not mark(place)
        if os.path.islink(path) or ((named or is_false) and is_plain(path)):
            os.unlink(path)


def leftovers(folder: str) -> Iterator[str]:
    """Paths of the temporary files that writers have in the memory's own folders."""
    for place, _, names in os.walk(folder) if is_real(folder) else ():
        yield from (path for name in names if name.endswith(".tmp") and is_plain(path := f"{place}/{name}"))
