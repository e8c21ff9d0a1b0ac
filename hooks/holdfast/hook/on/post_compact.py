"""PostCompact: compare the summary with the record, queue what must be corrected, complete the compaction's record.

What this hook prints reaches nobody but the user; the model gets the correction from the next prompt or tool result.
"""

from typing import Any

from holdfast.compaction import record
from holdfast.gauge import hooks as gauge
from holdfast.hot import paths
from holdfast.hot.files import write_atomic
from holdfast.session import worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """A line to the user when something was altered or lost; the record is in `logs/compactions.jsonl`."""
    if event.in_subagent:
        return NOTHING
    work, summary = worklog.fold(event, session), event.text("compact_summary")
    key = record.begin_late(session, event.text("trigger") or "auto", gauge.read(event, session), work)
    found = None
    if session.once(f"verify-{key}"):
        from holdfast.compaction import verify  # only the one that compares needs it

        write_atomic(session.path(paths.SUMMARY), summary)
        found = verify.check(event, session, work, key)
    record.settle(session, work, summary, found)
    return Reply(user=_told(found)) if found and found["correction"] else NOTHING


def _told(found: dict[str, Any]) -> str:
    counts = found["facts"]
    wrong, lost = counts["altered"] + counts["stale"], counts["missing"]
    return (
        f"Holdfast: after the compaction {wrong} facts are altered and {lost} missing; "
        "the next prompt or tool result carries the correction."
    )
