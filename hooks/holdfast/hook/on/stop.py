"""Stop: fold the turn into the session's state; checkpoint and progress entry at milestones."""

from holdfast.checkpoint import milestones, store
from holdfast.checkpoint.environment import environment
from holdfast.compaction import record
from holdfast.hot import paths
from holdfast.session import liveness, upkeep
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """Says nothing; what it learns stands in the session's files."""
    if event.in_subagent:
        return NOTHING
    liveness.goes_on(event, session)
    work = upkeep.fold(event, session)
    work["said"] = event.text("last_assistant_message")[:1200] or work["said"]  # the transcript may lack it yet
    record.settle(session, work)
    reading = upkeep.gauge(event, session)
    before = store.newest(session.path(paths.CHECKPOINTS))
    reason = milestones.milestone(before, work, session.read(paths.ORCHESTRATOR))
    if not reason and milestones.crossed(before, reading.tokens, reading.limit):
        reason = "context over 85 %"
    if reason:
        saved = upkeep.save_checkpoint(session, work, reading, reason)
        upkeep.log_progress(session, saved, work, reason)
    here = {"time": session.now, "transcript": event.transcript_path, "environment": environment(session, work)}
    session.write(paths.LAST, {**session.read(paths.LAST), **here})
    upkeep.compile_gate(session, reading)
    if work["notes"]:
        from holdfast.memory import capture  # only a session that has laid something down needs it

        capture.note(session, work)
    return NOTHING
