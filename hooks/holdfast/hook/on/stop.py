"""Stop: fold the turn into the session's state; checkpoint and progress entry at milestones."""

from holdfast.checkpoint import hooks as checkpoints
from holdfast.compaction import hooks as compaction
from holdfast.compaction import instructions
from holdfast.gauge import hooks as gauge
from holdfast.hook.ready import brief_agents, holding, leave_places, memory_has_changed, standing
from holdfast.ledger import hooks as ledger
from holdfast.session import liveness, worklog
from holdfast.session.context import Session, problems_told
from holdfast.session.event import Event
from holdfast.session.reply import Reply
from holdfast.worklog import fold, marks


def handle(event: Event, session: Session) -> Reply:
    """Tells the user what was kept, when to compact, and why nothing can be; all else stands in the session's files."""
    told = list[str]()
    with session.noting():
        told = _turn(event, session)
    return Reply(user="\n".join((*problems_told(session, unsure=False), *told)))


def _turn(event: Event, session: Session) -> list[str]:
    liveness.goes_on(event, session)
    gauge.wait_for_end(event)
    work = worklog.fold(event, session)
    if has_changed := memory_has_changed(session):
        work = holding(session, work, event.name)
    said = event.text("last_assistant_message")
    if said:  # the transcript may lack it yet
        fold.said(work, said)
        marks.keep(work, said, "assistant")
    compaction.settle(session, work)
    reading = gauge.read(event, session)
    checkpoints.at_turn_end(event, session, work, reading)
    due = gauge.at_turn_end(session, reading, lambda: instructions.compact_line(work, *standing(session, event.name)))
    compaction.mark_waiting(session)
    leave_places(session)
    ledger.note(event.name, session, work)
    kept = ""
    if work["marks"] or work["left"]:
        from holdfast.memory import hooks as memory  # only a session that has marked something needs it

        kept = memory.stop(session, work)
    if has_changed or memory_has_changed(session):
        brief_agents(session, event.name)
    return [*filter(None, (kept, due))]
