import pytest

from holdfast.engine.shared import gate
from holdfast.engine.shared.branches import Task, examined, incomplete, ordered, unspecified

WRITE = "Find out how refresh works and write the findings to docs/notes.md."


def pair(first: str, second: str, kind: str = "general-purpose") -> tuple[str, ...]:
    """The dependencies between two tasks."""
    return ordered([Task("first", first, kind), Task("second", second, kind)])


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (
            WRITE,
            "Then update docs/notes.md with the callers.",
            'docs/notes.md is to be changed by "first" and by "second"',
        ),
        ("1. Edit src/api.py so that it retries.", "- refactor src/api.py", "src/api.py is to be changed"),
        (WRITE, "Read docs/notes.md and review it.", '"second" names docs/notes.md, which "first" is to make'),
        ("Look for x", "Once the other agent is done, merge.", '"second" needs another agent'),
        ("Fix it using the findings of the first agent", "Find b", '"first" needs another agent'),
    ],
    ids=["both write", "both edit", "reads what is made", "waits", "uses a result"],
)
def test_a_dependency_that_is_said_is_found(first: str, second: str, told: str) -> None:
    """In whichever order the two are launched."""
    assert told in "; ".join(pair(first, second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Review src/api.py for errors", "Review src/api.py for speed"),
        ("Fix src/a.py", "Fix src/b.py"),
        ("Fix src/a.py. Do not touch src/b.py", "Fix src/b.py and never edit other files"),
        ("Update src/a.py based on src/b.py", "Update src/b.py following src/c.py"),
        ("Explain how to update src/a.py", "Explain how to edit src/a.py"),
        ("Review the change: update src/a.py", "Check that they edit src/a.py"),
        ("Fix src/a.py (read-only: just report)", "Fix src/a.py"),
        ("Do not wait for the other agent", "Find b"),
        ("What does the commit that modifies src/a.py do?", "Update src/a.py"),
    ],
    ids=[
        "readers",
        "two files",
        "told not to",
        "sources",
        "how to",
        "reviewers",
        "reports only",
        "not waiting",
        "asks",
    ],
)
def test_where_nothing_is_said_outright_nothing_is_found(first: str, second: str) -> None:
    """A wrong warning costs more than a missing one."""
    assert pair(first, second) == ()


def test_agents_that_cannot_write_do_not_meet() -> None:
    """The client's explorers have no tool for it."""
    assert pair(WRITE, WRITE, "Explore") == ()
    assert pair(WRITE, WRITE)


@pytest.mark.parametrize(
    "prompt",
    [
        "Build it as we discussed.",
        "Continue where you left off",
        "Fix the bug I mentioned earlier",
        "See our conversation.",
    ],
)
def test_a_task_that_leans_on_a_talk_is_found(prompt: str) -> None:
    """Its agent has not heard it."""
    assert "leans on a talk" in incomplete([Task("x", prompt)])[0]


@pytest.mark.parametrize(
    "prompt", ["Fix it as described in docs/a.md", "Run it again if it fails", "Use the flag above"]
)
def test_a_task_that_names_its_source_is_whole(prompt: str) -> None:
    """Files and the prompt's own text are there for the agent."""
    assert incomplete([Task("x", prompt)]) == ()


def test_a_task_that_asks_for_nothing_is_found() -> None:
    """What is to come back has not been said."""
    tasks = [Task("a", "Make the tests green"), Task("b", "Make them green and report which failed")]
    assert unspecified(tasks) == ('"a" does not say what to return',)


def test_a_plan_is_completed_by_what_its_prompts_say() -> None:
    """Figures stay as they are; agents that a protocol tells what to return are not asked for it again."""
    tasks = [Task("a", "Edit src/a.py as we discussed"), Task("b", "Refactor src/a.py")]
    plan = examined(gate.FanOut(0, backlog=2), tasks)
    assert [failed.criterion for failed in gate.judge(plan).failed] == ["order", "backlog", "schema", "stateless"]
    assert examined(plan, tasks, protocol=True).unspecified == ()
    assert plan.agents == 2
