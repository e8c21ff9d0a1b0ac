"""PostToolUseFailure: as after any tool; where the client has cut the output, what is missing and how to see it."""

from holdfast.digest import hooks as digest
from holdfast.hook.on import post_tool_use
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import Reply


def handle(event: Event, session: Session) -> Reply:
    """The suggestion, what waits to be told, and of an output that was cut what can be done."""
    reply = post_tool_use.handle(event, session)
    cut = digest.told_of_a_cut(event.fields) if session.config["digest.on"] else ""
    return reply._replace(context="\n\n".join(filter(None, (cut, reply.context))))
