"""PostCompact: complete the compaction's record. What this hook prints reaches nobody but the user."""

from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.runtime import compacting, upkeep
from holdfast.runtime.session import Session


def handle(event: Event, session: Session) -> Reply:
    """Nothing to say; the record is in `logs/compactions.jsonl`."""
    if not event.in_subagent:
        compacting.settle(session, upkeep.fold(event, session), event.text("compact_summary"))
    return NOTHING
