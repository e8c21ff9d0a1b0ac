"""SubagentStart when the hot road found no thresholds: compile what it needs, then answer as it would."""

from holdfast.config.load import handoff_limit
from holdfast.gauge import hooks as gauge
from holdfast.handoff import hooks as handoffs
from holdfast.hook.ready import make_ready
from holdfast.hot import jsonc
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """The protocol with this agent type's limit."""
    with session.noting():
        make_ready(session, gauge.read(event, session))
    reply = jsonc.loads_object(handoffs.compile_subagent_start(session))
    limit = handoff_limit(session.config, event.agent_type)
    if not limit or not event.agent_type:
        return NOTHING
    text = reply["hookSpecificOutput"]["additionalContext"]
    return Reply(context=text.replace("@LIMIT@", str(limit)))
