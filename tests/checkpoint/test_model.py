"""What a checkpoint says, and that it says nothing else: over random histories of tasks."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import bootstrap, model, page
from holdfast.handoff import orchestrator
from holdfast.handoff.model import Handoff
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.transcript import rows as transcript
from holdfast.worklog import fold

NAMES = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel")
STATES = ("pending", "in_progress", "completed")
ITEM = st.tuples(st.sampled_from(NAMES), st.sampled_from(STATES))
LISTS = st.lists(st.lists(ITEM, max_size=6, unique_by=lambda item: item[0]), min_size=1, max_size=8)
UPDATES = st.lists(
    st.tuples(st.integers(1, len(NAMES)), st.sampled_from((*STATES, "deleted", "cancelled"))), max_size=20
)
HERE = bootstrap.Found("5 min", "/c/0001.md", {}, (), (0, 0))


def stored(work: dict[str, Any], agents: Any = None, **changes: Any) -> dict[str, Any]:
    """A checkpoint as it comes back from the disk."""
    data = {"number": 1, "stamp": "2027-01-15 10:00:00", **model.contents(work, agents or {}, "s1"), **changes}
    return loads_object(dumps(data))


def row(kind: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    """A transcript row."""
    return {"type": kind, "message": {"role": kind, "content": list(blocks)}}


def called(number: int, tool: str, told: str, **inputs: Any) -> list[dict[str, Any]]:
    """The rows of a call and its result."""
    return [
        row("assistant", {"type": "tool_use", "id": f"t{number}", "name": tool, "input": inputs}),
        row("user", {"type": "tool_result", "tool_use_id": f"t{number}", "content": told}),
    ]


def after(rows: list[dict[str, Any]]) -> Any:
    """The state of the work after these rows."""
    return fold.fold(fold.empty(), transcript.Chunk(rows, 0, 0))


def said_of(data: dict[str, Any]) -> dict[str, set[str]]:
    """The tasks of each state, as every form of the checkpoint tells them; the forms must agree."""
    groups = {name: set(texts) for name, texts in model.view(data)["tasks"].items()}
    for text in (page.readable({**data, "reason": "r"}), bootstrap.whole(data, HERE)):
        for name, label in (("planned", "to do"), ("in_progress", "in progress"), ("done", "done")):
            assert set(re.findall(rf"^- {label}: (\w+)$", text, re.MULTILINE)) == groups[name]
    step = re.findall(r"^- Step at hand: (\w+)$", bootstrap.whole(data, HERE), re.MULTILINE)
    assert set(step) <= groups["planned"] | groups["in_progress"]
    return groups


@given(LISTS)
def test_a_to_do_list_is_told_as_it_stands(lists: list[list[tuple[str, str]]]) -> None:
    """Planned is never told as done; what was finished or dropped is never told as to do."""
    rows: list[dict[str, Any]] = []
    for number, items in enumerate(lists):
        todos = [{"content": name, "status": state} for name, state in items]
        rows += called(number, "TodoWrite", "ok", todos=todos)
    last = dict(lists[-1])
    groups = said_of(stored(after(rows)))
    for name, state in (("planned", "pending"), ("in_progress", "in_progress"), ("done", "completed")):
        assert groups[name] == {text for text, status in last.items() if status == state}
    assert not groups["cancelled"] & {text for text, status in last.items()}


@given(UPDATES)
def test_tasks_are_told_as_they_stand(updates: list[tuple[int, str]]) -> None:
    """The same for tasks that are updated one by one; deleted and cancelled ones are called off."""
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(NAMES, 1):
        rows += called(number, "TaskCreate", f"Task #{number} created successfully: {name}", subject=name)
    for at, (number, state) in enumerate(updates, 100):
        rows += called(at, "TaskUpdate", "ok", taskId=str(number), status=state)
    last = {**dict.fromkeys(range(1, len(NAMES) + 1), "pending"), **dict(updates)}
    groups = said_of(stored(after(rows)))
    for name, states in (
        ("planned", ["pending"]),
        ("in_progress", ["in_progress"]),
        ("done", ["completed"]),
        ("cancelled", ["deleted", "cancelled"]),
    ):
        assert groups[name] == {NAMES[number - 1] for number, state in last.items() if state in states}


def test_a_state_that_nobody_knows_is_planned() -> None:
    """Never done."""
    work = {**fold.empty(), "todos": [{"text": "a", "status": "halfway"}]}
    assert model.tasks(work)["planned"] == ["a"]


def test_only_what_the_plan_calls_cancelled_is_cancelled() -> None:
    """Not what merely left the list, and not a sentence of the user's, which stands among the rules."""
    note = {"kind": "cancelled", "text": "Drop the cache", "by": "user", "n": 3}
    work = {**fold.empty(), "notes": [note], "left_over": ["old step"]}
    assert model.tasks(work) == {"planned": [], "in_progress": [], "done": [], "cancelled": []}
    work["todos"] = [{"text": "Port it", "status": "deleted"}, {"text": "Test it", "status": "completed"}]
    assert model.tasks(work) == {"planned": [], "in_progress": [], "done": ["Test it"], "cancelled": ["Port it"]}


