"""What a session leaves open, and which open issues it has seen to."""

from typing import Any

import pytest
from hypothesis import given, settings

from holdfast.memory import open_items as policy
from holdfast.memory.record import Record, check
from tests.worklog.states import SESSIONS, after, bash, edit, todos, told, user

ID, TIME = "12345678-1234-4123-8123-123456789abc", "2026-11-04T14:32:00Z"


def unfinished(*steps: Any) -> list[dict[str, Any]]:
    """Drafts of what is left open."""
    return policy.unfinished(after(*steps))


def issue(**content: str) -> Record:
    """An open issue of the memory."""
    given = {"id": ID, "time": TIME, "kind": "issue", "title": "an issue", "content": {"severity": "high", **content}}
    return check(given)


def test_an_open_error_is_an_issue_in_the_tools_words() -> None:
    """Untrusted, with the command that shows it; a failing check is grave, and one that passes again is gone."""
    (issue, _) = unfinished(edit("/p/a.py"), bash("pytest -q", "AssertionError: 3 == 4\n1 failed", failed=True))
    assert (issue["kind"], issue["trust"], issue["content"]["severity"]) == ("issue", "untrusted", "high")
    assert issue["content"]["reproduction_steps"] == "pytest -q"
    assert "AssertionError: 3 == 4" in issue["content"]["description"]
    fixed = unfinished(edit("/p/a.py"), bash("pytest -q", "1 failed", failed=True), bash("pytest -q", "1 passed"))
    assert [draft["kind"] for draft in fixed] == ["state"]


def test_a_bug_that_was_named() -> None:
    """Its level as far as it is said; data loss is critical; one that was fixed is not remembered."""
    found = unfinished(
        told("BUG-12: the export drops rows, data loss on every retry."), told("BUG-13 (low): a typo in the footer")
    )
    assert [draft["content"]["severity"] for draft in found] == ["critical", "low"]
    assert (
        unfinished(
            told("BUG-12: the export drops rows on every retry"), told("I have fixed BUG-12 in the exporter now")
        )
        == []
    )


def test_an_issue_of_a_number_is_one_like_a_bug() -> None:
    """And talk of its repair opens no second one."""
    (issue,) = unfinished(told("ISSUE-12: upload fails for files over 2 GB."), told("We saw ISSUE-12 before."))
    assert issue["content"]["description"] == "ISSUE-12: upload fails for files over 2 GB."
    for said in ("Once we refactor, BUG-13 will be fixed by itself.", "BUG-13 should be fixed next week."):
        assert unfinished(told(said)) == []


def test_marked_lines_alone_leave_a_state() -> None:
    """What comes next and what blocks it, without a change or a plan."""
    plan = "Next steps:\n1. wire the retry queue\n2. add metrics to it\n\nBlocked by: missing credentials of the vendor"
    (state,) = unfinished(user("Plan the migration"), told(plan))
    assert state["content"]["next_actions"] == ["wire the retry queue", "add metrics to it"]
    assert state["content"]["blockers"] == ["missing credentials of the vendor"]
    (state,) = unfinished(user("Plan the migration"), told("TODO: write the migration for orders."))
    assert state["content"]["next_actions"] == ["write the migration for orders."]


def test_the_state_says_what_is_done_and_what_remains() -> None:
    """From the plan as it stands."""
    (state,) = unfinished(
        user("Move the mails to the queue"),
        todos(
            ("write the worker", "completed"),
            ("wire it", "in_progress"),
            ("document it", "pending"),
            ("drop it", "cancelled"),
        ),
        told("TODO: ask about the retention of dead letters"),
    )
    content = state["content"]
    assert content["task_description"] == "Move the mails to the queue"
    assert content["completion_percentage"] == 33
    assert content["substeps_completed"] == ["write the worker"]
    assert content["substeps_remaining"] == ["wire it", "document it"]
    assert content["next_actions"] == ["wire it", "ask about the retention of dead letters", "document it"]


def test_a_mere_question_leaves_no_state() -> None:
    """So it does not take the place of the work that an earlier session left."""
    assert unfinished(user("What does the parser do?"), told("It parses.")) == []


def test_what_a_tool_said_stands_in_no_state() -> None:
    """A state is the assistant's: of a failed command it names the command only."""
    (_, state) = unfinished(edit("/p/a.py"), bash("pytest -q", "AssertionError: obey me\n1 failed", failed=True))
    assert state["content"]["blockers"] == ["pytest -q fails"]


@pytest.mark.parametrize(
    ("steps", "resolved"),
    [
        ([bash("pytest -q tests/a.py", "3 passed")], True),
        ([bash("pytest -q", "300 passed")], True),
        ([bash("pytest -q tests/b.py", "3 passed")], False),
        ([bash("pytest -q tests/a.py", "1 failed", failed=True)], False),
        ([], False),
    ],
    ids=["its command works", "all tests pass", "another test passes", "it fails still", "nothing was done"],
)
def test_an_issue_is_resolved_by_its_command(steps: list[Any], resolved: bool) -> None:
    """Or one that runs more than it."""
    found = policy.resolution(issue(description="it fails", reproduction_steps="pytest -q tests/a.py"), after(*steps))
    assert bool(found) is resolved


@pytest.mark.parametrize(
    ("said", "resolved"),
    [
        ("I have fixed BUG-12 in the exporter now", True),
        ("BUG-12 is not fixed by this change at all", False),
        ("I have fixed BUG-123 in the exporter now", False),
        ("Once BUG-12 is fixed we can ship the exporter", False),
    ],
)
def test_an_issue_is_resolved_by_a_word(said: str, resolved: bool) -> None:
    """Of its number, and only when it says so."""
    assert bool(policy.resolution(issue(description="BUG-12: rows are lost"), after(told(said)))) is resolved


@given(SESSIONS)
@settings(max_examples=25)
def test_every_draft_is_a_record(work: dict[str, Any]) -> None:
    """Of any session: the record's own check accepts it, and nothing of a tool is more than an issue."""
    for draft in policy.unfinished(work):
        record = check({**draft, "id": ID, "time": TIME})
        assert record.kind in ("issue", "state")
        assert record.kind == "issue" or record.trust == "semi_trusted"
        assert policy.resolution(record, after()) == ""
