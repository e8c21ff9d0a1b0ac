"""PostToolUse beyond the common case: a sub-agent's return, a large result, a suggestion or correction due."""

from collections.abc import Mapping

from holdfast.compaction import hooks as compaction
from holdfast.compaction import instructions
from holdfast.digest.hooks import digested_output
from holdfast.gauge import hooks as gauge
from holdfast.handoff import hooks as handoffs
from holdfast.hook.ready import brief_agents, make_ready, standing
from holdfast.hot import call_log, thresholds
from holdfast.hot.paths import InSession
from holdfast.session import faults
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply
from holdfast.team import hooks as team
from holdfast.worklog.model import Worklog


def handle(event: Event, session: Session) -> Reply:
    """The replaced result and, for the main session, the suggestion and what waits to be told."""
    path = session.path(InSession.THRESHOLDS)
    if not thresholds.load(path):
        with session.noting():  # a sub-agent's return is held to its limit all the same
            make_ready(session, gauge.read(event, session), event.name)
    limits, reply, decided = thresholds.load(path), NOTHING, dict[str, str]()

    def line(work: Worklog) -> str:
        return instructions.compact_line(work, *standing(session, event.name))

    if event.text("tool_name") in call_log.AGENT_TOOLS:
        reply, decided = handoffs.returned(event, session)
        brief_agents(session, event.name)
    elif limits:
        reply = Reply(output=digested_output(event.fields, session.folder, limits))
    said = "" if event.in_subagent or not limits else gauge.suggestion(event, session, line)
    also = ""
    with faults.logged(event.name):
        also = _also(event, session, decided)
    user = "\n".join(filter(None, (reply.user, said, also)))
    waiting = compaction.deliver(event, session)  # last: a fault would lose it
    return reply._replace(user=user, context="\n\n".join(filter(None, (also, waiting))))


def _also(event: Event, session: Session, decided: Mapping[str, str]) -> str:
    """What else there is to say: of others' files that a command has changed, of an agent that failed or asks back.

    A handoff package is acknowledged by reading it.
    """
    tool, path = event.text("tool_name"), str(event.mapping("tool_input").get("file_path"))
    if tool == "Bash":
        return team.after_command(event, session)
    if tool in call_log.AGENT_TOOLS or (tool == "Read" and "/packages/" in path):
        from holdfast.package import hooks as packages  # rarely needed

        return packages.read(event, session) if tool == "Read" else packages.suggested(event, decided)
    return ""
