"""PreCompact: save a checkpoint, note what is before, steer the summariser. Never blocks."""

from holdfast.checkpoint import hooks as checkpoints
from holdfast.compaction import instructions, record
from holdfast.gauge import hooks as gauge
from holdfast.handoff import orchestrator
from holdfast.hot import paths
from holdfast.session import worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """Steering text; checkpoint and record only once for one state of the conversation.

    Note: the client may fire this early and throw the result away, or several times. So the text is given each
    time, and nothing here takes the compaction for done.
    """
    if event.in_subagent:
        return NOTHING
    work = worklog.fold_settled(event, session)
    record.settle(session, work)  # an earlier one whose PostCompact never came
    trigger = event.text("trigger") or "auto"
    reading = gauge.read(event, session)
    if session.once(f"precompact-{work['messages']}"):
        checkpoints.save(session, work, reading, f"before {trigger} compaction")
    record.begin(session, trigger, event.text("custom_instructions"), reading, work)
    agents = orchestrator.load(session.read(paths.ORCHESTRATOR))
    return Reply(plain=instructions.steering(work, agents))
