"""Checkpoints and the progress log on disk.

`checkpoints/0007.json` holds a StoredCheckpoint, `0007.md` the page for people, which is written first: where the JSON
stands, its page does too. The number only rises; the newest whole one counts, and a torn, foreign or older file is
passed over. The newest KEPT stay. Nothing is removed or written over that was not made here. `logs/progress.md` in the
state folder has one entry per milestone.
"""

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from holdfast.checkpoint import git
from holdfast.checkpoint.model import Draft, StoredCheckpoint
from holdfast.hot import provenance
from holdfast.hot.files import append, names_in, read_bytes, read_from, size_of, write_atomic
from holdfast.hot.jsonc import dumps, field, loads_object
from holdfast.text import late as re
from holdfast.text.lines import one_line
from holdfast.text.redaction import redacted

VERSION, KEPT = 5, 20
_NUMBERED = re.compile(r"([0-9]{4,19})\.json")
_UNDER_WAY = re.compile(r"[0-9]{4,19}\.(lock|(json|md)\.[0-9]+\.[0-9a-f]+\.tmp)")
_PLAIN = {name: kind() for name, kind in StoredCheckpoint.__annotations__.items() if kind in (str, int, float)}
_BLANK: dict[str, object] = {**_PLAIN, "work": {}, "agents": {}, "environment": {}, "kept": ""}


def save(folder: str, draft: Draft, readable: Callable[[StoredCheckpoint], str]) -> StoredCheckpoint:
    """Store the next checkpoint and give it back with its number. Raises OSError.

    readable: makes the page from the numbered checkpoint. Two hooks may save at once; the name is taken with
    O_EXCL, so each gets a number of its own.
    """
    provenance.real_folder(folder)  # old ones are removed there: a clone may bring a link in its place
    number = max(_numbers(folder), default=0) + 1
    while not _take(folder, number):
        number += 1
    saved: StoredCheckpoint = {**draft, "v": VERSION, "number": number, "whole": True}
    try:
        write_atomic(f"{folder}/{number:04d}.md", redacted(readable(saved)))
        write_atomic(f"{folder}/{number:04d}.json", dumps(saved))
    finally:
        os.unlink(f"{folder}/{number:04d}.lock")
    _prune(folder)
    return saved


def _take(folder: str, number: int) -> bool:
    """Whether the number is ours alone: nobody writes it now, and nobody has. Raises OSError."""
    lock = f"{folder}/{number:04d}.lock"
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    if not any(os.path.lexists(f"{folder}/{number:04d}.{ending}") for ending in ("json", "md")):
        return True
    os.unlink(lock)
    return False


def load(folder: str, number: int) -> StoredCheckpoint | None:
    """The checkpoint of this number; None when there is none, or it is torn or of another version."""
    data = _stored(folder, number)
    note = data.get("note")
    sound = note is None or (isinstance(note, dict) and field(note, "text", "") and field(note, "time", 0.0))
    sound = sound and all(field(data, key, blank) == data.get(key, blank) for key, blank in _BLANK.items())
    return cast("StoredCheckpoint", data) if sound and data.get("v") == VERSION else None


def _stored(folder: str, number: int) -> dict[str, Any]:
    """What a checkpoint of any version holds; {} for any other file."""
    data = loads_object(read_bytes(f"{folder}/{number:04d}.json"))
    return data if data.get("whole") is True and data.get("number") == number else {}


def newest(folder: str) -> StoredCheckpoint | None:
    """The newest whole checkpoint with the mark of the session's folder around `folder`: a pull may bring others."""
    whole = (load(folder, number) for number in reversed(_numbers(folder)))
    return next((saved for saved in whole if saved and provenance.bears(os.path.dirname(folder), saved["made"])), None)


def listed(folder: str) -> list[tuple[int, StoredCheckpoint | None]]:
    """(number, checkpoint) of all that are there, oldest first; None for a torn one."""
    return [(number, load(folder, number)) for number in _numbers(folder)]


def readable_path(folder: str, saved: StoredCheckpoint | None) -> str:
    """Path of the page; "" for no checkpoint."""
    return f"{folder}/{saved['number']:04d}.md" if saved else ""


def _numbers(folder: str) -> list[int]:
    return sorted(int(found[1]) for name in names_in(folder) if (found := _NUMBERED.fullmatch(name)))


def _prune(folder: str) -> None:
    """Remove what is too old, and what a killed process has left behind."""
    ours = (number for number in _numbers(folder)[:-KEPT] if _stored(folder, number))
    old = [f"{number:04d}.{ending}" for number in ours for ending in ("json", "md")]
    for name in [*old, *filter(_UNDER_WAY.fullmatch, names_in(folder))]:
        with contextlib.suppress(OSError):  # another hook was faster; after a minute nobody writes half a file any more
            if name in old or time.time() - os.stat(f"{folder}/{name}").st_mtime > 60:
                os.unlink(f"{folder}/{name}")


def add_progress(path: str, heading: str, details: Sequence[tuple[str, str]]) -> None:
    """Append one entry to the progress log: a heading and `- label: text` lines. Raises OSError."""
    provenance.private_folder(os.path.dirname(path))
    git.refuse_tracked(path)
    lines = [f"## {one_line(heading)}", *(f"- {label}: {one_line(text)}" for label, text in details if text)]
    start = "" if size_of(path) > 0 else "# Progress\n\n"
    append(path, start + redacted("\n".join(lines)) + "\n\n")


def last_progress(path: str) -> str:
    """The log's last two entries, without blank lines; "" when there are none, or a link stands in the log's place."""
    size = size_of(path) if provenance.is_there(path) else 0
    text = read_from(path, max(0, size - 8_192), 8_192).decode("utf-8", "replace") if size > 0 else ""
    parts = f"\n{redacted(text)}".split("\n## ")[1:][-2:]
    return "\n".join(line for part in parts for line in f"## {part}".splitlines() if line.strip())
