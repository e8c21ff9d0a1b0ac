"""SessionEnd: the last look at the transcript, so that a compaction just before the end has its figures."""

from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.runtime import compacting, upkeep
from holdfast.runtime.session import Session


def handle(event: Event, session: Session) -> Reply:
    """Says nothing. The client gives all SessionEnd hooks 1.5 s together."""
    compacting.settle(session, upkeep.fold(event, session))
    return NOTHING
