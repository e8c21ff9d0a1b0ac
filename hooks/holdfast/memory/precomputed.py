"""The compiled forms in the memory's cache: `start.json` for starts, `recall.tsv` and `recall.bin` for prompts.

`start.json` is {"v": 2, "until", "folders", "files", "entries"}. It is old when a record was added or removed
since (the dates of their folders), when a file that it tells of was changed, when `until` has come (0 is never), and
when it is torn or of another version. Whoever changes records need do nothing for it.
"""

import os
from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.hot.files import read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.memory.cache import CACHE, START, is_ours
from holdfast.memory.files import FOLDERS

VERSION = 2


def load(folder: str, now: float, form: Sequence[Any]) -> list[list[Any]] | None:
    """The entries; None when they have to be compiled. now: epoch seconds. form: the types of an entry's values."""
    if not is_ours(folder):  # it came with a clone
        return None
    data = loads_object(read_bytes(f"{folder}/{CACHE}/{START}"))
    until, files, entries = data.get("until"), data.get("files"), data.get("entries")
    if data.get("v") != VERSION or data.get("folders") != dates(folder) or not isinstance(until, (int, float)):
        return None
    if not isinstance(entries, list) or not isinstance(files, dict) or 0 < until <= now:
        return None
    if not all(_is_formed(row, form) for row in entries):
        return None
    return entries if all(_date(path) == changed for path, changed in files.items()) else None


def _is_formed(row: Any, form: Sequence[Any]) -> bool:
    """Whether the values are of these types; a list is one of texts."""
    return (
        isinstance(row, list)
        and len(row) == len(form)
        and all(map(isinstance, row, form))
        and all(isinstance(text, str) for value in row if isinstance(value, list) for text in value)
    )


def save(folder: str, entries: list[Any], files: Iterable[str], told: dict[str, Any]) -> None:
    """Replace them. files: the records' paths. told: `until`, and `folders` from before reading. Raises OSError."""
    marks = {path: _date(path) for path in files}
    data = {"v": VERSION, **told, "files": marks, "entries": entries}
    write_atomic(f"{folder}/{CACHE}/{START}", dumps(data))


def dates(folder: str) -> list[int]:
    """When each of the memory's folders was last added to or removed from."""
    return [_date(f"{folder}/{place}") for place in FOLDERS.values()]


def _date(path: str) -> int:
    """When it was changed, nanoseconds; 0 for none."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
