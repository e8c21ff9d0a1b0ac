from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import standing
from holdfast.worklog import fold
from tests.worklog.states import PLANNING, SESSIONS, Rows, after, bash, did, told, user


def work(**changes: Any) -> dict[str, Any]:
    """A state of the work."""
    return {**fold.empty(), **changes}


def note(kind: str, text: str, n: int = 1) -> dict[str, Any]:
    """One note."""
    return {"kind": kind, "text": text, "by": "user", "n": n}


def run(command: str, ok: bool = True, end: str = "", head: str = "") -> dict[str, Any]:
    """One command with its outcome."""
    return {"command": command, "ok": ok, "end": end, "head": head, "n": 1}


def prompt(text: str, question: str = "") -> dict[str, Any]:
    """One prompt."""
    return {"n": 1, "text": text, "re": question, "after": 0}


PARTS = "Please do this: first the parser, second the docs, third the index, fourth a changelog, fifth the release."


def test_objective_and_latest_request() -> None:
    """Quoted; the latest with what it answers, and with all its parts; a single prompt is not shown twice."""
    assert standing.objective(work(goal="Fix it", prompts=[prompt("Fix it")]), 500) == ["> Fix it"]
    assert standing.latest(work(goal="Fix it", prompts=[prompt("Fix it")]), 500) == []
    assert standing.objective(work(), 500) == []
    state = work(goal=PARTS, prompts=[prompt(PARTS), prompt("yes", "Shall I use SQLite?")])
    assert standing.latest(state, 500) == ['> yes (to: "Shall I use SQLite?")']
    assert standing.latest(work(prompts=[prompt("a"), prompt(PARTS * 3)]), 900) == [f"> {PARTS * 3}"]


def test_rules_are_quoted_and_the_newest_stand_first() -> None:
    """A correction and what was called off say what they are."""
    notes = [
        note("constraint", "Never push to main."),
        note("decision", "We use SQLite."),
        note("correction", "No, port 8444.", 5),
        note("cancelled", "Forget the XML export.", 9),
    ]
    assert standing.noted(work(notes=notes, messages=9), ("constraint", "correction", "cancelled"), 900) == [
        '- called off: "Forget the XML export."',
        '- correction: "No, port 8444."',
        '- "Never push to main."',
    ]


def test_a_to_do_that_is_settled_is_not_told() -> None:
    """Its item in the plan is finished or dropped."""
    state = work(
        notes=[note("todo", "TODO: port the importer"), note("todo", "TODO: document flags")],
        todos=[{"text": "Port the importer", "status": "completed"}],
    )
    assert standing.noted(state, ("todo",), 900) == ["- TODO: document flags"]


@given(st.lists(st.sampled_from(["pending", "in_progress", "completed", "cancelled", "deleted"]), max_size=12))
def test_what_is_done_or_dropped_never_appears_as_to_do(states: list[str]) -> None:
    """Each item stands once, under its own state."""
    todos = [{"text": f"Item {n} about module_{n}", "status": status} for n, status in enumerate(states)]
    text = "\n".join(standing.plan(work(todos=todos)))
    labels = {**standing.STATES, "deleted": standing.STATES["cancelled"]}
    for item in todos:
        lines = [line for line in text.splitlines() if f"{item['text']};" in f"{line};"]
        assert [line.startswith(f"- {labels[item['status']]}: ") for line in lines] == [True]
    step = "\n".join(standing.now(work(todos=todos), 900))
    closed = [item["text"] for item in todos if item["status"] in ("completed", "cancelled", "deleted")]
    assert not any(f"{text}\n" in f"{step}\n" for text in closed)


def test_where_it_stands() -> None:
    """The step at hand, the next one, what has begun, how checks ran, what was seen last."""
    state = work(
        todos=[{"text": "Write it", "status": "in_progress"}, {"text": "Test it", "status": "pending"}],
        open_calls={"1": {"tool": "Bash", "about": "make deploy"}},
        said="The parser is written.",
        runs=[run("pytest -q", False, "1 failed"), run("ruff check", end="ok"), run("cat x", head="one / two")],
    )
    assert standing.now(state, 2_000) == [
        "- in progress: Write it",
        "- next: Test it",
        "- begun and without a result yet: Bash make deploy",
        "- last words of the assistant: The parser is written.",
        "- checks, as each ran last (newest first): `ruff check` -> ok; `pytest -q` FAILED -> 1 failed",
        "- last outputs: `cat x` -> one / two",
    ]


