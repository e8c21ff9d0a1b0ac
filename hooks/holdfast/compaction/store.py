"""The log of compactions: one JSON line each, the last 100 kept (`logs/compactions.jsonl`).

A compaction is told in two parts: what was before (PreCompact) and what came of it (PostCompact, or the
boundary row in the transcript when that hook did not fire). The line is written when the second part is known;
until then the first waits in the session's `compacting.json`.
"""

import os

from holdfast.hot import provenance
from holdfast.hot.files import Lock, append_capped, read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEPT = 100


def add(path: str, record: "dict[str, Any]") -> None:
    """Append one record. Raises OSError."""
    append_capped(path, dumps({"v": 1, **record}), KEPT)


def load(path: str) -> "list[dict[str, Any]]":
    """All whole records, oldest first."""
    rows = (loads_object(line) for line in read_bytes(path).splitlines())
    return [row for row in rows if row.get("v") == 1]


def complete(path: str, key: str, facts: "dict[str, Any]") -> bool:
    """Add facts to the record with this `key`; False when there is none or the log is in use. Raises OSError."""
    if not provenance.is_real(os.path.dirname(path)):  # a clone may bring a link
        return False
    with Lock(path + ".lock") as held:
        rows = load(path)
        if not held or not any(row.get("key") == key for row in rows):
            return False
        changed = [{**row, **facts} if row.get("key") == key else row for row in rows]
        write_atomic(path, "".join(dumps(row) + "\n" for row in changed))
    return True
