"""Where every hook begins; and the hot events' common case: note the call, look at a few numbers, end.

Nothing is decided here. The last warm hook left a few numbers (hot/thresholds.py); when one of them is crossed, the
event takes the ordinary road. Whatever goes wrong, the process prints nothing and ends with 0, or with 1 where the log
of faults cannot be imported: the launcher then looks after what is compiled. A test holds the imports to the lean
modules below: the whole costs 1.1 times a bare interpreter (`holdfast bench hooks`).
"""

import time

from holdfast import TYPE_CHECKING
from holdfast.hot import call_log, presence, thresholds, usage_tail
from holdfast.hot.files import jot, os, read_bytes, read_fd, say, size_of
from holdfast.hot.jsonc import loads_object
from holdfast.hot.paths import InSession, state_folder
from holdfast.hot.presence import session_of, text

if TYPE_CHECKING:
    from typing import Any, NoReturn


def main(event: str) -> "NoReturn":
    """Handle one event from stdin and end the process."""
    code = 0
    try:
        raw = read_fd(0)  # also when nothing is to be done: the client counts an unread input as a fault
        fields = loads_object(raw, as_is=True)
        if not presence.silent(fields):
            ROADS.get(event, _ordinary)(event, raw, fields)
        elif event == "SessionStart":
            from holdfast.hook.runner import step_aside

            say(step_aside(raw))
    except BaseException:  # noqa: BLE001 - the last error boundary: a hook never disturbs a session
        code = log_fault(event)
    os._exit(code)  # noqa: SLF001 - skips the interpreter's tear-down, 1.3 ms of 9


def log_fault(event: str) -> int:
    """Log what went wrong, where that can still be imported; 1 where it cannot."""
    try:
        from holdfast.session.faults import log_current_fault

        log_current_fault(event)
    except Exception as error:  # noqa: BLE001 - nothing is left to tell it to
        from holdfast.session import compiled

        compiled.drop_torn(error.__traceback__)
        return 1
    return 0


def _ordinary(event: str, raw: bytes, _: object = None, call: int = 0) -> None:
    from holdfast.hook.runner import answer

    say(answer(event, raw, call=call))


def _hide_again(fields: "dict[str, Any]") -> None:
    """A pull may have brought ignore files: they are renewed before the next command or the user's commit."""
    from holdfast.hot import provenance

    provenance.hide_again(state_folder(text(fields, "cwd")))


def post_tool_use(event: str, raw: bytes, fields: "dict[str, Any]") -> None:
    """Count the call; digest a large result; enter the ordinary road at a mark."""
    session, tool = session_of(fields), text(fields, "tool_name")
    found = thresholds.load(f"{session}/{InSession.THRESHOLDS}")
    if not found:  # no warm hook has run here yet, or the folder cannot be written
        return _ordinary(event, raw)
    if event in found["off"]:
        return None
    call, crossed = 0, tool in call_log.AGENT_TOOLS
    if found.get("team"):
        presence.note(found["team"], session, fields)
        crossed = crossed or (tool == "Bash" and bool(presence.changed_by_command(found["team"], session, fields)))
    if tool == "Bash" and b"git " in raw:
        _hide_again(fields)
    if not fields.get("agent_id"):
        tokens, _ = usage_tail.newest(text(fields, "transcript_path"))
        try:
            call = call_log.record(f"{session}/{InSession.CALLS}", call_log.line(time.time(), tokens, tool))
        except FileNotFoundError:  # somebody cleared the folder; the ordinary road makes it again
            return _ordinary(event, raw)
        crossed = crossed or call >= found["next_check_call"] or 0 < found["next_zone_tokens"] <= tokens
        crossed = crossed or bool(found["check_at_breakpoint"] and _may_be_breakpoint(tool, raw))
        crossed = crossed or bool(found.get("queue"))
    else:
        jot(f"{session}/{InSession.AGENTS_CALLS}", b".", os.O_APPEND)  # its size is their number
    crossed = crossed or (tool == "Read" and b"/packages/HO-" in raw)  # a handoff package is received by reading it
    if event == "PostToolUseFailure":
        crossed = crossed or b" characters truncated] ..." in raw  # the client's own words (2.1.329)
    if crossed:
        return _ordinary(event, raw, call=call)
    if len(raw) >= found["digest_bytes"]:
        from holdfast.digest.hooks import answer

        return say(answer(fields, session, found))
    return None


