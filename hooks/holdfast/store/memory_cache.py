"""The memory's folders, and its cache with what this machine alone knows of the records.

A memory comes with a clone, and a clone may bring a link in the place of a folder, or a `.cache` of its own. So nothing
is written or removed through a link, and a cache counts only where it was made on this machine: `made` has the mark of
its empty file `here` (store/own.py).

    .cache/written.log      marks of the records that were written here, as they read
    .cache/forgotten.log    marks of what was forgotten here, so that no copy of the session brings it back
"""

import os
import re
from collections.abc import Iterable, Iterator

from holdfast.core.jsonc import dumps
from holdfast.core.record import Record
from holdfast.core.shapes import SHAPES
from holdfast.store import memory_place
from holdfast.store.archive import fingerprint
from holdfast.store.files import append, names_in, read_text, write_atomic
from holdfast.store.own import HERE, is_plain, is_real, mark, marked, real_folder, real_within

CACHE, CODES = memory_place.CACHE, "codes"
START, ROWS, WEIGHTS = "start.json", "recall.tsv", memory_place.WEIGHTS
INDEX = "search.index"
COMPILED = (START, ROWS, WEIGHTS, f"{INDEX}-wal", f"{INDEX}-shm", f"{INDEX}-journal", INDEX)
"""What is made from the records, the index's log before the index itself."""
READ, WRITTEN, FORGOTTEN = "records.tsv", "written.log", "forgotten.log"
_MADE = "made"
_KNOWN = (READ, WRITTEN, FORGOTTEN, "access.log", "access.json", "maintained", _MADE)
_NOT_SAID = ("archived", "superseded_by", "delete", "parent", "extra")
_WORD = re.compile(r"[^\W_]+")


def make_cache(folder: str) -> str:
    """The cache's folder, made if need be and kept out of git; a foreign one is emptied first. Raises OSError."""
    place = f"{real_folder(folder)}/{CACHE}"
    if not is_ours(folder):
        _empty(real_folder(place))
        write_atomic(f"{place}/.gitignore", "*\n")
        write_atomic(f"{place}/{_MADE}", marked(place))
    return place


def is_ours(folder: str) -> bool:
    """Whether this memory's cache was made on this machine, in this place."""
    place = f"{folder}/{CACHE}"
    made = mark(place) if real_within(folder, [CACHE]) and is_plain(f"{place}/{_MADE}") else ""
    return bool(made) and read_text(f"{place}/{_MADE}", 100) == made


def _empty(place: str) -> None:
    """Take away what a foreign cache says, by our own names, and every link. Other files are not ours to remove."""
    for name in names_in(place):
        path = f"{place}/{name}"
        named = name in (*COMPILED, *_KNOWN) or (name.startswith("access.") and name.endswith(".log"))
        is_false = name == HERE and not mark(place)
        if os.path.islink(path) or ((named or is_false) and is_plain(path)):
            os.unlink(path)


def leftovers(folder: str) -> Iterator[str]:
    """Paths of the temporary files that writers have in the memory's own folders."""
    for place, _, names in os.walk(folder) if is_real(folder) else ():
        yield from (path for name in names if name.endswith(".tmp") and is_plain(path := f"{place}/{name}"))


def note_written(folder: str, record: Record) -> None:
    """This record was written here, in these words. Raises OSError."""
    append(f"{make_cache(folder)}/{WRITTEN}", f"{wording(record)}\n")


def written(folder: str) -> frozenset[str]:
    """Marks (`wording`) of what was written on this machine; what else is there came with the repository."""
    return frozenset(_lines(folder, WRITTEN))


def wording(record: Record) -> str:
    """A mark of which record it is, who said it, what it says and how it ranks: of all that is told of it."""
    said = [value for name, value in record._asdict().items() if name not in _NOT_SAID]
    return fingerprint(dumps(said).encode())


def note_forgotten(folder: str, records: Iterable[Record]) -> None:
    """These were forgotten: no session that says the same brings them back. Raises OSError."""
    marks = "".join(f"{saying(record)}\n" for record in records)
    if marks:
        append(f"{make_cache(folder)}/{FORGOTTEN}", marks)


def forgotten(folder: str) -> frozenset[str]:
    """Marks of what was forgotten, as `saying` makes them."""
    return frozenset(_lines(folder, FORGOTTEN))


def saying(record: Record) -> str:
    """A mark of what a record says first, whatever its punctuation; nobody reads the words from it."""
    first = str(record.content.get(SHAPES[record.kind][0].name) or "").lower()
    return fingerprint(" ".join([record.kind, *_WORD.findall(first)]).encode("utf-8", "replace"))


def _lines(folder: str, name: str) -> list[str]:
    return read_text(f"{folder}/{CACHE}/{name}").split() if is_ours(folder) else []
