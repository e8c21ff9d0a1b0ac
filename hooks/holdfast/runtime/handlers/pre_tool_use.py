"""PreToolUse on Agent: where nobody is at the screen, agents run in the foreground.

Only there can an over-long report be replaced; and nobody waits for the prompt to come back. Agents that are
launched in one message still run in parallel.
"""

import os

from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.runtime.notices import unattended
from holdfast.runtime.session import Session
from holdfast.store import calls


def handle(event: Event, session: Session) -> Reply:
    """The call's input with `run_in_background` off, or nothing."""
    inputs = event.mapping("tool_input")
    stays = not unattended(os.environ) or session.config["handoff.background"] == "leave"
    if (
        stays
        or not inputs
        or event.text("tool_name") not in calls.AGENT_TOOLS
        or inputs.get("run_in_background") is False
    ):
        return NOTHING
    return Reply(inputs={**inputs, "run_in_background": False})
