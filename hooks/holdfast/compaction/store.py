"""What a compaction leaves on disk: its entry in the log, and what waits to be told.

An entry is made of two parts: what was before (PreCompact) and what came of it (PostCompact, or the boundary row in
the transcript when that hook did not fire). The line in `logs/compactions.jsonl` (the last 100) is written when the
second part is known; until then the first waits in the session's `compacting.json`.

What waits to be told stands in `correction.json` in the session's folder: at most one, a newer takes its place. Whoever
renames the file away has it, so of several hooks that come at once exactly one delivers it.
"""

import os
from typing import Any, NotRequired, TypedDict, cast

from holdfast.checkpoint import git
from holdfast.hot import provenance
from holdfast.hot.files import Lock, append_capped, read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, field, loads_object
from holdfast.hot.paths import InSession

VERSION = 1


class Begun(TypedDict):
    """What is known before: `compacting.json`."""

    key: str
    time: str
    started: float
    """Epoch seconds."""
    session: str
    trigger: str
    instructions: str
    tokens_before: int
    limit: int
    tool_calls: int
    boundary: str
    """Id of the newest boundary row then."""


class Waiting(TypedDict):
    """A text that waits to be told once; key: of the compaction's entry."""

    text: str
    key: str
    time: float
    made: NotRequired[str]


def begun(data: dict[str, Any]) -> Begun | None:
    """What `compacting.json` holds; None where no compaction is under way or the file is damaged."""
    is_whole = data.keys() >= Begun.__required_keys__ and field(data, "started", 0.0)
    return cast("Begun", data) if is_whole else None


def add(path: str, entry: dict[str, Any]) -> None:
    """Append one entry. Raises OSError."""
    provenance.private_folder(os.path.dirname(path))
    git.refuse_tracked(path)
    append_capped(path, dumps({"v": VERSION, **entry}), 100)


def load(path: str) -> list[dict[str, Any]]:
    """All whole entries, oldest first."""
    rows = (loads_object(line) for line in read_bytes(path).splitlines())
    return [row for row in rows if row.get("v") == VERSION]


def complete(path: str, key: str, facts: dict[str, Any]) -> bool:
    """Add facts to the entry with this `key`; False when there is none or the log is in use. Raises OSError."""
    if not provenance.is_real(os.path.dirname(path)):  # a clone may bring a link
        return False
    with Lock(path + ".lock") as held:
        rows = load(path)
        if not held or not any(row.get("key") == key for row in rows):
            return False
        changed = [{**row, **facts} if row.get("key") == key else row for row in rows]
        write_atomic(path, "".join(dumps(row) + "\n" for row in changed))
    return True


def put(folder: str, note: Waiting | None) -> None:
    """Queue a text in place of what waited; None: nothing is to be told any more. Raises OSError."""
    path = f"{folder}/{InSession.CORRECTION}"
    if note:
        write_atomic(path, dumps({"v": VERSION, **note, "made": provenance.marked(folder)}))
    elif os.path.exists(path):
        os.unlink(path)


def take(folder: str) -> Waiting | None:
    """What waits, for exactly one caller; None for all others, and for what was not put there on this machine."""
    delivered = f"{folder}/correction.delivered.json"
    try:
        os.replace(f"{folder}/{InSession.CORRECTION}", delivered)
    except OSError:
        return None
    note = loads_object(read_bytes(delivered))
    whole = isinstance(note.get("text"), str) and provenance.bears(folder, note.get("made"))
    return cast("Waiting", note) if whole else None
