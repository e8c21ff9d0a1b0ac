"""PostToolUse beyond the common case: a sub-agent's return, a large result, a suggestion or correction due."""

from typing import Any

from holdfast.compaction import instructions, outbox
from holdfast.config.load import handoff_limit
from holdfast.digest.hooks import replacement
from holdfast.gauge import hooks as gauge
from holdfast.handoff import hooks
from holdfast.hook.ready import make_ready
from holdfast.hot import call_log, paths, thresholds
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import Reply
from holdfast.transcript import tool_output


def handle(event: Event, session: Session) -> Reply:
    """The replaced result and, for the main session, the suggestion and what waits to be told."""
    if not thresholds.load(session.path(paths.GATE)):
        make_ready(session, gauge.read(event, session))
    is_agent = event.text("tool_name") in call_log.AGENT_TOOLS
    output = _agent(event, session) if is_agent else _large(event, session)
    waiting = outbox.deliver(event, session)  # before the gate is compiled anew, which then says that nothing waits
    said = "" if event.in_subagent else gauge.suggestion(event, session, instructions.compact_line)
    return Reply(output=output, user=said, context=waiting)


def _large(event: Event, session: Session) -> Any:
    return replacement(event.fields, session.folder, thresholds.load(session.path(paths.GATE)))


def _agent(event: Event, session: Session) -> Any:
    """The parent's copy of a sub-agent's report; None when it may stay as it is."""
    response = event.mapping("tool_response")
    texts = tool_output.report_fields(response)
    agent_id = str(response.get("agentId") or event.text("tool_use_id"))
    if response.get("status") != "completed" or not texts or event.in_subagent:
        return None
    kind = str(response.get("agentType") or event.mapping("tool_input").get("subagent_type") or "")
    limit = handoff_limit(session.config, kind)
    whole = "\n\n".join(text for _, text in texts)
    task = str(event.mapping("tool_input").get("description") or kind)
    shown = hooks.within_limit(session, event, agent_id, whole, limit) if limit else whole
    hooks.absorb(session, agent_id, task, shown, str(response.get("prompt") or ""))
    if shown == whole:
        return None
    return tool_output.with_report(response, shown)
