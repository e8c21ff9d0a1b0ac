from typing import Any

import pytest

from holdfast.memory import issues
from tests.memory.memories import record
from tests.worklog.states import after, bash

BOOM = "Exit code 1\nFailed to compile"


def found(shown: str, *ran: tuple[str, str], **content: Any) -> dict[str, str]:
    """Of an open issue of a failed check; what prints as BOOM does has failed."""
    known = {"description": "x", "severity": "high", "reproduction_steps": shown, **content}
    issue = record("issue", 1, tags=["error"], content=known)
    work = after(*(bash(command, printed, failed=printed.startswith("Exit code")) for command, printed in ran))
    return issues.found(issue, work, "now")


def test_the_same_command_resolves_it() -> None:
    assert found("npm run build", ("npm run build", "built")) == {
        "status": "resolved",
        "investigation_status": "resolved now: `npm run build`: exit 0",
    }


@pytest.mark.parametrize(
    ("shown", "ran", "told"),
    [
        ("pytest x", "pytest", 'exit 0, "9 passed"'),
        ("pytest x", "pytest x | tail -3", 'exit not known, "9 passed"'),
        ("npm run build", "npm run build:all && npm run build --prod", "exit 0"),
    ],
)
def test_what_may_have_answered_it_has_it_go_silent(shown: str, ran: str, told: str) -> None:
    now = found(shown, (ran, "9 passed" if "test" in ran else "built"))
    assert (now["severity"], now["investigation_status"].endswith(told)) == ("medium", True)
    assert now["investigation_status"].startswith("may be over, now: `")


@pytest.mark.parametrize(
    ("shown", "ran"),
    [
        ("npm run build", [("npm run build 2>&1 | tail -20", "Failed to compile")]),
        ("npm run build", [("npm run build --help", "")]),
        ("mypy src", [("mypy src | tail -1", "Found 3 errors")]),
        ("pytest x", [("pytest", "9 passed"), ("pytest x", BOOM)]),
        ("pytest x", [("pytest x", "9 passed"), ("python -m pytest -v x", BOOM)]),
        ("pytest x", [("git stash", ""), ("pytest", "9 passed")]),
        ("pytest x", [("ruff check .", "")]),
    ],
)
def test_what_tells_nothing_of_it_leaves_it(shown: str, ran: list[tuple[str, str]]) -> None:
    assert found(shown, *ran) == {}


@pytest.mark.parametrize("severity", ["critical", "low"])
def test_only_what_a_start_tells_goes_silent(severity: str) -> None:
    assert found("pytest x", ("pytest", "9 passed"), severity=severity) == {}


def test_what_fails_again_is_told_again() -> None:
    doubted = {"severity": "medium", "investigation_status": "may be over, then: `pytest`: exit 0"}
    assert found("pytest x", ("pytest x", BOOM), **doubted)["severity"] == "high"
