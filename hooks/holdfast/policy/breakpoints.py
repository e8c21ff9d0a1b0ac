"""Is this tool call a natural breakpoint, a moment when compacting costs least?

Rule: a commit that was made, tests that pass after edits, a to-do list with nothing left open, a sub-agent's
return. Source: requirement H2.
"""

from typing import Any

from holdfast.policy.commands import TEST_COMMAND, commit_made

COMMAND_CHARS = 2_000  # what a command does stands at its start; a script given inline may be very long


def name(tool: str, inputs: dict[str, Any], response: Any, edited: bool) -> str:
    """What the breakpoint is, for the message; "" when it is none. `edited`: files changed since the commit."""
    finder = _FINDERS.get(tool)
    return finder(inputs, response, edited) if finder else ""


def _bash(inputs: dict[str, Any], response: Any, edited: bool) -> str:
    command = str(inputs.get("command") or "")[:COMMAND_CHARS]
    printed = str(response.get("stdout") or "") if isinstance(response, dict) else ""
    if commit_made(command, printed):
        return "a commit"
    return "green tests" if edited and TEST_COMMAND.search(command) else ""


def _todos(inputs: dict[str, Any], response: Any, edited: bool) -> str:
    items = inputs.get("todos")
    if not isinstance(items, list) or not items:
        return ""
    finished = all(isinstance(item, dict) and item.get("status") == "completed" for item in items)
    return "a finished to-do list" if finished else ""


def _agent(inputs: dict[str, Any], response: Any, edited: bool) -> str:
    done = isinstance(response, dict) and response.get("status") == "completed"
    return "a sub-agent's return" if done else ""


_FINDERS = {"Bash": _bash, "TodoWrite": _todos, "Agent": _agent, "Task": _agent}
