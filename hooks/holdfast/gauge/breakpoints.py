"""Is this tool call a natural breakpoint, a moment when compacting costs least?

Rule: a commit that was made, tests that pass after edits, a to-do list with nothing left open, a sub-agent's
return. Source: requirement H2.
"""

from collections.abc import Mapping
from typing import Any

from holdfast.transcript.commands import TEST_COMMAND, commit_made, tests_passed

COMMAND_CHARS = 2_000  # what a command does stands at its start; a script given inline may be very long


def name(tool: str, inputs: dict[str, Any], response: Any, work: Mapping[str, Any]) -> str:
    """What the breakpoint is, for the message; "" when it is none. `work`: the worklog before this call."""
    finder = _FINDERS.get(tool)
    return finder(inputs, response, work) if finder else ""


def _bash(inputs: dict[str, Any], response: Any, work: Mapping[str, Any]) -> str:
    command = str(inputs.get("command") or "")[:COMMAND_CHARS]
    printed = str(response.get("stdout") or "") if isinstance(response, dict) else ""
    if commit_made(command, printed):
        return "a commit"
    green = work["dirty"] and TEST_COMMAND.search(command) and tests_passed(printed)
    return "green tests" if green else ""


def _todos(inputs: dict[str, Any], response: Any, work: Mapping[str, Any]) -> str:
    items = inputs.get("todos")
    if not isinstance(items, list) or not items:
        return ""
    finished = all(isinstance(item, dict) and item.get("status") == "completed" for item in items)
    return "a finished to-do list" if finished else ""


def _agent(inputs: dict[str, Any], response: Any, work: Mapping[str, Any]) -> str:
    done = isinstance(response, dict) and response.get("status") == "completed"
    return "a sub-agent's return" if done else ""


def _task(inputs: dict[str, Any], response: Any, work: Mapping[str, Any]) -> str:
    states = {number: task["status"] for number, task in work["tasks"].items()}
    states[str(inputs.get("taskId") or "")] = str(inputs.get("status") or "")
    return "a finished to-do list" if set(states.values()) <= {"completed", "deleted"} else ""


_FINDERS = {"Bash": _bash, "TodoWrite": _todos, "TaskUpdate": _task, "Agent": _agent, "Task": _agent}
