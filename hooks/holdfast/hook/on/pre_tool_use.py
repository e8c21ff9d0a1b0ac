"""PreToolUse on Agent: where nobody is at the screen, agents run in the foreground; and may they run side by side?

Only in the foreground can an over-long report be replaced, and nobody waits for the prompt to come back. Agents that
are launched in one message still run in parallel, so the gate looks at them together (engine/shared/gate.py).
"""

import os

from holdfast.handoff import running_agents
from holdfast.handoff.notifications import unattended
from holdfast.hot import call_log
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """The call's input with `run_in_background` off, what the gate has to say, or nothing."""
    inputs = event.mapping("tool_input")
    if not inputs or event.text("tool_name") not in call_log.AGENT_TOOLS:
        return NOTHING
    stays = not unattended(os.environ) or session.config["handoff.background"] == "leave"
    background = stays and inputs.get("run_in_background") is not False
    changed = None if stays or inputs.get("run_in_background") is False else {**inputs, "run_in_background": False}
    return _gated(event, session, background, Reply(inputs=changed))


def _gated(event: Event, session: Session, background: bool, reply: Reply) -> Reply:
    """The reply with the gate's advice, once for a batch; a refusal takes its place where that is configured."""
    mode = session.config["gate.mode"]
    if mode == "off" or event.in_subagent:
        return reply
    running = running_agents.note(event, session, background)
    if len(running) < 2:
        return reply
    from holdfast.handoff import fanout

    found = fanout.judged(event, session, running)
    if found is not None and mode == "block":
        return Reply(block=found.text)
    return reply._replace(context=found.text) if found is not None and session.once(found.key) else reply
