"""SessionEnd: note the clean end; then the last look, and what the session leaves goes into the memory.

The client gives all SessionEnd hooks 1.5 s together. What is not done by then the next start does.
"""

from holdfast.session import faults, liveness
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """Says nothing. The note comes first, before the features are even imported: a start can do all else."""
    liveness.goes_on(event, session)
    liveness.ended(session, event.text("reason"))
    from holdfast.compaction import hooks as compaction
    from holdfast.ledger import hooks as ledger
    from holdfast.memory import hooks as memory
    from holdfast.session import worklog
    from holdfast.team import entry

    work = worklog.fold(event, session)
    compaction.settle(session, work)
    ledger.note(event.name, session, work)
    with faults.logged(event.name):
        entry.ended(session)
    if memory.end(event, session, work) and session.config["knowledge.on"]:
        from holdfast.knowledge import build  # rarely needed

        build.renew(session.now, session.project)
    if session.config["store.url"] and session.config["memory.mode"] != "off":
        from holdfast.postgres import hooks as server

        server.begin(session.project)
    return NOTHING
