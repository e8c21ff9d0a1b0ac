"""SessionEnd: note the clean end; then the last look, so that a compaction just before it has its figures."""

from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.runtime import compacting, endings, upkeep
from holdfast.runtime.session import Session


def handle(event: Event, session: Session) -> Reply:
    """Says nothing. The client gives all SessionEnd hooks 1.5 s together, so the note comes first."""
    if event.in_subagent:
        return NOTHING
    endings.ended(session, event.text("reason"))
    compacting.settle(session, upkeep.fold(event, session))
    return NOTHING
