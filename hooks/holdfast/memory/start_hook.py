"""What a start tells of the memory.

The records that it tells stand ready (memory/precomputed.py), so that a start costs the same with ten records and with
ten thousand. Where they are old, the start compiles them itself (memory/derived.py).
"""

import contextlib
from collections.abc import Iterable
from typing import Any

from holdfast.hot import paths, thresholds
from holdfast.hot.provenance import is_real
from holdfast.memory import briefing, code_references, pending_sessions, precomputed, usage_counts
from holdfast.memory.briefing import Entry
from holdfast.memory.cache import make_cache
from holdfast.memory.location import folder_of
from holdfast.memory.record import clean
from holdfast.session.context import Session
from holdfast.session.reply import utf16_length
from holdfast.text.lines import one_line

TOLD = "memory.json"
"""In the session's folder: {keys: what it has put into the memory, mark, told: ids that its window holds, epoch}."""
_FORM = (str, str, int, str, str, (int, float), list, list, (int, float))
"""The types of an Entry as JSON has them."""
PLACE = 300  # characters of the memory's path
SMALLEST = 400  # characters of room for which it is not worth to begin


def text(session: Session, room: int, without_task: bool) -> str:
    """What this start tells of the memory, at most `room` UTF-16 units; "" when there is nothing.

    without_task: the old task is not told, because the user has cleared it away or because it is told already.
    """
    folder = folder_of(session.project)
    if not is_real(folder) or room < SMALLEST:
        return ""
    try:
        return _text(session, folder, room, without_task)
    except Exception:  # noqa: BLE001 - whatever the memory does, the rest of the start is told
        from holdfast.session import faults

        faults.log_current_fault("SessionStart")
        return ""


def _text(session: Session, folder: str, room: int, without_task: bool) -> str:
    entries = [one for one in current(session, folder) if not (without_task and one.kind == "state")]
    seen: dict[str, str] = {}
    told = [
        (one, briefing.told(one, session.now, code_references.gone(session.project, one.paths, seen)))
        for one in entries
    ]
    before = briefing.continuity(*pending_sessions.before(session), session.now)
    place = one_line(clean(folder), PLACE)  # the project's own name may come from an archive
    head = f"Holdfast: what earlier sessions left in this project's memory ({place}). {before}".rstrip()
    page = briefing.page(told, room - utf16_length(head) - 1)
    if not page.ids:
        return ""
    note_told(session, folder, page.ids)
    return f"{head}\n{page.text}"


def current(session: Session, folder: str) -> list[Entry]:
    """The records that a start tells, compiled anew if need be."""
    there = ready(session, folder)
    if there is not None:
        return there
    from holdfast.memory import derived  # only a start after a change needs it

    return derived.compiled(derived.memory_at(session.project), session.now)


def ready(session: Session, folder: str) -> list[Entry] | None:
    """The records that a start tells, as they were compiled; None where that is to be done anew."""
    rows = precomputed.load(folder, session.now, _FORM)
    if rows is None:
        return None
    return [one._replace(lines=tuple(one.lines), paths=tuple(one.paths)) for one in (Entry(*row) for row in rows)]


def note_told(session: Session, folder: str, ids: Iterable[str]) -> None:
    """Count the uses, and note what the window holds now, so that no prompt brings it again. Raises OSError."""
    names = list(ids)
    with contextlib.suppress(OSError):  # read-only, or a link in the cache's place: only the count is lost
        usage_counts.note(make_cache(folder), names, session.now)
    session.write(TOLD, {**session.read(TOLD), **holding(session, names)})


def holding(session: Session, ids: Iterable[str]) -> dict[str, Any]:
    """What TOLD says of the window when it holds these, too."""
    return {"epoch": _epoch(session), "told": list(dict.fromkeys([*already_told(session), *ids]))}


def already_told(session: Session) -> list[str]:
    """Ids of the memories that the window holds; none after a compaction."""
    known = session.read(TOLD)
    return list(known.get("told") or ()) if known.get("epoch") == _epoch(session) else []


def _epoch(session: Session) -> int:
    return int(thresholds.load(session.path(paths.GATE)).get("epoch") or 0)
