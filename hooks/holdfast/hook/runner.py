"""The ordinary road: stdin -> event -> handler -> reply -> stdout, and its error boundary.

Whatever goes wrong in here, a hook ends with 0 and prints nothing; what it was stands in `logs/faults.log`
(session/faults.py), and `holdfast doctor` shows it.
"""

import os
import time

from holdfast.errors import Refused
from holdfast.hot import presence, provenance
from holdfast.hot.paths import InState
from holdfast.hot.patterns import matches
from holdfast.session import context as sessions
from holdfast.session import hook_log
from holdfast.session.context import Session
from holdfast.session.event import Event, parse_event
from holdfast.session.faults import log_current_fault
from holdfast.session.reply import NOTHING, Reply, encode


def step_aside(raw: bytes) -> str:
    """What the plugin says at a start where the drop-in speaks: that it steps aside, once for a project."""
    if os.environ.get("HOLDFAST_OFF") == "1":
        return ""
    told = (
        "Holdfast is here twice, dropped into this project and as a plugin. The plugin steps aside here; its skills and"
        f" agents are listed a second time until you run in a terminal here: {presence.DISABLE}"
    )
    state = sessions.usable_state(parse_event(raw, "SessionStart").cwd)
    provenance.real_folder(state)  # the drop-in makes it too, at the same time
    return "" if sessions.told_before(state, InState.TWICE, told) else encode(Reply(user=told), "SessionStart")


def answer(name: str, raw: bytes, call: int = 0) -> str:
    """Text for stdout. `call` is this tool call's number where the hot road has counted it already."""
    try:
        event = parse_event(raw, name)
        return encode(dispatch(event, call), name)
    except Refused as error:
        log_current_fault(name, raw)
        return encode(Reply(user=f"Holdfast is off here: {error}"), name) if name == "SessionStart" else ""
    except BaseException:  # noqa: BLE001 - the error boundary: a hook never disturbs a session
        log_current_fault(name, raw)
        return ""


def dispatch(event: Event, call: int = 0) -> Reply:
    """The handler's reply to an event, and what it took into the session's log."""
    if event.name == "SessionEnd" and not sessions.was_seen(event):  # `claude mcp list` ends one that never began
        return NOTHING
    spent = time.process_time()  # by the interpreter's start and the imports
    session = sessions.open_session(event, time.time(), call)
    presence.speaks(session.folder)  # at a session's first event the folder was not there yet
    reply = reply_to(event, session)
    kind = next(filter(None, map(event.text, ("source", "trigger", "tool_name", "agent_type"))), "")
    taken = (spent + time.time() - session.now) * 1_000
    context = reply.context or reply.block * (event.name == "SubagentStop")  # of a prompt the user reads why
    entry = hook_log.HookRun(session.now, event.name, kind, taken, len(context), len(reply.plain))
    hook_log.note(session.folder, entry)
    return reply


def reply_to(event: Event, session: Session) -> Reply:
    """What the event's module answers; NOTHING for one that is switched off.

    A sub-agent's own starts, ends and compactions are none of the session's.
    """
    of_the_session = ("SessionStart", "PreCompact", "PostCompact", "Stop", "SessionEnd")
    if matches(event.name, session.config["hooks.off"]) or (event.in_subagent and event.name in of_the_session):
        return NOTHING
    handler = __import__(handler_of(event.name), fromlist=["handle"])
    reply: Reply = handler.handle(event, session)
    return reply


def handler_of(event: str) -> str:
    """The module that handles it: PostToolUse -> holdfast.hook.on.post_tool_use."""
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event)
    return f"holdfast.hook.on.{name[1:]}"