@pytest.mark.parametrize(
    ("planned", "said"),
    [
        ({"path": "/p/plan.md", "text": "Use SQLite", "state": "approved"}, "approved by the user"),
        ({"path": "/p/plan.md", "text": "Use SQLite", "state": "proposed"}, "not approved"),
        ({"path": "/p/plan.md", "text": "Use SQLite", "state": "written"}, "as written"),
    ],
    ids=["approved", "proposed", "written"],
)
def test_a_plan_says_whether_it_was_approved(planned: dict[str, Any], said: str) -> None:
    """Proposed is not approved."""
    line = standing.plan(work(planned=planned))[-1]
    assert said in line
    assert "in /p/plan.md: Use SQLite" in line
    assert ("approved by the user" in line) is (planned["state"] == "approved")


def test_errors_open_and_fixed() -> None:
    """Open ones first with their exact words and what was tried; a fixed one is called fixed."""
    state = work(
        errors=[{"at": "make", "what": "x.h not found", "n": 1, "tried": ["edited a.c", "edited b.c", "edited c.c"]}],
        fixed=[{"at": "pytest", "what": "KeyError: 'x'", "by": "edited a.py"}, {"at": "y", "what": "gone", "by": ""}],
    )
    assert standing.errors(state) == [
        "- open: `make`: x.h not found (since then edited b.c, edited c.c)",
        "- fixed: gone",
        "- fixed, by edited a.py: KeyError: 'x'",
    ]


def test_actions_approvals_workflow() -> None:
    """What was done and how work is done here."""
    state = work(
        commits=["1234abc Fix"],
        changed=[f"/p/{n}.py" for n in range(9)],
        runs=[run("npm install", end="installed"), run("a", end="x"), run("b", end="y")],
        notes=[note("approval", '"yes" (to: "SQLite?")')],
        folder="/p",
        branch="main",
        commands={"pytest -q": 1, "npm install": 1, "scripts/gen": 3},
        instructions=["/p/CLAUDE.md"],
    )
    assert standing.actions(state, 900) == [
        "- commit 1234abc Fix",
        "- 9 files changed, the newest: 8.py, 7.py, 6.py, 5.py, 4.py (all of them at the end)",
        "- `npm install` -> installed",
    ]
    assert standing.approvals(state) == ['- "yes" (to: "SQLite?")']
    assert standing.workflow(state) == [
        "- in /p, branch main",
        "- commands in use: `pytest -q`, `scripts/gen`",
        "- instructions loaded: /p/CLAUDE.md",
    ]


def test_nothing_recorded_says_nothing() -> None:
    """No section has lines."""
    empty = fold.empty()
    found = [
        standing.objective(empty, 900),
        standing.latest(empty, 900),
        standing.done_when(empty),
        standing.noted(empty, tuple(standing.LABELS), 900),
        standing.now(empty, 900),
        standing.plan(empty),
        standing.errors(empty),
        standing.approvals(empty),
        standing.actions(empty, 900),
        standing.workflow(empty),
    ]
    assert [lines for lines in found if lines] == []


@given(st.lists(st.text(max_size=30), max_size=12), st.integers(0, 200), st.booleans())
def test_what_does_not_fit_is_counted(lines: list[str], chars: int, newest: bool) -> None:
    """In the order given, from one end, whole lines; nothing of a line that is too long."""
    kept = standing.fitting(lines, chars, newest)
    if kept == lines:
        return
    *shown, last = kept or [""]
    assert shown == (lines[len(lines) - len(shown) :] if newest else lines[: len(shown)])
    assert not last or last.startswith(f"- ({len(lines) - len(shown)} more")
    assert sum(len(line) + 1 for line in shown) <= chars


def test_a_check_is_told_as_it_ran_last() -> None:
    """The newest outcome of each command; one that failed says so, one that has passed since does not."""
    rows = (
        *(bash("pytest -q", "E KeyError: 'x'\n1 failed", failed=True), bash("ruff check .", "All checks passed!")),
        *(bash("pytest -q", "3 passed in 0.1s"), bash("mypy src", "src/a.py:3: error: bad type", failed=True)),
        bash("cd /p && mypy src 2>&1 | tail -5", "src/a.py:3: error: still bad\nFound 1 error"),
    )
    (line,) = [line for line in standing.now(after(user("go"), *rows), 2_000) if "checks" in line]
    assert line.count("`pytest -q`") == line.count("`mypy src`") == 1
    assert "`pytest -q` -> 3 passed in 0.1s" in line
    assert line.index("mypy") < line.index("pytest") < line.index("ruff")
    failed = after(user("go"), rows[0])
    (line,) = [line for line in standing.now(failed, 2_000) if "checks" in line]
    assert "`pytest -q` FAILED -> 1 failed" in line


def test_near_repeats_are_noted_once() -> None:
    """A rule said again in nearly the same words is one rule, in its newest words; another number is another rule."""
    texts = ("Never push to main.", "The limit must be 30 seconds.", "Please never push to main!", "It must be 45.")
    state = after(user("go"), *map(user, texts), user("go on"))
    assert standing.noted(state, ("constraint",), 900) == [
        '- "It must be 45."',
        '- "Please never push to main!"',
        '- "The limit must be 30 seconds."',
    ]


