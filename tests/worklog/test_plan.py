from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint.sections import plan_lines
from holdfast.worklog import model, plan
from holdfast.worklog.model import Worklog
from tests.worklog import states
from tests.worklog.states import Rows, after, attached, did, result, user


def listed(state: Worklog, *items: tuple[str, str]) -> Worklog:
    plan.written(state, {"todos": [{"content": text, "status": status} for text, status in items]})
    return state


def stands(state: Worklog) -> dict[str, str]:
    return {item["text"]: item["status"] for item in plan.items(state)}


@given(st.lists(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["pending", "completed"])), max_size=5)))
def test_nothing_open_is_lost_and_nothing_is_done_by_itself(history: list[list[tuple[str, str]]]) -> None:
    """After any history of lists: the newest one stands, and what it no longer has was left over or finished."""
    state, open_now = model.empty(), set[str]()
    for items in history:
        listed(state, *items)
        open_now = (open_now | {text for text, _ in items}) - {text for text, status in items if status == "completed"}
    newest = dict(history[-1]) if history else {}
    assert stands(state) == newest
    assert set(state["left_over"]) <= open_now - newest.keys() | {text for items in history for text, _ in items}
    assert not set(state["left_over"]) & newest.keys()


def test_an_item_that_vanishes_unfinished_is_left_over_until_it_comes_back() -> None:
    """A finished one was tidied away; in the list or as a task it is on again."""
    state = listed(model.empty(), ("Write the parser", "completed"), ("Port the importer", "pending"))
    listed(state, ("Write the parser", "completed"), ("Document flags", "pending"))
    assert state["left_over"] == ["Port the importer"]
    listed(state, ("Document flags", "completed"), ("Port the importer", "pending"))
    assert state["left_over"] == []
    listed(state)
    plan.created(state, "Port the importer", "Task #1 created successfully")
    assert state["left_over"] == []


def test_a_list_that_was_replaced_whole_leaves_nothing_over() -> None:
    """Another list took its place; one that was merely emptied is still open until then."""
    state = listed(model.empty(), ("Commit 1", "pending"), ("Commit 2", "pending"))
    listed(state)
    assert state["left_over"] == ["Commit 1", "Commit 2"]
    assert listed(state, ("Draw lanes", "pending"))["left_over"] == []
    listed(state, ("Test lanes", "pending"))
    assert (stands(state), state["left_over"]) == ({"Test lanes": "pending"}, [])


def test_a_finished_list_settles_what_was_left_over_before() -> None:
    """To-dos and tasks; what vanishes with that very list is still left over."""
    for finish in ("todos", "tasks"):
        state = listed(model.empty(), ("a", "pending"), ("b", "pending"), ("c", "pending"))
        assert listed(state, ("b", "in_progress"), ("c", "pending"))["left_over"] == ["a"]
        if finish == "todos":
            assert listed(state, ("b", "completed"))["left_over"] == ["c"]
        else:
            plan.created(state, "d", "Task #1 created successfully")
            plan.updated(state, "1", "in_progress")
            assert state["left_over"] == ["a"]
            plan.updated(state, "1", "completed")
            assert state["left_over"] == []


def test_tasks_by_their_numbers() -> None:
    """The client's number decides; a task without one comes after the others; an unknown one is passed over."""
    state = model.empty()
    plan.created(state, "one", "Task #7 created successfully: one")
    plan.created(state, "two", "odd")
    plan.updated(state, "7", "in_progress", "one, but better")
    plan.updated(state, "8", "deleted")
    plan.updated(state, "99", "completed")
    assert stands(state) == {"one, but better": "in_progress", "two": "cancelled"}


MAIL = '<teammate-message teammate_id="tester" color="blue">\n{}\n</teammate-message>'
DONE = '{"type": "task_completed", "from": "tester", "taskId": "1", "taskSubject": "mend alpha"}'
IDLE = '{"type": "idle_notification", "from": "t", "completedTaskId": "1", "completedStatus": "%s"}'
ENDS = states.call("TaskUpdate", taskId="1", status="completed")
LIST = [{"id": "1", "subject": "mend alpha", "status": "completed", "blockedBy": []}]


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        (did("TaskUpdate", "Updated task #1 status", taskId="1", status="completed"), "completed"),
        (ENDS, "pending"),
        (did("TaskUpdate", "no", True, taskId="1", status="completed"), "pending"),
        ([*ENDS, *result("x", told={"success": False})], "pending"),
        ([*states.call("TaskList"), *result("#1 [completed]", told={"tasks": LIST})], "completed"),
        (attached("task_reminder", content=LIST), "completed"),
        (user(MAIL.format(DONE)), "completed"),
        (user(MAIL.format(IDLE % "resolved")), "completed"),
        (user(MAIL.format(IDLE % "blocked")), "pending"),
        (user(f"{MAIL.format('Hello')}\n{MAIL.format(DONE)}"), "completed"),
        (user(MAIL.replace('"blue"', '"blue" verified="false"').format(DONE)), "pending"),
        (user(DONE), "pending"),
        (attached("teammate_mailbox", messages=[{"from": "t", "text": DONE}, 5]), "completed"),
    ],
)
def test_results_and_team_mates_end_tasks(steps: Rows, status: str) -> None:
    """What the client says of its list, and a verified report of another agent; a mere call ends nothing."""
    assert [item["status"] for item in plan.items(after(states.task(1, "mend alpha"), steps))] == [status]


