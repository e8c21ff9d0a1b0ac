from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.policy import keep, orchestrator, worklog

TEXT = st.text(st.characters(codec=None) | st.sampled_from(" \n\t;…"), max_size=400)
PLAN = st.lists(
    st.fixed_dictionaries({"text": TEXT, "status": st.sampled_from(["pending", "in_progress", "completed", "odd"])}),
    max_size=30,
)
WORK = st.fixed_dictionaries(
    {
        "goal": TEXT,
        "prompts": st.lists(TEXT, max_size=3),
        "todos": PLAN,
        "changed": st.lists(TEXT, max_size=20),
        "errors": st.lists(st.fixed_dictionaries({"at": TEXT, "what": TEXT}), max_size=8),
        "tests": st.lists(st.fixed_dictionaries({"command": TEXT, "ok": st.booleans(), "end": TEXT}), max_size=3),
        "commits": st.lists(TEXT, max_size=12),
    }
).map(lambda part: {**worklog.empty(), **part})


@given(WORK)
def test_the_line_is_one_line_that_can_be_pasted(work: dict[str, Any]) -> None:
    """Whatever the session did: one line, bounded, a /compact command."""
    line = keep.compact_line(work)
    assert line.startswith("/compact keep ")
    assert len(line) <= keep.LINE_CHARS
    assert len(line.splitlines()) == 1


@given(WORK)
def test_steering_stays_within_its_bound(work: dict[str, Any]) -> None:
    """Short whatever the session holds; one fact a line."""
    text = keep.steering(work, orchestrator.empty())
    assert len(text) <= keep.STEER_CHARS
    assert text.startswith("Keep these things")
    assert {line[:2] for line in text.splitlines()[1:] if line[:5] not in ("Keep ", "Say o", "Leave")} <= {"- "}


def work(**changes: Any) -> dict[str, Any]:
    """A worklog."""
    return {**worklog.empty(), **changes}


def test_the_line_names_what_is_in_hand() -> None:
    """Step, open to-dos, error, failing run and files, by name."""
    line = keep.compact_line(
        work(
            todos=[{"text": "Write the parser", "status": "in_progress"}, {"text": "b", "status": "pending"}],
            errors=[{"at": "make", "what": "undefined reference to main"}],
            tests=[{"command": "pytest -q", "ok": False, "end": "1 failed"}],
            changed=["/p/src/a.py", "/p/src/b.py"],
        )
    )
    for words in ("Write the parser", "1 open to-dos", "undefined reference to main", "pytest -q", "b.py, a.py"):
        assert words in line


def test_a_line_for_a_session_that_has_done_nothing() -> None:
    """There is always something to paste."""
    assert keep.compact_line(worklog.empty()).startswith("/compact keep the goal")


def test_steering_tells_the_states_apart() -> None:
    """Done, in progress and to do are told apart; the goal and the errors stand in their own words."""
    agents = {"decisions": {"research": "PROCEED"}}
    text = keep.steering(
        work(
            goal="Fix the login",
            prompts=["Fix the login", "Use argon2"],
            todos=[{"text": f"t-{state}", "status": state} for state in ("pending", "in_progress", "completed")],
            errors=[{"at": "pytest", "what": "KeyError: 'user'"}],
            commits=["1234abc Fix"],
        ),
        agents,
    )
    for line in (
        "- goal, in the user's words: Fix the login",
        "- the user's last request: Use argon2",
        "- in progress: t-in_progress",
        "- still to do: t-pending",
        "- done: t-completed",
        "- open errors: pytest: KeyError: 'user'",
        "- commits: 1234abc Fix",
        "- decisions per phase: research: PROCEED",
    ):
        assert line in text.splitlines()


@given(TEXT, st.integers(1, 50))
def test_one_line(text: str, chars: int) -> None:
    """One line within the bound; a text that fits keeps all its words."""
    line = keep.one_line(text, chars)
    assert len(line) <= chars
    assert len(line.splitlines()) <= 1
    assert len(" ".join(text.split())) > chars or line.split() == text.split()
