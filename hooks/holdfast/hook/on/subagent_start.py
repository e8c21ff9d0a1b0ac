"""SubagentStart where the hot road found no thresholds or other agents: as it would answer, and who else is here."""

from holdfast.config.load import handoff_limit
from holdfast.gauge import hooks as gauge
from holdfast.hook.ready import brief_agents, make_ready
from holdfast.hot import jsonc
from holdfast.session import faults
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import Reply
from holdfast.team import entry


def handle(event: Event, session: Session) -> Reply:
    """The protocol with this agent type's limit, and the other agents with what they own."""
    made = ""
    with session.noting():
        made = make_ready(session, gauge.read(event, session), event.name)
    reply = jsonc.loads_object(made or brief_agents(session, event.name))
    limit, company = handoff_limit(session.config, event.agent_type), ""
    with faults.logged(event.name):
        company = entry.agent_started(event, session)
    if not limit or not event.agent_type:
        return Reply(context=company)
    text = reply["hookSpecificOutput"]["additionalContext"].replace("@LIMIT@", str(limit))
    return Reply(context="\n\n".join(filter(None, (text, company))))
