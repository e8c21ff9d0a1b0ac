"""The memory's folders, and its cache with what this machine alone knows of the records.

A memory comes with a clone, and a clone may bring a link in the place of a folder, or a `.cache` of its own. So nothing
is written or removed through a link, and a cache counts only where it was made on this machine: `made` has the mark of
its empty file `here` (hot/provenance.py).

    .cache/written.log      marks of the records that were written here, as they read
    .cache/forgotten.log    marks of what was forgotten here, so that no copy of the session brings it back

A pull writes over both, so their lines are hashed with the cache's mark.
"""

import os
import re
from collections.abc import Iterable, Iterator

from holdfast.digest.archive import fingerprint
from holdfast.hot.files import Lock, append, names_in, read_text, write_atomic
from holdfast.hot.jsonc import dumps
from holdfast.hot.provenance import HERE, bears, is_plain, is_real, mark, marked, real_folder, real_within
from holdfast.memory import location
from holdfast.memory.record import Record, first

CACHE, CODES = location.CACHE, "codes"
START, ROWS, WEIGHTS = "start.json", "recall.tsv", location.WEIGHTS
INDEX = "search.index"
COMPILED = (START, ROWS, WEIGHTS, f"{INDEX}-wal", f"{INDEX}-shm", f"{INDEX}-journal", INDEX)
"""What is made from the records, the index's log before the index itself."""
READ, WRITTEN, FORGOTTEN = "records.tsv", "written.log", "forgotten.log"
USED, COUNTS, PENDING = "access.log", "access.json", "access."
"""Uses as they come, added up, and the beginning of the names of logs that wait for it (memory/usage_counts.py)."""
MAINTAINED = "maintained"
"""The day of the last maintenance."""
_MADE, _LOCK = "made", "made.lock"
_WAIT = 2.0  # seconds for that lock: whoever empties the cache after another has noted something loses it
_KNOWN = (READ, WRITTEN, FORGOTTEN, USED, COUNTS, MAINTAINED, _MADE)
_NOT_SAID = ("archived", "superseded_by", "delete", "parent", "extra")
_WORD = re.compile(r"[^\W_]+")


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
        named = name in (*COMPILED, *_KNOWN) or (name.startswith(PENDING) and name.endswith(".log"))
        is_false = name == HERE and not mark(place)
        if os.path.islink(path) or ((named or is_false) and is_plain(path)):
            os.unlink(path)


def leftovers(folder: str) -> Iterator[str]:
    """Paths of the temporary files that writers have in the memory's own folders."""
    for place, _, names in os.walk(folder) if is_real(folder) else ():
        yield from (path for name in names if name.endswith(".tmp") and is_plain(path := f"{place}/{name}"))


class Marks:
    """What stands in one of the two logs. `mark in marks` is all that they tell: a line is a hash with the cache's own
    mark in it, which nobody elsewhere knows, so that none can be made there and pulled over ours.
    """

    def __init__(self, salt: str = "", lines: Iterable[str] = ()) -> None:
        """salt: the mark of the cache; lines: those of the log."""
        self._salt, self.lines = salt, frozenset(lines)

    def __contains__(self, mark: object) -> bool:
        return _line(self._salt, mark) in self.lines


def _line(salt: str, mark: object) -> str:
    return fingerprint(f"{salt} {mark}".encode())


def note(folder: str, log: str, marks: Iterable[str]) -> None:
    """Add marks to WRITTEN or FORGOTTEN. Raises OSError."""
    told = list(marks)
    if told:
        place = make_cache(folder)
        salt = mark(place)
        append(f"{place}/{log}", "".join(f"{_line(salt, one)}\n" for one in told))


def note_written(folder: str, record: Record) -> None:
    """This record was written here, in these words. Raises OSError."""
    note(folder, WRITTEN, [wording(record)])


def written(folder: str) -> Marks:
    """Marks (`wording`) of what was written on this machine; what else is there came with the repository."""
    return _marks(folder, WRITTEN)


def wording(record: Record) -> str:
    """A mark of which record it is, who said it, what it says and how it ranks: of all that is told of it."""
    said = [value for name, value in record._asdict().items() if name not in _NOT_SAID]
    return fingerprint(dumps(said).encode())


def note_forgotten(folder: str, records: Iterable[Record]) -> None:
    """These were forgotten: no session that says the same brings them back. Raises OSError."""
    note(folder, FORGOTTEN, map(saying, records))


def forgotten(folder: str) -> Marks:
    """Marks of what was forgotten, as `saying` makes them."""
    return _marks(folder, FORGOTTEN)


def saying(record: Record) -> str:
    """A mark of what a record says first, whatever its punctuation; nobody reads the words from it."""
    said = _WORD.findall(first(record.kind, record.content).lower())
    return fingerprint(" ".join([record.kind, *said]).encode("utf-8", "replace"))


def _marks(folder: str, log: str) -> Marks:
    place = f"{folder}/{CACHE}"
    return Marks(mark(place), read_text(f"{place}/{log}").split()) if is_ours(folder) else Marks()
