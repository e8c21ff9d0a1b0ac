"""SubagentStart when the hot road found no gate: compile what it needs, then answer as it would."""

from holdfast.config.load import handoff_limit
from holdfast.hot import jsonc
from holdfast.session import upkeep
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """The protocol with this agent type's limit."""
    upkeep.compile_gate(session, upkeep.gauge(event, session))
    reply = jsonc.loads_object(upkeep.compile_subagent_start(session))
    limit = handoff_limit(session.config, event.agent_type)
    if not limit or not event.agent_type:
        return NOTHING
    text = reply["hookSpecificOutput"]["additionalContext"]
    return Reply(context=text.replace("@LIMIT@", str(limit)))
