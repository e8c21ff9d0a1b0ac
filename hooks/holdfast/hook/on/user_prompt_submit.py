"""UserPromptSubmit beyond the common case: a background agent reports, a correction waits, a memory is called up.

The report stands in the prompt itself, which no hook can rewrite. A report that is over the limit even after it
was sent back twice is therefore dropped here and delivered condensed by the wake-up hook (handoff/wakeup.py), which
works only where somebody is at the screen; unattended runs have no background agents (handlers/pre_tool_use.py).
"""

import os

from holdfast.compaction import outbox
from holdfast.handoff import hooks
from holdfast.handoff.notifications import agent_of, attended, is_alone, tag
from holdfast.hot import paths, thresholds
from holdfast.hot.files import read_text, size_of
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply
from holdfast.text.lines import one_line


def handle(event: Event, session: Session) -> Reply:
    """What waits goes along with a prompt that reaches the model; a dropped one leaves it waiting."""
    reply = _returned(event, session)
    waiting = "" if reply.block else outbox.deliver(event, session)
    return reply._replace(context="\n\n".join(filter(None, (waiting, reply.context, _recalled(event, session)))))


def _recalled(event: Event, session: Session) -> str:
    """The memories that the user's own words call up; a report's words are not the user's."""
    words = str(thresholds.load(session.path(paths.GATE)).get("recall") or "")
    if agent_of(event.text("prompt")) or size_of(words) <= 0:
        return ""
    from holdfast.memory import hooks as memory  # only a project with a memory needs it

    return memory.prompt(event, session)


def _returned(event: Event, session: Session) -> Reply:
    """Note a background agent's return; keep an over-long one out of the window."""
    prompt = event.text("prompt")
    agent = agent_of(prompt)
    if not agent or not is_alone(prompt):
        return NOTHING
    head = prompt[: prompt.find("<result>")]
    result, task = tag(prompt, "result"), one_line(tag(head, "summary"), 80)
    condensed = read_text(hooks.path_of(session, agent, hooks.CONDENSED))
    hooks.absorb(session, agent, task, condensed or result)
    if condensed and attended(os.environ) and session.config["handoff.background"] == "auto":
        return Reply(block=f"Holdfast: {task}; its report was over the limit and is delivered condensed.")
    report = hooks.current_report(session, agent)
    if report and report not in prompt:
        return Reply(context=f"Holdfast: the full report of this agent is at {report}")
    return NOTHING