def _may_be_breakpoint(tool: str, raw: bytes) -> bool:
    """Cheap guess; the policy decides with the whole event in hand."""
    return tool in ("TodoWrite", "TaskUpdate") or (tool == "Bash" and (b"commit" in raw or b"test" in raw))


def pre_tool_use(event: str, raw: bytes, fields: "dict[str, Any]") -> None:
    """Nothing, unless an agent is to start, an edit is to be made where somebody else is at work, or a sub-agent is to
    write knowledge. Of commands only those come that name this pack (hooks.json).
    """
    tool, agent = text(fields, "tool_name"), text(fields, "agent_id")
    if tool not in call_log.AGENT_TOOLS:
        session = session_of(fields)
        found = thresholds.load(f"{session}/{InSession.THRESHOLDS}")
        team = found.get("team")
        if not team or tool not in (*presence.EDITS, "Bash") or event in found["off"]:
            return None
        kept = agent and (tool == "Bash" or "/.claude/holdfast/" in presence.touched(fields))
        if not kept and (tool == "Bash" or not (found.get("asks") or presence.others(team, session, agent))):
            return None
    return _ordinary(event, raw)


def user_prompt_submit(event: str, raw: bytes, fields: "dict[str, Any]") -> None:
    """Nothing, unless a background agent reports, something waits to be delivered, or a memory may be called up."""
    found = thresholds.load(f"{session_of(fields)}/{InSession.THRESHOLDS}")
    if event in found.get("off", ()):
        return
    if found:
        _hide_again(fields)
    if b"<task-notification>" in raw or found.get("queue") or (found.get("recall") and _tells(found["recall"], fields)):
        _ordinary(event, raw)


def _tells(path: str, fields: "dict[str, Any]") -> bool:
    """Cheap guess; the policy decides with the memories in hand. There may be none yet."""
    if size_of(path) <= 0:
        return False
    from holdfast.hot import prompt_match

    prompt = text(fields, "prompt")[: prompt_match.LONGEST].encode("utf-8", "replace")
    return prompt_match.weight(read_bytes(path), prompt) >= prompt_match.ENOUGH


def subagent_start(event: str, raw: bytes, fields: "dict[str, Any]") -> None:
    """Give the sub-agent the protocol that the last warm hook compiled, with its own limit."""
    session, kind = session_of(fields), text(fields, "agent_type")
    found = thresholds.load(f"{session}/{InSession.THRESHOLDS}")
    if not found or (found.get("team") and _has_company(found["team"], session, fields)):
        return _ordinary(event, raw)
    from holdfast.hot.patterns import limit_for

    limit = limit_for(found["handoff_limits"], kind)
    if kind and limit and event not in found["off"]:
        from holdfast.hot import provenance

        made, _, protocol = read_bytes(f"{session}/{InSession.SUBAGENT}").partition(b"\n")
        if not provenance.bears(session, made.decode("utf-8", "replace")):  # none yet, or a pull has brought another
            return _ordinary(event, raw)
        say(protocol.replace(b"@LIMIT@", b"%d" % limit))
    return None


def _has_company(team: str, session: str, fields: "dict[str, Any]") -> bool:
    """Whether a new agent is not alone here; it is entered."""
    agent = text(fields, "agent_id")
    try:
        presence.sign(team, session, agent, text(fields, "agent_type"))
    except OSError:  # a disk that refuses: the agent starts as any other
        pass
    return presence.others(team, session, agent)


def status_line(event: str, raw: bytes, fields: "dict[str, Any]") -> None:
    """The gauge's one line."""
    from holdfast.gauge.status_line import line

    if fields:
        say(line(fields, session_of(fields), time.time()))


ROADS = {
    "PreToolUse": pre_tool_use,
    "PostToolUse": post_tool_use,
    "PostToolUseFailure": post_tool_use,
    "UserPromptSubmit": user_prompt_submit,
    "SubagentStart": subagent_start,
    "StatusLine": status_line,
}
