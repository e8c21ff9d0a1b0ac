import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import model, page, schema
from holdfast.handoff import orchestrator
from holdfast.handoff.model import Handoff
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.worklog import model as worklog
from holdfast.worklog.plan import items as plan_items
from tests.checkpoint.made import HERE, checkpoint, prompt, state
from tests.worklog import states

NAMES = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel")
KNOWN = {
    "planned": ("pending",),
    "in_progress": ("in_progress",),
    "done": ("completed",),
    "cancelled": ("deleted", "cancelled"),
}
STATES = st.sampled_from([status for known in KNOWN.values() for status in known])
UPDATES = st.lists(st.tuples(st.integers(1, len(NAMES)), STATES), max_size=20)


def said_of(work: Any) -> dict[str, set[str]]:
    """The tasks of each state, as every form of the checkpoint tells them; the forms must agree."""
    saved = checkpoint(work)
    told = model.tasks(work)
    groups = {"planned": told["planned"], "in_progress": told["in_progress"], "done": told["done"]}
    for text in (page.readable(saved), page.taken_up(saved, HERE)):
        for name, label in (("planned", "planned"), ("in_progress", "in progress"), ("done", "ticked off as done")):
            lines = re.findall(rf"^- {label}: (.+)$", text, re.MULTILINE)
            assert {part for line in lines for part in line.split("; ")} == set(groups[name])
    step = set(re.findall(r"^- Step at hand: (\w+)$", page.taken_up(saved, HERE), re.MULTILINE))
    assert step <= {*groups["planned"], *groups["in_progress"]}
    return {**{name: set(texts) for name, texts in groups.items()}, "cancelled": set(told["cancelled"])}


@given(UPDATES)
def test_tasks_are_told_as_they_stand(updates: list[tuple[int, str]]) -> None:
    """Planned is never told as done; what was finished or dropped is never told as to do."""
    made = [states.task(number, name) for number, name in enumerate(NAMES, 1)]
    groups = said_of(states.after(*made, *(states.update(number, status) for number, status in updates)))
    last = {**dict.fromkeys(range(1, len(NAMES) + 1), "pending"), **dict(updates)}
    for name, known in KNOWN.items():
        assert groups[name] == {NAMES[number - 1] for number, status in last.items() if status in known}


def test_a_state_that_nobody_knows_is_planned() -> None:
    """Never done; and what merely left the list is not called off."""
    work = state(todos=[{"text": "a", "status": "halfway"}], left_over=["old step"])
    assert model.tasks(work) == {"planned": ["a"], "in_progress": [], "done": [], "cancelled": []}


LONG = "Mend the parser so that it reads headings of all levels"
PASTE = "GET /x 200\n" * 300


@pytest.mark.parametrize(
    ("said", "in_force", "task"),
    [
        (["hi", LONG, "yes", "and the tests"], [LONG, "yes", "and the tests"], LONG),
        (["hi", LONG, PASTE], [LONG, PASTE], LONG),
        ([PASTE, LONG], [LONG], LONG),
        (["hi", "go"], ["hi", "go"], "hi"),
        ([LONG, "\u4fee\u6b63\u89e3\u6790\u5668\uff0c\u8ba9\u5b83\u8bfb\u6240\u6709\u6807\u9898\u3002"], None, LONG),
        ([LONG, "/review"], ["/review"], LONG),
        ([LONG, "yes", "/holdfast-compact"], [LONG, "yes"], LONG),
        ([LONG, "/holdfast:status", "yes"], [LONG, "yes"], LONG),
        (["/holdfast-status", "go"], ["go"], "go"),
        (["/holdfast-status"], [], ""),
        ([], [], ""),
    ],
)
def test_what_the_user_asks_now(said: list[str], in_force: list[str] | None, task: str) -> None:
    """The newest message that stands by itself and what followed; neither a greeting nor a paste alone."""
    asked = [{**prompt(text, n), "source": "command" if text[0] == "/" else "typed"} for n, text in enumerate(said)]
    work = state(prompts=asked)
    now = said[-1:] if in_force is None else in_force
    assert [one["text"] for one in model.in_force(work)] == now
    before = [text for text in said if not text.startswith("/holdfast")][: -len(now) or None]
    assert [one["text"] for one in model.earlier(work)] == before
    assert model.task(work) == task


def test_a_session_that_begins_with_a_plan_is_called_by_its_title() -> None:
    """The user approved it without a word: what is asked stands nowhere else."""
    approved = {"n": 1, "text": "", "source": "approval", "to": "the plan Sort the shelves"}
    plan = {"path": "", "text": "Sort the shelves; 1. Dust", "state": "approved"}
    assert model.task(state(prompts=[approved], planned=plan)) == "Sort the shelves"
    assert model.task(state(prompts=[approved, prompt("ok", 2)], planned=plan)) == "Sort the shelves"


