"""Is this tool call a natural breakpoint, a moment when compacting costs least?

Rule: a commit that was made, tests that pass after edits, a to-do list with nothing left open, a sub-agent's
return. Source: requirement H2.
"""

from typing import Any

from holdfast.transcript.commands import TEST_COMMAND, commit_made, tests_passed
from holdfast.worklog.model import Worklog

LIST_DONE = "a finished to-do list"


def name(tool: str, inputs: dict[str, Any], response: Any, work: Worklog) -> str:
    """What the breakpoint is, for the message; "" when it is none. `work`: the worklog before this call."""
    result = response if isinstance(response, dict) else {}
    open_items: list[object] = [None]
    match tool:
        case "Bash":
            start = str(inputs.get("command") or "")[:2_000]  # a script given inline may be very long
            return _command(start, str(result.get("stdout") or ""), work)
        case "Agent" | "Task":
            return "a sub-agent's return" if result.get("status") == "completed" else ""
        case "TodoWrite" if isinstance(items := inputs.get("todos"), list) and items:
            open_items = [one for one in items if not isinstance(one, dict) or one.get("status") != "completed"]
        case "TaskUpdate":
            tasks = {number: task["status"] for number, task in work["tasks"].items()}
            tasks[str(inputs.get("taskId") or "")] = str(inputs.get("status") or "")
            open_items = [status for status in tasks.values() if status not in ("completed", "deleted")]
    return "" if open_items else LIST_DONE


def _command(command: str, printed: str, work: Worklog) -> str:
    if commit_made(command, printed):
        return "a commit"
    green = work["dirty"] and TEST_COMMAND.search(command) and tests_passed(printed)
    return "green tests" if green else ""
