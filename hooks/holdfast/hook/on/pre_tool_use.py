"""PreToolUse on Agent: where nobody is at the screen, agents run in the foreground.

Only there can an over-long report be replaced, and nobody waits for the prompt to come back. Agents that are launched
in one message still run in parallel.
"""

import os

from holdfast.handoff.wakeup import attended
from holdfast.hot import call_log
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """The call's input with `run_in_background` off, or nothing."""
    inputs = event.mapping("tool_input")
    if not inputs or event.text("tool_name") not in call_log.AGENT_TOOLS:
        return NOTHING
    as_asked = session.config["handoff.background"] == "leave" or not session.config["handoff.on"]
    stays = attended(os.environ) is not False or as_asked
    if stays or inputs.get("run_in_background") is False:
        return NOTHING
    return Reply(inputs={**inputs, "run_in_background": False})
