"""Stop: fold the turn into the session's state; checkpoint and progress entry at milestones."""

from holdfast.checkpoint import hooks as checkpoints
from holdfast.checkpoint import milestones, store
from holdfast.checkpoint.environment import environment
from holdfast.compaction import record
from holdfast.gauge import hooks as gauge
from holdfast.hot import paths
from holdfast.session import liveness, worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """Says nothing; what it learns stands in the session's files."""
    if event.in_subagent:
        return NOTHING
    liveness.goes_on(event, session)
    work = worklog.fold(event, session)
    work["said"] = event.text("last_assistant_message")[:1200] or work["said"]  # the transcript may lack it yet
    record.settle(session, work)
    reading = gauge.read(event, session)
    before = store.newest(session.path(paths.CHECKPOINTS))
    reason = milestones.milestone(before, work, session.read(paths.ORCHESTRATOR))
    if not reason and milestones.crossed(before, reading.tokens, reading.limit):
        reason = "context over 85 %"
    if reason:
        saved = checkpoints.save(session, work, reading, reason)
        checkpoints.log_progress(session, saved, work, reason)
    here = {"time": session.now, "transcript": event.transcript_path, "environment": environment(session, work)}
    session.write(paths.LAST, {**session.read(paths.LAST), **here})
    gauge.compile_thresholds(session, reading)
    if work["marks"]:
        from holdfast.memory import hooks as memory  # only a session that has marked something needs it

        memory.stop(session, work)
    return NOTHING
