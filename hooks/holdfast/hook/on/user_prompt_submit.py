"""UserPromptSubmit beyond the common case: a background agent reports, a correction waits, a memory is called up.

The report stands in the prompt itself, which no hook can rewrite. One that is over the limit even after it was sent
back twice is therefore dropped here, and the wake-up hook (handoff/wakeup.py) delivers its outline. That works only
where somebody is at the screen; unattended runs have no background agents (hook/on/pre_tool_use.py).
"""

from holdfast.compaction import hooks as compaction
from holdfast.handoff import hooks
from holdfast.handoff.wakeup import agent_of
from holdfast.hot import thresholds
from holdfast.hot.files import size_of
from holdfast.hot.paths import InSession
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import Reply


def handle(event: Event, session: Session) -> Reply:
    """What waits goes along with a prompt that reaches the model; a dropped one leaves it waiting."""
    (reply, decided), helps = hooks.notified(event, session), ""
    if agent_of(event.text("prompt")):
        from holdfast.hook import ready  # only a report needs these
        from holdfast.package import hooks as packages

        ready.brief_agents(session, event.name)
        helps = "" if reply.block else packages.suggested(event, decided)
    recalled = _recalled(event, session)
    waiting = "" if reply.block else compaction.deliver(event, session)  # last: a fault behind it would lose it
    return reply._replace(context="\n\n".join(filter(None, (waiting, reply.context, helps, recalled))))


def _recalled(event: Event, session: Session) -> str:
    """The memories that the user's own words call up; a report's words are not the user's."""
    words = str(thresholds.load(session.path(InSession.THRESHOLDS)).get("recall") or "")
    if agent_of(event.text("prompt")) or size_of(words) <= 0:
        return ""
    from holdfast.memory import hooks as memory  # only a project with a memory needs it

    return memory.prompt(event, session)
