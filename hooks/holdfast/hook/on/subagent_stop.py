"""SubagentStop: hold the report to the limit; during a compaction the client's own fork brings the summary."""

from holdfast.handoff import hooks
from holdfast.hot.paths import InSession
from holdfast.session import faults
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import Reply


def handle(event: Event, session: Session) -> Reply:
    """A block that says what to cut and what to keep, or nothing."""
    is_fork = not event.agent_type and session.read(InSession.COMPACTING)
    if is_fork and (text := event.text("last_assistant_message")).strip():
        from holdfast.compaction import hooks as compaction  # brings the worklog along, which no handoff needs

        compaction.keep_summary(session, text)
    reply = hooks.stopped(event, session)
    if not reply.block:
        with faults.logged(event.name):
            from holdfast.team import entry  # one that is sent back stays

            entry.agent_stopped(event, session)
    return reply