@pytest.mark.parametrize(
    ("text", "what", "why", "alternatives"),
    [
        ("use argon2 instead of bcrypt because it is slower", "use argon2", "it is slower", ["bcrypt"]),
        ("keep Redis, because we have it rather than Kafka.", "keep Redis", "we have it", ["Kafka"]),
        ("DECISION: one queue", "DECISION: one queue", "", []),
        ("because of that", "because of that", "", []),
    ],
)
def test_a_decision_in_its_parts(text: str, what: str, why: str, alternatives: list[str]) -> None:
    """As far as the sentence gives them; the whole stands beside."""
    assert model.decision(text) == {"text": text, "what": what, "why": why, "alternatives": alternatives}


def test_every_thing_has_its_name() -> None:
    """The names of W1, from the recorded state."""
    notes = [
        {"kind": kind, "text": f"the {kind}", "by": "user", "n": 1}
        for kind in ("constraint", "correction", "failed", "learning", "approval", "bug", "decision")
    ]
    work = {
        **fold.empty(),
        "goal": "Fix it. It is done when the tests pass.",
        "window": 2,
        "notes": notes,
        "errors": [{"at": "make", "what": "boom", "n": 1, "tried": ["edited a.py"]}],
        "read": ["/p/a.py"],
        "changed": ["/p/b.py"],
        "instructions": ["/p/CLAUDE.md"],
        "said": "half way",
    }
    returned = Handoff(decision="PROCEED", context_summary="it is the cache")
    agents = orchestrator.absorb(orchestrator.empty(), "trace", returned, (1, 1), "")
    facts = model.view(stored(work, agents, reason="commit", note={"text": "careful"}, environment={"branch": "m"}))
    assert (facts["window"], facts["version"], facts["note"], facts["goal"]) == ("s1-3", 1, "careful", work["goal"])
    assert facts["success_criteria"] == ["It is done when the tests pass."]
    assert facts["constraints"] == ["the constraint", "the correction"]
    assert [one["what"] for one in facts["decisions"]] == ["the decision", "trace: PROCEED"]
    assert facts["open_issues"][0] == {"what": "boom", "reproduce": "make", "tried": ["edited a.py"]}
    assert (facts["failed_approaches"], facts["learnings"]) == (["the failed"], ["the learning"])
    assert (facts["approvals"], facts["instructions"]) == (["the approval"], ["/p/CLAUDE.md"])
    assert facts["files"] == {"changed": ["/p/b.py"], "read": ["/p/a.py"]}
    assert (facts["environment"], facts["summary"]) == ({"branch": "m"}, "half way")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ({}, {}),
        ({"number": 3}, {}),
        ({"number": 3, "note": {}}, {}),
        ({"number": 3, "note": {"text": "a", "time": 5.0}}, {"number": 3, "text": "a", "time": 5.0}),
        ({"number": 4, "note": {"number": 3, "text": "a"}}, {"number": 3, "text": "a"}),
    ],
)
def test_a_note_is_carried_on(before: dict[str, Any], expected: dict[str, Any]) -> None:
    """With the number of the checkpoint that it was left with."""
    assert model.carried(before) == expected
