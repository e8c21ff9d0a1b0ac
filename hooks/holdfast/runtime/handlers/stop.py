"""Stop: fold the turn into the session's state; checkpoint and progress entry at milestones."""

from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.policy import milestones
from holdfast.runtime import compacting, endings, upkeep
from holdfast.runtime.session import Session
from holdfast.runtime.surroundings import environment
from holdfast.store import checkpoints, paths


def handle(event: Event, session: Session) -> Reply:
    """Says nothing; what it learns stands in the session's files."""
    if event.in_subagent:
        return NOTHING
    endings.goes_on(event, session)
    work = upkeep.fold(event, session)
    work["said"] = event.text("last_assistant_message")[:1200] or work["said"]  # the transcript may lack it yet
    compacting.settle(session, work)
    reading = upkeep.gauge(event, session)
    before = checkpoints.newest(session.path(paths.CHECKPOINTS))
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
        from holdfast.runtime import memory_keep  # only a session that has laid something down needs it

        memory_keep.note(session, work)
    return NOTHING
