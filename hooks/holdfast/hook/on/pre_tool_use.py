"""PreToolUse: an agent is to start, a file to be changed where others are at work, knowledge to be written.

Where nobody is at the screen, agents run in the foreground: only there can an over-long report be replaced, and nobody
waits for the prompt to come back. Agents that are launched in one message still run in parallel.
"""

import os

from holdfast.handoff.wakeup import attended
from holdfast.hot import call_log, presence
from holdfast.session import faults
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply
from holdfast.team import hooks as team


def handle(event: Event, session: Session) -> Reply:
    """What is in the way of the call, and an agent's call with `run_in_background` off, or nothing."""
    tool = event.text("tool_name")
    reply, starts = NOTHING, tool in call_log.AGENT_TOOLS
    before = team.before_task if starts else _before_edit if tool in presence.EDITS else team.before_command
    with faults.logged(event.name):
        reply = before(event, session)
    return reply._replace(inputs=_in_the_foreground(event, session)) if starts and not reply.deny else reply


def _before_edit(event: Event, session: Session) -> Reply:
    if not session.config["store.url"]:
        return team.before_edit(event, session)
    from holdfast.postgres import hooks as server  # nobody else pays for it

    return team.before_edit(event, session, server.enforced(session))


def _in_the_foreground(event: Event, session: Session) -> dict[str, object] | None:
    inputs = event.mapping("tool_input")
    as_asked = session.config["handoff.background"] == "leave" or not session.config["handoff.on"]
    stays = attended(os.environ) is not False or as_asked
    if not inputs or stays or inputs.get("run_in_background") is False:
        return None
    return {**inputs, "run_in_background": False}
