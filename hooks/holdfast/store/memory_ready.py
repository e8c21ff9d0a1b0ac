"""The compiled forms in the memory's cache: `start.json` for starts, `recall.tsv` and `recall.bin` for prompts.

`start.json` is {"v": 1, "made", "until", "folders", "files", "entries"}. It is old when a record was added or removed
since (the dates of their folders), when a file that it tells of was changed, when `until` has come (0 is never), and
when it is torn or of another version. Whoever changes records need do nothing for it.
"""

import os
from collections.abc import Iterable
from typing import Any

from holdfast.core.jsonc import dumps, loads_object
from holdfast.store.files import read_bytes, write_atomic
from holdfast.store.record_files import CACHE, FOLDERS

VERSION = 1
START, ROWS, WEIGHTS = "start.json", "recall.tsv", "recall.bin"


def load(folder: str, now: float, width: int) -> list[list[Any]] | None:
    """The entries, each a list of `width` values; None when they have to be compiled. now: epoch seconds."""
    data = loads_object(read_bytes(f"{folder}/{CACHE}/{START}"))
    until, files, entries = data.get("until"), data.get("files"), data.get("entries")
    if data.get("v") != VERSION or data.get("folders") != dates(folder) or not isinstance(until, (int, float)):
        return None
    if not isinstance(entries, list) or not isinstance(files, dict) or 0 < until <= now:
        return None
    if any(not isinstance(row, list) or len(row) != width for row in entries):
        return None
    return entries if all(_date(path) == changed for path, changed in files.items()) else None


def save(folder: str, entries: list[Any], files: Iterable[str], told: dict[str, Any]) -> None:
    """Replace them. files: the records' paths. told: made, until, and `folders` from before reading. Raises OSError."""
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
