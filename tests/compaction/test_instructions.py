from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import instructions
from holdfast.handoff import orchestrator
from holdfast.text import lines
from holdfast.worklog import fold

TEXT = st.text(st.characters(codec=None) | st.sampled_from(" \n\t;…"), max_size=400)
PLAN = st.lists(
    st.fixed_dictionaries({"text": TEXT, "status": st.sampled_from(["pending", "in_progress", "completed", "odd"])}),
    max_size=30,
)
NOTES = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["constraint", "correction", "cancelled", "failed", "decision", "odd"]),
            "text": TEXT,
            "by": st.sampled_from(["user", "assistant"]),
        }
    ),
    max_size=20,
)
WORK = st.fixed_dictionaries(
    {
        "goal": TEXT,
        "prompts": st.lists(st.fixed_dictionaries({"text": TEXT}), max_size=3),
        "notes": NOTES,
        "todos": PLAN,
        "changed": st.lists(TEXT, max_size=20),
        "errors": st.lists(st.fixed_dictionaries({"at": TEXT, "what": TEXT}), max_size=8),
        "tests": st.lists(st.fixed_dictionaries({"command": TEXT, "ok": st.booleans(), "end": TEXT}), max_size=3),
        "commits": st.lists(TEXT, max_size=12),
    }
).map(lambda part: {**fold.empty(), **part})


@given(WORK)
def test_the_line_is_one_line_that_can_be_pasted(work: dict[str, Any]) -> None:
    """Whatever the session did: one line, bounded, a /compact command."""
    line = instructions.compact_line(work)
    assert line.startswith("/compact keep ")
    assert len(line) <= instructions.LINE_CHARS
    assert len(line.splitlines()) == 1


@given(WORK)
def test_steering_stays_within_its_bound(work: dict[str, Any]) -> None:
    """Short whatever the session holds; one fact a line."""
    text = instructions.steering(work, orchestrator.empty())
    assert len(text) <= instructions.STEER_CHARS
    assert text.startswith("Keep ")
    assert {line[:2] for line in text.split("\n") if line[:5] not in ("Keep ", "Say o", "Leave")} <= {"- "}


def work(**changes: Any) -> dict[str, Any]:
    """A worklog."""
    return {**fold.empty(), **changes}


def test_the_line_names_what_is_in_hand() -> None:
    """Step, open to-dos, error, failing run and files, by name."""
    line = instructions.compact_line(
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
    assert instructions.compact_line(fold.empty()).startswith("/compact keep the goal")


def test_steering_tells_the_states_apart() -> None:
    """Done, in progress and to do are told apart; the goal and the errors stand in their own words."""
    agents = {"decisions": {"research": "PROCEED"}}
    text = instructions.steering(
        work(
            goal="Fix the login",
            prompts=[{"text": "Fix the login"}, {"text": "Use argon2"}],
            notes=[
                {"kind": "constraint", "text": "Never log keys.", "by": "user"},
                {"kind": "cancelled", "text": "Forget the export.", "by": "user"},
                {"kind": "failed", "text": "RSA was too slow.", "by": "assistant"},
                {"kind": "decision", "text": "HMAC, since keys rotate.", "by": "assistant"},
            ],
            todos=[
                {"text": f"t-{state}", "status": state} for state in ("pending", "in_progress", "completed", "deleted")
            ],
            errors=[{"at": "pytest", "what": "KeyError: 'user'"}],
            commits=["1234abc Fix"],
        ),
        agents,
    )
    for line in (
        "- goal, in the user's words: Fix the login",
        "- the user's last request: Use argon2",
        '- rules and corrections by the user: "Never log keys."',
        '- called off by the user: "Forget the export."',
        "- failed approaches: RSA was too slow.",
        "- decisions: HMAC, since keys rotate.",
        "- dropped, not to do: t-deleted",
        "- in progress: t-in_progress",
        "- still to do: t-pending",
        "- done: t-completed",
        "- open errors: pytest: KeyError: 'user'",
        "- commits: 1234abc Fix",
        "- decisions per phase: research: PROCEED",
    ):
        assert line in text.splitlines()


def test_what_does_not_fit_is_left_out_whole() -> None:
    """No fact is cut in the middle for want of room, and the rules for the summariser always stand."""
    changed = [f"/p/{'deep/' * 9}file_{n}.py" for n in range(12)]
    facts = {"goal": "g " * 150, "changed": changed, "commits": ["1234abc " + "c " * 150] * 3}
    full = [{"text": f"{n} {'t ' * 40}", "status": status} for n in range(30) for status in ("pending", "completed")]
    text = instructions.steering(work(todos=full, **facts), orchestrator.empty())
    assert len(text) <= instructions.STEER_CHARS
    assert text.splitlines()[-1].startswith("Leave out: ")


def test_a_session_without_facts_is_steered_by_the_rules_alone() -> None:
    """Nothing is announced that does not follow."""
    assert instructions.steering(fold.empty(), orchestrator.empty()).startswith("Keep verbatim: ")


@given(TEXT, st.integers(1, 50))
def test_one_line(text: str, chars: int) -> None:
    """One line within the bound; a text that fits keeps all its words."""
    line = lines.one_line(text, chars)
    assert len(line) <= chars
    assert len(line.splitlines()) <= 1
    shown = "".join(char if char.isprintable() else " " for char in text).split()
    assert len(" ".join(shown)) > chars or line.split() == shown
