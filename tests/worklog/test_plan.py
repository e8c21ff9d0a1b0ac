from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.worklog import fold, plan


def listed(state: dict[str, Any], *items: tuple[str, str]) -> dict[str, Any]:
    """The state after a to-do list was written: (text, status) each."""
    plan.written(state, {"todos": [{"content": text, "status": status} for text, status in items]})
    return state


def stands(state: dict[str, Any]) -> dict[str, str]:
    """Each item with its status."""
    return {item["text"]: item["status"] for item in plan.items(state)}


def test_an_item_that_vanishes_unfinished_is_left_over() -> None:
    """A finished one that vanishes was tidied away; of an open one nobody has said that it is off."""
    state = listed(fold.empty(), ("Write the parser", "completed"), ("Port the importer", "pending"))
    listed(state, ("Document flags", "pending"))
    assert stands(state) == {"Document flags": "pending"}
    assert state["left_over"] == ["Port the importer"]


def test_an_item_said_otherwise_is_not_left_over() -> None:
    """Most of its words are in the new list."""
    state = listed(fold.empty(), ("Add tests for the signed token", "in_progress"))
    listed(state, ("Add more tests for the signed token parser", "in_progress"))
    assert state["left_over"] == []


def test_an_item_that_comes_back_is_open_again() -> None:
    """In the list, or as a task."""
    state = listed(listed(fold.empty(), ("Port the importer", "pending")), ("Document flags", "pending"))
    assert state["left_over"] == ["Port the importer"]
    listed(state, ("Document flags", "completed"), ("Port the importer", "pending"))
    assert stands(state) == {"Document flags": "completed", "Port the importer": "pending"}
    state = listed(listed(fold.empty(), ("Port the importer", "pending")))
    plan.created(state, "Port the importer", "Task #1 created successfully")
    assert state["left_over"] == []


@given(st.lists(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["pending", "completed"])), max_size=5)))
def test_nothing_open_is_lost_and_nothing_is_done_by_itself(history: list[list[tuple[str, str]]]) -> None:
    """After any history of lists: the newest one stands, and what it no longer has was left over or finished."""
    state = fold.empty()
    texts = [[(f"item number {letter * 4}", status) for letter, status in items] for items in history]
    for items in texts:
        listed(state, *items)
    newest = dict(texts[-1]) if texts else {}
    shown = stands(state)
    assert shown == newest
    assert not set(state["left_over"]) & set(newest)
    ever_open = {text for items in texts for text, status in items if status == "pending"}
    assert set(state["left_over"]) <= ever_open


def test_tasks_by_their_numbers() -> None:
    """The client's number decides; a task without one comes after the others; an unknown one is passed over."""
    state = fold.empty()
    plan.created(state, "one", "Task #7 created successfully: one")
    plan.created(state, "two", "odd")
    plan.updated(state, {"taskId": "7", "status": "in_progress", "subject": "one, but better"})
    plan.updated(state, {"taskId": 8, "status": "deleted"})
    plan.updated(state, {"taskId": "99", "status": "completed"})
    assert stands(state) == {"one, but better": "in_progress", "two": "cancelled"}


@pytest.mark.parametrize(
    "inputs",
    [{}, {"todos": None}, {"todos": "x"}, {"todos": {}}, {"todos": [5, None, "x", []]}, {"todos": [{"content": 5}]}],
    ids=repr,
)
def test_odd_lists(inputs: dict[str, Any]) -> None:
    """What is no list changes nothing, and odd items are left out."""
    state = listed(fold.empty(), ("one item", "completed"))
    plan.written(state, inputs)
    assert all(set(item) == {"text", "status"} for item in plan.items(state))


def test_a_plan_is_approved_by_the_user_alone() -> None:
    """Proposed is not approved; a new plan is not approved yet; nothing is approved before it was proposed."""
    state = fold.empty()
    plan.answered(state, "approved")
    assert state["planned"]["state"] == ""
    plan.proposed(state, {"plan": "Use SQLite", "planFilePath": "/p/plan.md"})
    assert state["planned"] == {"path": "/p/plan.md", "text": "Use SQLite", "state": "proposed"}
    plan.answered(state, "approved")
    assert state["planned"]["state"] == "approved"
    plan.proposed(state, {"plan": "Use Postgres"})
    assert state["planned"] == {"path": "/p/plan.md", "text": "Use Postgres", "state": "proposed"}
    plan.proposed(state, {"plan": " "})
    plan.proposed(state, {"plan": 5})
    assert state["planned"]["text"] == "Use Postgres"


@pytest.mark.parametrize(
    ("path", "is_plan"),
    [
        ("/h/.claude/plans/brave-fox.md", True),
        ("/p/docs/plan/step.md", True),
        ("/p/PLAN.md", True),
        ("/p/plans/x.py", False),
        ("/p/planning.md", False),
        (None, False),
    ],
)
def test_plan_files(path: Any, is_plan: bool) -> None:
    """By the folder or the name."""
    state = fold.empty()
    plan.filed(state, {"file_path": path, "content": "Do it"})
    assert bool(state["planned"]["state"]) is is_plan


def test_the_outline_names_the_steps() -> None:
    """Headings and boxes; of a plan with fewer than three the beginning."""
    assert plan.outline("# Plan\ntext\n## Parse\n- [ ] read\n- [x] test\n- other") == "Plan; Parse; [ ] read; [x] test"
    assert plan.outline("# Plan\nUse\nSQLite") == "# Plan Use SQLite"
    assert len(plan.outline("word " * 9_000)) <= plan.PLAN_CHARS


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("TODO: port the importer to the new API", True),
        ("Port the importer", True),
        ("Port the exporter", False),
        ("Document all flags", False),
        ("", False),
    ],
)
def test_what_is_settled(text: str, closed: bool) -> None:
    """A to-do that says what a finished or dropped item says is closed with it; an open item closes nothing."""
    state = listed(fold.empty(), ("Port the importer", "completed"), ("Document all flags", "pending"))
    assert plan.settled(state, text) is closed


def test_bounds() -> None:
    """Any number of items and tasks, of any length, whatever becomes of them."""
    state = fold.empty()
    for n in range(200):
        listed(state, *((f"{n} {letter} {'x' * 500}", "s" * 99) for letter in "abc"))
        plan.created(state, "y" * 999, f"Task #{n} created")
        plan.updated(state, {"taskId": str(n), "subject": "z" * 999, "status": "p" * 99})
    assert len(state["tasks"]) <= plan.ITEMS
    assert len(state["todos"]) + len(state["left_over"]) <= 2 * plan.ITEMS
    everything = [*plan.items(state), *state["tasks"].values()]
    assert max(len(text) for item in everything for text in item.values()) <= plan.ITEM_CHARS
