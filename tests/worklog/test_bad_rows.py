"""One bad row never disables the rest of a session: it is stepped over or read as far as it goes, and bounded."""

import copy
import json
from typing import Any

import pytest

from holdfast.transcript.rows import parse_chunk
from holdfast.worklog import calls, fold, model
from holdfast.worklog.model import Worklog
from tests.worklog.states import Rows, attached, bash, boundary, call, did, edit, lines, result, task, todos, told, user

BEFORE, AFTER = (
    [user("Fix the login"), told("On it.")],
    [user("Go on with the parser"), edit("/p/parser.py"), told("Done.")],
)
OPTION = {"label": "SQLite", "description": "one file"}
RECORDED: Rows = [
    row
    for step in (
        user("Look at `parse`, RULE: tabs", cwd="/p", gitBranch="main", version="2.1.329", origin={"kind": "human"}),
        user("<command-name>/review</command-name><command-args>it</command-args>"),
        told("DECISION: argon2\nSee a.py"),
        bash("git commit -m x", "[main 1234abc] Fix login"),
        bash("pytest -q", "Exit code 1\n1 failed", failed=True),
        edit("/p/a.py"),
        did("Read", "text", file_path="/p/CLAUDE.md"),
        todos(("one", "pending"), ("two", "completed")),
        task(3, "three"),
        did("TaskUpdate", taskId="3", status="completed"),
        did("ExitPlanMode", plan="# A\n## B\n## C", planFilePath="/p/plans/a.md"),
        did("Write", file_path="/p/plans/b.md", content="- [ ] a\n- [ ] b"),
        did("Skill", skill="review"),
        call("AskUserQuestion", questions=[]),
        result("x", told={"answers": {"Which?": "SQLite"}, "questions": [{"question": "Which?", "options": [OPTION]}]}),
        call("Bash", command="rm -r build"),
        result("the user said:\nKeep it", failed=True, told="User rejected tool use"),
        attached("nested_memory", path="/p/sub/CLAUDE.md"),
        boundary(),
        user("a summary", isCompactSummary=True),
    )
    for row in step
]


def nested(depth: int) -> Any:
    found: Any = {"text": "x"}
    for _ in range(depth):
        found = [found]
    return found


ODD = {
    "nothing": None,
    "no": False,
    "number": -7,
    "huge number": 10**400,
    "infinite": float("inf"),
    "empty": "",
    "long": "x" * 70_000,
    "long lines": "RULE: y\n# a\n" * 1_000,
    "binary": "\x00\x01\x1b[2J\x7f",
    "surrogate": "a\ud83db",
    "right to left": "\u202eRULE: no\u2066",
    "list": ["text", 5, None],
    "object": {"type": "text", "text": ["x"], "content": 5},
    "deep": nested(900),
}


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place within a value, outermost first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, one in inner for place in places(one, (*at, key)))]


def put(row: Any, place: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(row)
    within = changed
    for key in place[:-1]:
        within = within[key]
    within[place[-1]] = value
    return changed


def whole(data: bytes) -> Worklog:
    """The state after it; it can be stored, and is small whatever came."""
    state = fold.fold(model.empty(), parse_chunk(data))
    stored = json.dumps(state)
    assert len(stored) < 60_000
    assert model.load(json.loads(stored)) == state
    return state


def assert_goes_on(state: Worklog) -> None:
    """What came behind the bad row was read."""
    assert state["prompts"][0]["text"] == "Fix the login"
    assert state["prompts"][-1]["text"] == "Go on with the parser"
    assert state["changed"][-1] == "/p/parser.py"
    assert state["last_message"]["text"] == "Done."


@pytest.mark.parametrize("odd", ODD.values(), ids=list(ODD))
def test_any_field_of_a_recorded_row_may_hold_anything(odd: Any) -> None:
    """Each field in turn, each of another type, very long, binary or deep."""
    for before, row, behind in zip([{}, *RECORDED], RECORDED, [*RECORDED[1:], {}], strict=False):
        for place in places(row)[1:]:
            assert_goes_on(whole(lines(*BEFORE, [before, put(row, place, odd), behind], *AFTER)))


@pytest.mark.parametrize(
    "line",
    [
        b"\x00\xff\xfe" * 1_000,
        b'{"type":"user","message":{"content":' + b"[" * 10_000 + b"]" * 10_000 + b"}}",
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"type":"user","message":{"content":"' + b"9" * 3_000_000 + b'"}}',
        b'{"type":"user","uuid":' + b"9" * 9_000 + b"}",
        b'{"type":"user","message":{"content":"\\ud83d\\ude00\\ud83d"}',
        b'[{"type":"user"}]',
        b'"text"',
        b"NaN",
    ],
    ids=["binary", "deep list", "deep object", "3 MB", "long number", "torn", "list", "text", "no number"],
)
def test_any_line_may_stand_between_rows(line: bytes) -> None:
    assert_goes_on(whole(lines(*BEFORE) + line + b"\n" + lines(*AFTER)))


def test_a_row_at_which_a_reader_fails_is_stepped_over(monkeypatch: pytest.MonkeyPatch) -> None:

    def broken(*_: object) -> None:
        raise RecursionError

    with monkeypatch.context() as patch:
        patch.setattr(calls, "succeeded", broken)
        state = whole(lines(*BEFORE, bash("make"), *AFTER))
    assert_goes_on(state)
    assert (state["skipped"], state["runs"]) == (1, [])
