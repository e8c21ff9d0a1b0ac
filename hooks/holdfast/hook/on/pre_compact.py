"""PreCompact: save a checkpoint, note what is before, tell the summariser what to keep. Never blocks."""

from holdfast.compaction import hooks as compaction
from holdfast.gauge import hooks as gauge
from holdfast.ledger import hooks as ledger
from holdfast.session import worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import Reply


def handle(event: Event, session: Session) -> Reply:
    """The text each time; checkpoint and record only once for one state of the conversation."""
    work = worklog.fold_settled(event, session)
    rules: list[str] = []
    if work["marks"] or work["record"] or work["let_go"]:
        from holdfast.hook import ready  # only a session that has marked something needs the memory

        work = ready.holding(session, work, event.name)
    if any(mark["kind"] == "rule" for mark in work["marks"]):
        rules = ready.standing(session, event.name)[0]
    told = compaction.begin(event, session, work, gauge.read(event, session), rules)
    ledger.note(event.name, session, work)
    return Reply(plain=told)
