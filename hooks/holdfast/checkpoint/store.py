"""Checkpoints: numbered JSON files for machines, the same as Markdown for people.

`checkpoints/0007.json` holds {"v", "number", "time", "made", "reason", …, "whole": true}. The number only rises; the
newest whole one counts, and a torn or foreign file is passed over. Old ones are removed, the newest KEPT stay.
The page is written first: where the JSON stands, its page does too, whenever the process was killed.
"""

import os
import time

from holdfast.hot import provenance
from holdfast.hot.files import make_folder, names_in, read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

VERSION = 2
KEPT = 20
LEFTOVER = 60.0  # seconds after which a lock or half a file has no writer any more


def save(folder: str, data: "dict[str, Any]", readable: "Callable[[dict[str, Any]], str]") -> "dict[str, Any]":
    """Store the next checkpoint and give it back with its number. Raises OSError.

    readable: makes the page from the numbered checkpoint. Two hooks may save at once; the name is taken with
    O_EXCL, so each gets a number of its own.
    """
    make_folder(folder)
    number = _numbers(folder)[-1] + 1 if _numbers(folder) else 1
    while not _take(folder, number):
        number += 1
    whole = {"v": VERSION, "number": number, **data, "whole": True}
    try:
        write_atomic(f"{folder}/{number:04d}.md", readable(whole))
        write_atomic(f"{folder}/{number:04d}.json", dumps(whole))
    finally:
        os.unlink(f"{folder}/{number:04d}.lock")
    _prune(folder)
    return whole


def _take(folder: str, number: int) -> bool:
    """Whether the number is ours alone: nobody writes it now, and nobody has. Raises OSError."""
    lock = f"{folder}/{number:04d}.lock"
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    if not os.path.exists(f"{folder}/{number:04d}.json"):
        return True
    os.unlink(lock)
    return False


def load(folder: str, number: int) -> "dict[str, Any]":
    """The checkpoint of this number; {} when there is none, or it is torn or of another version."""
    data = loads_object(read_bytes(f"{folder}/{number:04d}.json"))
    return data if data.get("v") == VERSION and data.get("whole") is True and data.get("number") == number else {}


def newest(folder: str) -> "dict[str, Any]":
    """The newest whole checkpoint that was saved here; {} when there is none: a pull may bring one.

    Saved here is what bears the mark of the session's folder (hot/provenance.py), around `folder`.
    """
    whole = (load(folder, number) for number in reversed(_numbers(folder)))
    return next((saved for saved in whole if provenance.bears(os.path.dirname(folder), saved.get("made"))), {})


def listed(folder: str) -> "list[tuple[int, dict[str, Any]]]":
    """(number, checkpoint) of all that are there, oldest first; {} for a torn one."""
    return [(number, load(folder, number)) for number in _numbers(folder)]


def readable_path(folder: str, checkpoint: "dict[str, Any]") -> str:
    """Path of the Markdown form; "" for no checkpoint."""
    return f"{folder}/{checkpoint['number']:04d}.md" if checkpoint else ""


def _numbers(folder: str) -> "list[int]":
    return sorted(int(name[:-5]) for name in names_in(folder) if name.endswith(".json") and name[:-5].isdigit())


def _prune(folder: str) -> None:
    """Remove what is too old, and what a killed process has left behind."""
    for number in _numbers(folder)[:-KEPT]:
        for ending in ("json", "md"):
            _remove(f"{folder}/{number:04d}.{ending}")
    for name in names_in(folder):
        if name.endswith((".lock", ".tmp")) and _age(f"{folder}/{name}") > LEFTOVER:
            _remove(f"{folder}/{name}")


def _age(path: str) -> float:
    try:
        return time.time() - os.stat(path).st_mtime
    except OSError:  # gone meanwhile
        return 0.0


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:  # another hook was faster
        pass
