"""PostToolUse beyond the common case: a sub-agent's return, a large result, a suggestion or correction due."""

from holdfast.compaction import hooks as compaction
from holdfast.compaction import instructions
from holdfast.digest.hooks import digested_output
from holdfast.gauge import hooks as gauge
from holdfast.handoff import hooks as handoffs
from holdfast.hook.ready import make_ready
from holdfast.hot import call_log, thresholds
from holdfast.hot.paths import InSession
from holdfast.session import faults
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply
from holdfast.team import hooks as team


def handle(event: Event, session: Session) -> Reply:
    """The replaced result and, for the main session, the suggestion and what waits to be told."""
    path = session.path(InSession.THRESHOLDS)
    if not thresholds.load(path):
        with session.noting():  # a sub-agent's return is held to its limit all the same
            make_ready(session, gauge.read(event, session))
    limits, reply = thresholds.load(path), NOTHING
    if event.text("tool_name") in call_log.AGENT_TOOLS:
        reply = handoffs.returned(event, session)
    elif limits:
        if event.text("tool_name") == "Read":
            _received(event, session)
        reply = Reply(output=digested_output(event.fields, session.folder, limits))
    said = "" if event.in_subagent or not limits else gauge.suggestion(event, session, instructions.compact_line)
    beside = ""
    if event.text("tool_name") == "Bash":
        with faults.logged(event.name):
            beside = team.after_command(event, session)
    user = "\n".join(filter(None, (reply.user, said, beside)))
    waiting = compaction.deliver(event, session)  # last: a fault would lose it
    return reply._replace(user=user, context="\n\n".join(filter(None, (beside, waiting))))


def _received(event: Event, session: Session) -> None:
    """A handoff package is acknowledged by reading it."""
    if "/packages/" in str(event.mapping("tool_input").get("file_path")):
        from holdfast.package import hooks as packages  # rarely needed

        with session.noting():
            packages.read(event, session)