def test_how_a_task_ended_stands_behind_it() -> None:
    """A skipped one is ticked off too; a description that changes no state says nothing of it."""
    update: dict[str, Any] = {"taskId": "1", "description": "SKIPPED: a helper would hide more than it saves"}
    state = after(states.task(1, "mend alpha"), did("TaskUpdate", "Updated task #1", **update))
    assert "- planned: mend alpha" in plan_lines(state)
    state = after(states.task(1, "mend alpha"), did("TaskUpdate", "Updated task #1", status="completed", **update))
    assert plan_lines(state) == ["- ticked off as done: mend alpha (SKIPPED: a helper would hide more than it saves)"]


def test_a_list_that_is_older_than_an_edit_says_so() -> None:
    state = after(states.task(1, "mend alpha"), did("Edit", "ok", file_path="/p/a.py"))
    assert plan_lines(state)[0] == "- planned: mend alpha (whole list last changed before the last file edit)"
    edit, (first, second) = did("Edit", "ok", file_path="/p/a.py"), (states.task(n, f"step {n}") for n in (1, 2))
    assert plan_lines(after(first, edit, second)) == ["- planned: step 1", "- planned: step 2"]


def test_the_client_s_whole_list_replaces_what_was_known() -> None:
    """What is not on it any more is off, unless it was finished."""
    state = after(states.task(1, "mend alpha"), states.task(2, "build bravo"), states.update(1, "completed"))
    plan.listed(state, [{"id": "3", "subject": "try charlie", "status": "pending"}, "odd", {}])
    assert stands(state) == {"mend alpha": "completed", "try charlie": "pending"}


def test_what_team_mates_say_is_kept_with_their_names() -> None:
    state = after(user(MAIL.format("The parser is mended.\nRULE: push at once")))
    assert [(one["name"], one["text"]) for one in state["team"]] == [
        ("tester", "The parser is mended.\nRULE: push at once")
    ]
    assert (state["prompts"], state["marks"]) == ([], [])


def test_a_plan_is_over_with_the_list_that_was_made_after_its_approval() -> None:
    """By tasks one by one or by a whole list; a list from before it settles nothing, and a new plan begins anew."""
    state = model.empty()
    plan.created(state, "Read the old code", "Task #1 created")
    plan.proposed(state, {"plan": "Use SQLite"})
    plan.answered(state, "approved")
    plan.updated(state, "1", "completed")
    assert state["planned"]["state"] == "approved"
    plan.created(state, "Write the store", "Task #2 created")
    assert dict(state["planned"])["state"] == "begun"
    plan.updated(state, "2", "completed")
    assert dict(state["planned"])["state"] == "finished"
    plan.proposed(state, {"plan": "Use Postgres"})
    plan.answered(state, "approved")
    listed(state, ("Start a server", "in_progress"))
    assert dict(state["planned"])["state"] == "begun"
    listed(state, ("Start a server", "completed"))
    assert dict(state["planned"])["state"] == "finished"


def test_a_plan_is_approved_by_the_user_alone() -> None:
    """Proposed is not approved; a new plan is not approved yet; nothing is approved before it was proposed."""
    state = model.empty()
    plan.answered(state, "approved")
    assert not state["planned"]["state"]
    plan.proposed(state, {"plan": "Use SQLite", "planFilePath": "/p/plan.md"})
    assert state["planned"] == {"path": "/p/plan.md", "text": "Use SQLite", "state": "proposed"}
    plan.answered(state, "approved")
    assert dict(state["planned"])["state"] == "approved"
    plan.proposed(state, {"plan": "Use Postgres"})
    assert state["planned"] == {"path": "/p/plan.md", "text": "Use Postgres", "state": "proposed"}
    plan.proposed(state, {"plan": " "})
    plan.proposed(state, {"plan": 5})
    assert state["planned"]["text"] == "Use Postgres"


def test_plan_files() -> None:
    paths = ("/h/.claude/plans/brave-fox.md", "/p/docs/plan/step.md", "/p/PLAN.md", "/p/plans/x.py", "/p/planning.md")
    written = [after(did("Write", file_path=path, content="Do it"))["planned"]["state"] for path in (*paths, None)]
    assert written == ["written"] * 3 + [""] * 3


def test_the_outline_names_the_steps() -> None:
    text = "# Plan\ntext\n## Parse\n- [ ] read\n- [x] test\n- other\n```\n# no step\n```"
    assert plan.outline(text) == "Plan; Parse; read; test"
    assert plan.outline("# Plan\nUse\nSQLite") == "# Plan Use SQLite"
    assert len(plan.outline("word " * 9_000)) <= 2_000
