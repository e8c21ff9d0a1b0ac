"""One compaction's record, put together from the hooks that see parts of it."""

import contextlib
import os
import time
from typing import Any

from holdfast.compaction import store
from holdfast.gauge.hooks import Reading
from holdfast.hot import call_log, paths
from holdfast.hot.files import read_text, write_atomic
from holdfast.session import hook_log
from holdfast.session.context import Session, stamp
from holdfast.text.tokens import estimate

LONGEST = 900  # seconds from PreCompact to its summary; an older start was thrown away


def begin(session: Session, trigger: str, instructions: str, reading: Reading, work: dict[str, Any]) -> None:
    """PreCompact: note what is before. Raises OSError.

    Summary and packet of an earlier compaction go, unless the conversation stands where it stood: then a summary
    that was made ahead may still be the one that is used.
    """
    if session.read(paths.COMPACTING).get("key") != _key(session, work):
        _forget(session, paths.SUMMARY, paths.PACKET)
    _note(session, trigger, instructions, reading, work)


def begin_late(session: Session, trigger: str, reading: Reading, work: dict[str, Any]) -> str:
    """PostCompact: the compaction's key; where no PreCompact was seen, note now what was before. Raises OSError."""
    begun = session.read(paths.COMPACTING)
    if not begun.get("key") or begun.get("boundary") != _last(work).get("id", ""):
        _note(session, trigger, "", reading, work)
    return str(session.read(paths.COMPACTING).get("key"))


def _key(session: Session, work: dict[str, Any]) -> str:
    return f"{os.path.basename(session.folder)}-{work['messages']}"


def _note(session: Session, trigger: str, instructions: str, reading: Reading, work: dict[str, Any]) -> None:
    session.write(
        paths.COMPACTING,
        {
            "key": _key(session, work),
            "time": stamp(session.now),
            "started": session.now,
            "session": os.path.basename(session.folder),
            "trigger": trigger,
            "instructions": instructions,
            "tokens_before": reading.tokens,
            "limit": reading.limit,
            "tool_calls": call_log.count(session.path(paths.CALLS)),
            "boundary": _last(work).get("id", ""),
        },
    )


def _forget(session: Session, *names: str) -> None:
    for name in names:
        if os.path.exists(session.path(name)):
            os.unlink(session.path(name))


def keep_summary(session: Session, text: str) -> None:
    """Keep what the summariser wrote, for the restore that follows. Raises OSError.

    The client's own forks carry no name and leave no transcript (2.1.329), so the summariser is told by its moment:
    a compaction has begun and has not ended. Another fork that ends in that moment would be taken for it, unless the
    summariser's marked text is there already; at worst the restore then leaves out a line that it need not, until
    PostCompact brings the summary itself.
    """
    begun = session.read(paths.COMPACTING)
    started = begun.get("started")
    if not isinstance(started, (int, float)) or not 0 <= session.now - started <= LONGEST:
        return
    if "<summary>" in text or "<summary>" not in read_text(session.path(paths.SUMMARY)):
        write_atomic(session.path(paths.SUMMARY), text)


def fresh(session: Session, name: str) -> str:
    """The text of SUMMARY or PACKET when it belongs to the compaction under way; "" when it is an older one's."""
    try:
        made = os.stat(session.path(name)).st_mtime_ns
    except OSError:
        return ""
    try:
        verified = os.stat(session.path(paths.VERIFIED)).st_mtime_ns
    except OSError:
        verified = 0
    return read_text(session.path(name)) if made > verified else ""


def _last(work: dict[str, Any]) -> dict[str, Any]:
    """The newest boundary row, {} before the first; only the newest are kept, so their number says nothing."""
    return work["boundaries"][-1] if work["boundaries"] else {}


def settle(session: Session, work: dict[str, Any], summary: str = "", found: dict[str, Any] | None = None) -> None:
    """Write the record once the compaction has happened; add the client's own figures when they are there.

    It has happened when PostCompact brings a summary or a new boundary row stands in the transcript.
    found: what PostCompact's comparison found (compaction/verify.py). Raises OSError.
    """
    begun = session.read(paths.COMPACTING)
    if not {"key", "boundary", "started", "tokens_before"} <= begun.keys():  # none begun, or the file is damaged
        return
    row = _last(work) if _last(work).get("id", "") != begun["boundary"] else {}
    if not row and not summary and found is None:
        return
    log, key = f"{session.state}/{paths.COMPACTIONS}", begun["key"]
    if session.once(f"compaction-{key}"):
        record = {name: value for name, value in begun.items() if name not in ("boundary", "started")}
        after = {"tokens_after": estimate(summary), "after_source": "summary"} if summary else {}
        took = {"seconds": round(session.now - begun["started"], 1), "hooks_ms": _hooks_ms(session, begun["started"])}
        with contextlib.suppress(OSError):  # a link in the log's place: a record less, and the rest goes on
            store.add(log, {**record, **after, **took, **(found or {})})
    elif found:
        store.complete(log, key, found)
    if row:
        facts = {"tokens_before": row["before"] or begun["tokens_before"], "tokens_after": row["after"]}
        if store.complete(log, key, {**facts, "after_source": "client", **_ratio(facts)}):
            session.write(paths.COMPACTING, {})  # else another hook holds the log: the next one tries again


def _hooks_ms(session: Session, since: float) -> float:
    """Milliseconds that this session's hooks have taken since the compaction began, this one so far."""
    earlier = sum(entry.ms for entry in hook_log.load(session.folder) if entry.seconds >= since)
    return round(earlier + max(0.0, time.time() - session.now) * 1_000, 1)


def _ratio(facts: dict[str, Any]) -> dict[str, Any]:
    before, after = facts["tokens_before"], facts["tokens_after"]
    whole = isinstance(before, int) and isinstance(after, int) and after > 0
    return {"ratio": round(before / after, 1)} if whole else {}
