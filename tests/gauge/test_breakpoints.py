from typing import Any

import pytest

from holdfast.gauge import breakpoints
from holdfast.worklog import fold

COMMITTED = {"stdout": "[main 1234abc] Fix\n 1 file changed"}


@pytest.mark.parametrize(
    ("tool", "inputs", "response", "edited", "expected"),
    [
        ("Bash", {"command": "git commit -m x"}, COMMITTED, True, "a commit"),
        ("Bash", {"command": "git commit -m x"}, {"stdout": "nothing to commit"}, True, ""),
        ("Bash", {"command": "git -C a commit -m x"}, COMMITTED, False, "a commit"),
        ("Bash", {"command": "cat log"}, COMMITTED, True, ""),
        ("Bash", {"command": "pytest -q"}, {"stdout": "3 passed"}, True, "green tests"),
        ("Bash", {"command": "pytest -q"}, {"stdout": "3 passed"}, False, ""),
        ("Bash", {"command": "pytest -q 2>&1 | tail -5"}, {"stdout": "1 failed, 9 passed in 0.30s"}, True, ""),
        ("TodoWrite", {"todos": [{"status": "completed"}]}, {}, False, "a finished to-do list"),
        ("TodoWrite", {"todos": [{"status": "completed"}, {"status": "pending"}]}, {}, False, ""),
        ("TodoWrite", {"todos": []}, {}, False, ""),
        ("Agent", {}, {"status": "completed"}, False, "a sub-agent's return"),
        ("Task", {}, {"status": "async_launched"}, False, ""),
        ("Read", {}, {}, True, ""),
    ],
)
def test_what_is_a_breakpoint(tool: str, inputs: dict[str, Any], response: Any, edited: bool, expected: str) -> None:
    """A commit that was made, green tests after edits, a finished list, a return; nothing else."""
    assert breakpoints.name(tool, inputs, response, {**fold.empty(), "dirty": edited}) == expected


@pytest.mark.parametrize("odd", [None, 5, "text", [], [1], {"stdout": 5}, {"todos": "x"}, {"todos": [None]}], ids=str)
@pytest.mark.parametrize("tool", ["Bash", "TodoWrite", "Agent", "x"])
def test_odd_shapes_are_no_breakpoint(tool: str, odd: Any) -> None:
    """Another shape of input or response is never an error."""
    inputs = odd if isinstance(odd, dict) else {"command": odd, "todos": odd}
    assert breakpoints.name(tool, inputs, odd, {**fold.empty(), "dirty": True}) == ""


def test_a_long_command_is_judged_by_its_beginning() -> None:
    """A command of many words must not take long: the search is over its first part only."""
    assert breakpoints.name("Bash", {"command": "git " * 60_000}, COMMITTED, fold.empty()) == ""


@pytest.mark.parametrize(
    ("other", "status", "expected"),
    [
        ("completed", "completed", "a finished to-do list"),
        ("deleted", "completed", "a finished to-do list"),
        ("pending", "completed", ""),
        ("completed", "in_progress", ""),
    ],
)
def test_the_last_task_finishes_the_list(other: str, status: str, expected: str) -> None:
    """With the task tools too: this update ends the list when nothing else is open."""
    tasks = {"1": {"text": "a", "status": other}, "2": {"text": "b", "status": "in_progress"}}
    work = {**fold.empty(), "tasks": tasks}
    assert breakpoints.name("TaskUpdate", {"taskId": "2", "status": status}, {}, work) == expected
