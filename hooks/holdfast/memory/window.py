"""Which records a session's window holds, so that nothing is told twice in it.

`memory.json` in the session's folder: {keys: what it has put into the memory itself, mark, told: ids, epoch}. A
compaction begins a new epoch, in which nothing counts as told.
"""

import contextlib
from collections.abc import Iterable
from typing import Any

from holdfast.hot import paths, thresholds
from holdfast.memory import usage_counts
from holdfast.memory.cache import make_cache
from holdfast.session.context import Session

FILE = "memory.json"


def note_told(session: Session, folder: str, ids: Iterable[str]) -> None:
    """Count the uses, and note what the window holds now, so that no prompt brings it again. Raises OSError."""
    names = list(ids)
    with contextlib.suppress(OSError):  # read-only, or a link in the cache's place: only the count is lost
        usage_counts.note(make_cache(folder), names, session.now)
    session.write(FILE, {**session.read(FILE), **holding(session, names)})


def holding(session: Session, ids: Iterable[str]) -> dict[str, Any]:
    """What FILE says of the window when it holds these, too."""
    return {"epoch": _epoch(session), "told": list(dict.fromkeys([*told(session), *ids]))}


def told(session: Session) -> list[str]:
    """Ids of the records that the window holds; none after a compaction."""
    known = session.read(FILE)
    return list(known.get("told") or ()) if known.get("epoch") == _epoch(session) else []


def _epoch(session: Session) -> int:
    return int(thresholds.load(session.path(paths.GATE)).get("epoch") or 0)
