"""SessionEnd: note the clean end; then the last look, and what the session leaves goes into the memory.

The client gives all SessionEnd hooks 1.5 s together. What is not done by then the next start does.
"""

from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.runtime import compacting, endings, memory_keep, upkeep
from holdfast.runtime.session import Session


def handle(event: Event, session: Session) -> Reply:
    """Says nothing. The note comes first, since everything else can be done without it."""
    if event.in_subagent:
        return NOTHING
    endings.goes_on(event, session)
    endings.ended(session, event.text("reason"))
    work = upkeep.fold(event, session)
    compacting.settle(session, work)
    memory_keep.finish(event, session, work, event.text("reason"))
    return NOTHING