def test_every_thing_has_its_name() -> None:
    kinds = ("rule", "decision", "todo", "bug", "lesson", "failed")
    work = state(
        window=2,
        prompts=[
            {"n": 1, "text": "Fix it", "source": "typed", "to": ""},
            {"n": 4, "text": "yes", "source": "approval", "to": "the plan"},
            {"n": 5, "text": "", "source": "refusal", "to": "Bash rm -r x"},
        ],
        marks=[{"kind": kind, "text": f"the {kind}", "by": "user", "n": 1} for kind in kinds],
        errors=[{"at": "make", "what": "boom", "n": 1, "tried": ["edited a.py"]}],
        read=["/p/a.py"],
        changed=["/p/b.py"],
        instructions=["/p/CLAUDE.md"],
        last_message={"n": 5, "text": "half way"},
    )
    returned = Handoff(decision="PROCEED", context_summary="it is the cache")
    agents = orchestrator.absorb(orchestrator.empty(), ("a1", "trace"), returned, (1, 1), "")
    facts = schema.shown(checkpoint(work, agents, note={"text": "careful", "time": 1.0}), "").model_dump()
    assert (facts["window"], facts["version"], facts["note"], facts["goal"]) == ("s1-3", 7, "careful", "Fix it")
    assert facts["requests"] == [
        "Fix it",
        'the user approved the plan, saying: "yes"',
        "the user refused (Bash rm -r x), without a word",
    ]
    assert facts["approvals"] == facts["requests"][1:2]
    assert (facts["constraints"], facts["todos"], facts["learnings"]) == (["the rule"], ["the todo"], ["the lesson"])
    assert facts["decisions"][0] == {"text": "the decision", "by": "user"}
    assert facts["decisions"][1]["by"] == "trace"
    assert facts["open_issues"][0] == {"what": "boom", "reproduce": "make", "tried": ["edited a.py"]}
    assert facts["open_issues"][1]["what"] == "the bug"
    assert facts["failed_approaches"] == ["the failed", "the user refused Bash rm -r x"]
    assert facts["files"] == {"changed": ["/p/b.py"], "read": ["/p/a.py"]}
    assert (facts["environment"]["branch"], facts["summary"]) == ("main", "half way")


@given(states.SESSIONS)
def test_the_state_takes_it_back(work: Any) -> None:
    """Through JSON too, whatever it held: what is open stays, and cutting again changes nothing of it."""
    kept = model.slim(work)
    assert worklog.load(loads_object(dumps(kept))) == kept
    closed = ("completed", "cancelled", "deleted")
    still = [item["status"] for item in plan_items(work) if item["status"] not in closed]
    assert [item["status"] for item in plan_items(kept) if item["status"] not in closed] == still
    assert bool(kept["todos"]) is bool(work["todos"])
    assert model.slim(kept) == kept


def test_a_large_state_becomes_small() -> None:
    long = "/p/" + "x" * 2_000 + ".py"
    work = state(
        read=[f"/home/dev/project/some/folder/read_{n}.py" for n in range(200)],
        changed=[*(f"/home/dev/project/some/folder/changed_{n}.py" for n in range(200))],
        prompts=[{"n": n, "text": f"{n} " + "p" * 900, "source": "typed", "to": ""} for n in range(120)],
        marks=[
            {"kind": "lesson" if n else "todo", "text": f"{n} " + "l" * 300, "by": "assistant", "n": n}
            for n in range(80)
        ],
        last_message={"n": 9, "text": "s" * 4_000},
    )
    kept = model.slim(work)
    assert len(dumps(kept)) < 11_000
    assert kept["changed"][-1].endswith("changed_199.py")
    assert [mark["n"] for mark in kept["marks"]] == [0, *range(64, 80)], "what is open stays"
    assert [prompt["text"][:4] for prompt in (kept["prompts"][0], kept["prompts"][-1])] == ["0 pp", "119 "]
    assert model.slim(state(changed=[long]))["changed"] == [long]


def test_a_checkpoint_keeps_what_is_open_and_the_newest_that_is_over() -> None:
    over, left = ([{"text": f"{n}", "status": status} for n in range(12)] for status in ("completed", "pending"))
    kept = model.slim(state(todos=[*over, *left]))["todos"]
    assert kept == [*over[-8:], *left]


def test_the_work_is_called_by_what_was_typed() -> None:
    """Neither by an answer nor by a command's bare name, where anything else was said."""
    answer = {**prompt("Use Postgres for that, with a table of its own", 3), "source": "answer", "to": "Which store?"}
    commands = [{**prompt(text, n), "source": "command"} for n, text in ((2, "/review"), (4, "/review the parser"))]
    assert model.asked(state(prompts=[prompt(LONG), commands[0], answer])).present == LONG
    assert model.asked(state(prompts=[prompt(LONG), *commands, answer])).present == "/review the parser"
    assert model.asked(state(prompts=[answer])).present == answer["text"]
