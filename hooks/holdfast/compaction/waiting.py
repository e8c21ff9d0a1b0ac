"""A text that waits to be told to the agent once: `correction.json` in the session's folder.

There is at most one; a newer one takes its place. Whoever renames the file away has it, so of several hooks that
come at once exactly one delivers it, and no later one finds it. The delivered one stays beside it for people to read.
"""

from holdfast.hot import provenance
from holdfast.hot.files import os, read_bytes, size_of, write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.hot.paths import CORRECTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME, DELIVERED = CORRECTION, "correction.delivered.json"


def put(folder: str, note: "dict[str, Any]") -> None:
    """Queue {text, key, …} in place of what waited. Raises OSError."""
    write_atomic(f"{folder}/{NAME}", dumps({"v": 1, **note, "made": provenance.marked(folder)}))


def drop(folder: str) -> None:
    """Forget what waits, because a newer compaction has made it old."""
    try:
        os.unlink(f"{folder}/{NAME}")
    except OSError:  # nothing waited, or it is being delivered
        pass


def is_there(folder: str) -> bool:
    """Whether something waits."""
    return size_of(f"{folder}/{NAME}") >= 0


def take(folder: str) -> "dict[str, Any]":
    """What waits, for exactly one caller; {} for all others, and of what was not put there on this machine."""
    try:
        os.replace(f"{folder}/{NAME}", f"{folder}/{DELIVERED}")
    except OSError:
        return {}
    note = loads_object(read_bytes(f"{folder}/{DELIVERED}"))
    return note if provenance.bears(folder, note.get("made")) else {}