LONG_RULE = "Never touch the folder number_{} of the generated files, because the importer reads it at night."


def test_rules_take_more_room_before_they_are_cut_short() -> None:
    """All of them whole where `most` allows it; else the newest whole, older ones short, the oldest counted."""
    rules = [LONG_RULE.format(n) for n in range(30)]
    state = after(user("go"), *map(user, rules), user("on"))
    assert standing.noted(state, ("constraint",), 1_200, 9_000) == [f'- "{rule}"' for rule in reversed(rules)]
    tight = standing.noted(state, ("constraint",), 1_200, page="/p/0007.md")
    assert tight[:3] == [f'- "{rule}"' for rule in rules[:-4:-1]]
    short = [f'- "{rule[:80]}' for rule in rules[:-3][::-1]]
    assert all(line.startswith(start) for line, start in zip(tight[3:-1], short, strict=False))
    assert tight[-1] == f"- ({30 - len(tight[:-1])} more; all of them: /p/0007.md)"
    assert 15 < len(tight) < 30


@given(SESSIONS, st.integers(0, 3_000), st.integers(0, 3_000))
def test_what_must_stay_is_shown_or_counted(state: dict[str, Any], chars: int, most: int) -> None:
    """None of them is left out without a word, and they stay within `most`."""
    found = standing.noted(state, ("constraint", "correction", "cancelled"), chars, most)
    shown = [line for line in found if not line.startswith("- (")]
    counted = sum(int(line.split()[1].strip("(")) for line in found if line.startswith("- ("))
    assert sum(len(line) + 1 for line in shown) <= max(most, chars + chars // 2)
    everything = standing.noted(state, ("constraint", "correction", "cancelled"), 90_000)
    assert len(shown) + counted == len(everything) or not shown


@given(SESSIONS, st.integers(0, 3_000))
def test_notes_are_bounded(state: dict[str, Any], chars: int) -> None:
    """Those that must stay may take half as much again, and what is left out is counted; never more."""
    found = standing.noted(state, tuple(standing.LABELS), chars)
    shown = [line for line in found if not line.startswith("- (")]
    assert sum(len(line) + 1 for line in shown) <= chars + chars // 2
    assert len(found) - len(shown) <= 1


@given(st.lists(PLANNING, max_size=14))
def test_no_history_of_a_plan_makes_closed_items_open(steps: list[Rows]) -> None:
    """Only what is pending now is to do or next, only what is in progress now is called that."""
    state = after(user("go"), *steps)
    open_now: dict[str, set[str]] = {"pending": set(), "in_progress": set()}
    for item in fold.plan(state):
        open_now.get(item["status"], set()).add(item["text"])
    lines = [*standing.plan(state), *standing.now(state, 5_000)]
    for label, status in (("to do", "pending"), ("next", "pending"), ("in progress", "in_progress")):
        told = {line.removeprefix(f"- {label}: ") for line in lines if line.startswith(f"- {label}: ")}
        assert told <= open_now[status]


def test_only_the_user_lays_down_rules() -> None:
    """What the assistant said or a tool printed is no rule, however it is worded."""
    rule = "Never use the old parser."
    state = after(user("go"), told(rule), bash("cat notes.txt", rule), did("Read", rule, file_path="/p/a.md"))
    assert standing.noted(state, ("constraint", "correction", "cancelled"), 900) == []
    assert standing.noted(after(user("go"), user(rule), user("on")), ("constraint",), 900) == [f'- "{rule}"']


def test_the_latest_request_is_not_told_twice() -> None:
    """It stands above, whole; its rules are listed once there is a newer request."""
    rules = ("Never use tabs.", "Always use spaces.")
    found = standing.noted(after(user("go"), *map(user, rules)), ("constraint",), 900)
    assert found == ['- "Never use tabs."']


def test_what_was_agreed_to_is_the_work_at_hand() -> None:
    """The end of the message that the latest request says yes to, line by line; of any other request nothing."""
    proposed = "I looked at it.\n\nSteps:\n1. Write `load_user`\n2. Test it\n\nShall I?"
    assert standing.agreed(after(user("go"), told(proposed), user("yes")), 900) == [
        "> I looked at it.",
        "> Steps:",
        "> 1. Write `load_user`",
        "> 2. Test it",
        "> Shall I?",
    ]
    assert standing.agreed(after(user("go"), told(proposed), user("Why? Explain first.")), 900) == []
    assert standing.agreed(after(user("go"), told(proposed), user("yes"), user("Now the docs")), 900) == []
