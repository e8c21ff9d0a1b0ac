"""One compaction's record, put together from the hooks that see parts of it."""

import os
from typing import Any

from holdfast.core.tokens import estimate
from holdfast.runtime.session import Session
from holdfast.runtime.upkeep import Gauge, stamp
from holdfast.store import calls, compactions, paths


def begin(session: Session, trigger: str, instructions: str, reading: Gauge, work: dict[str, Any]) -> None:
    """PreCompact: note what is before. Raises OSError."""
    session.write(
        paths.COMPACTING,
        {
            "key": f"{os.path.basename(session.folder)}-{work['messages']}",
            "time": stamp(session.now),
            "started": session.now,
            "session": os.path.basename(session.folder),
            "trigger": trigger,
            "instructions": instructions,
            "tokens_before": reading.tokens,
            "limit": reading.limit,
            "tool_calls": calls.count(session.path(paths.CALLS)),
            "boundary": _last(work).get("id", ""),
        },
    )


def _last(work: dict[str, Any]) -> dict[str, Any]:
    """The newest boundary row, {} before the first; only the newest are kept, so their number says nothing."""
    return work["boundaries"][-1] if work["boundaries"] else {}


def settle(session: Session, work: dict[str, Any], summary: str = "") -> None:
    """Write the record once the compaction has happened; add the client's own figures when they are there.

    It has happened when PostCompact brings a summary or a new boundary row stands in the transcript. Raises OSError.
    """
    begun = session.read(paths.COMPACTING)
    if not {"key", "boundary", "started", "tokens_before"} <= begun.keys():  # none begun, or the file is damaged
        return
    row = _last(work) if _last(work).get("id", "") != begun["boundary"] else {}
    if not row and not summary:
        return
    log, key = f"{session.state}/{paths.COMPACTIONS}", begun["key"]
    if session.once(f"compaction-{key}"):
        record = {name: value for name, value in begun.items() if name not in ("boundary", "started")}
        after = {"tokens_after": estimate(summary), "after_source": "summary"} if summary else {}
        compactions.add(log, {**record, **after, "seconds": round(session.now - begun["started"], 1)})
    if row:
        facts = {"tokens_before": row["before"] or begun["tokens_before"], "tokens_after": row["after"]}
        if compactions.complete(log, key, {**facts, "after_source": "client", **_ratio(facts)}):
            session.write(paths.COMPACTING, {})  # else another hook holds the log: the next one tries again


def _ratio(facts: dict[str, Any]) -> dict[str, Any]:
    before, after = facts["tokens_before"], facts["tokens_after"]
    whole = isinstance(before, int) and isinstance(after, int) and after > 0
    return {"ratio": round(before / after, 1)} if whole else {}
