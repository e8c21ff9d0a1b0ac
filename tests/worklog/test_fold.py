import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.transcript.rows import parse_chunk
from holdfast.worklog import fold, model
from holdfast.worklog.model import Worklog
from tests.worklog.states import Rows, after, bash, call, did, lines, result, told, user

KEY = "gh" + "p_" + "a1B2c3D4e5" * 4
BOUNDARY = {
    "type": "system",
    "subtype": "compact_boundary",
    "uuid": "b",
    "timestamp": "2030-01-02T03:04:05Z",
    "compactMetadata": {"preTokens": 9, "trigger": "auto"},
}
SCENE = (
    lines(
        user("Fix the login. Never touch src/main_file.py."),
        told("DECISION: argon2, because bcrypt is slow. Shall I?"),
        user("yes"),
        did("Edit", file_path="/p/a.py", old_string="x", new_string="def load_user():"),
        bash("pytest -q", "E: boom\n1 failed", failed=True),
        did("TodoWrite", "", todos=[{"content": "one", "status": "pending"}]),
        [BOUNDARY],
        user("Fixed the login in a.py; then the tests in test_login.py.", isCompactSummary=True),
        user([{"type": "image", "source": {}}, {"type": "text", "text": "Now the tests"}]),
    )
    + b"torn {\n"
    + lines(call("Bash", "t", command="pytest -q")).rstrip()
    + lines(
        result([{"type": "text", "text": "3 passed"}, {"type": "image"}], "t"),
        call("Task", "a", prompt="look"),
        result([{"type": "text", "text": "The parser is in src/parse_it.py."}], "a"),
        bash("git commit -m x", "[main 1234abc] Fix login"),
        told("Done.\n```\nx = 1\n```", gitBranch="main"),
    )
)


@given(st.lists(st.integers(0, len(SCENE)), max_size=6))
def test_chunk_by_chunk_is_the_same_as_at_once(cuts: list[int]) -> None:
    """However the transcript grows, the state is that of reading it whole; it can be stored and read."""
    whole = fold.fold(model.empty(), parse_chunk(SCENE))
    state = model.empty()
    for end in [*sorted(cuts), len(SCENE)]:
        state = fold.fold(state, parse_chunk(SCENE[state["offset"] : max(end, state["offset"])]))
    assert state == whole
    assert model.load(json.loads(json.dumps(state))) == state


def test_what_the_scene_leaves() -> None:
    state = fold.fold(model.empty(), parse_chunk(SCENE))
    assert [prompt["text"][:13] for prompt in state["prompts"]] == ["Fix the login", "yes", "Now the tests"]
    assert [(mark["kind"], mark["by"], mark["n"]) for mark in state["marks"]] == [("decision", "assistant", 2)]
    assert (state["commits"], state["errors"]) == (["1234abc Fix login"], [])
    assert (state["skipped"], state["window"], state["branch"]) == (1, 1, "main")
    assert state["last_message"] == {"n": state["messages"], "text": "Done.\n```\nx = 1\n```"}
    assert state["boundaries"] == [{"id": "b", "trigger": "auto", "before": 9, "after": None}]


def test_the_message_that_a_prompt_answers_is_kept() -> None:
    """With its end, however long it is; what is said later does not take its place."""
    state = after(told(f"Five ways: {'word ' * 2_000}Which?"), user("do 1,2 and 5"), told("On it."))
    assert state["before"]["text"].startswith("Five ways: word")
    assert state["before"]["text"].endswith("word Which?")
    assert state["last_message"]["text"] == "On it."


OLD_ROWS: dict[str, Rows] = {
    "1.0.17": [
        {"type": "summary", "summary": "Login", "leafUuid": "u"},
        *user("fix it", userType="external", version="1.0.17", isSidechain=False),
        {"type": "assistant", "message": {"content": "Done."}, "costUSD": 0.1, "durationMs": 5},
    ],
    "1.0.24": [*user([{"type": "text", "text": "fix it"}]), {"type": "user", "message": None}, {"type": "user"}],
    "2.0.37": [
        *user("Warmup", isSidechain=True, version="2.0.37", agentId="a"),
        *user([{"type": "image", "source": {"data": "x"}}, {"type": "text", "text": "fix it"}]),
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    ],
    "2.1": [
        {"type": "progress", "data": {"type": "hook_progress"}, "toolUseID": "t"},
        {"type": "queue-operation", "operation": "enqueue", "content": "do that"},
        {"type": "system", "subtype": "microcompact_boundary"},
        *user("fix it", permissionMode="default", origin={"kind": "human"}),
        *user("<task-notification>x</task-notification>", origin={"kind": "task-notification"}),
    ],
}


@pytest.mark.parametrize("rows", OLD_ROWS.values(), ids=list(OLD_ROWS))
def test_shapes_of_many_versions(rows: Rows) -> None:
    """What the client wrote over the years; only what the user typed is a prompt."""
    assert [prompt["text"] for prompt in after(rows)["prompts"]] == ["fix it"]


def test_a_decision_that_a_summary_repeats_is_the_marked_one() -> None:
    """One, and no choice of which only a summary tells."""
    for said, kinds in (("CHOSE C1: ports, as here", ["decision"]), ("CHOSE C1: pipes", ["decision", "retold"])):
        state = after(told("CHOSE: ports, as here"), user(f"{said}\nNEXT N1: go", isCompactSummary=True))
        assert [mark["kind"] for mark in state["marks"]] == kinds


def test_a_message_that_only_closes_lines_closes_them() -> None:
    state = after(user("CHOSE C1: ports\nOPEN O1: who asks?", isCompactSummary=True), told("OVER O1: nobody"))
    assert [line["id"] for line in state["record"]] == ["C1"]


def test_the_given_state_is_not_changed() -> None:
    before = after(user("goal"), did("Edit", file_path="/a"), did("TaskCreate", "#1", subject="one"))
    kept = json.dumps(before)
    more = lines(call("TaskUpdate", taskId="1", status="completed"), did("Edit", file_path="/a"))
    fold.fold(before, parse_chunk(SCENE + more))
    assert json.dumps(before) == kept


DAMAGED: dict[str, Any] = {
    "empty": {},
    "older": {**model.empty(), "v": 2},
    "type": {**model.empty(), "todos": {}},
    "offset": {**model.empty(), "offset": "0"},
    "entry": {**model.empty(), "runs": [{"command": "make"}]},
    "item": {**model.empty(), "tasks": {"1": "one"}},
    "path": {**model.empty(), "read": [5]},
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=list(DAMAGED))
def test_a_damaged_state_begins_anew(data: dict[str, Any]) -> None:
    assert model.load(data) == model.empty()


def test_the_first_prompt_stays_and_the_newest_do() -> None:
    """Verbatim; of a long one the two ends, and how much is missing."""
    state = after(*(user(f"prompt {n}\n\n") for n in range(200)), user("x" * 5_000))
    assert state["prompts"][0]["text"] == "prompt 0"
    assert (len(state["prompts"]), state["prompts"][-2]["text"]) == (120, "prompt 199")
    assert state["prompts"][-1]["text"] == f"{'x' * 2_000} […1,000 more characters…] {'x' * 2_000}"


def busy(state: Worklog, rounds: range) -> Worklog:
    why = "The tool use was rejected. To tell you how to proceed, the user said:\n" + "z" * 9_000
    steps: list[Rows] = []
    for n in rounds:
        path, command = f"/deep/{'f' * 60}/{n}.py", f"pytest {n} {'x' * 900}"
        steps += [user(f"RULE: never {n}. " + "p" * 5_000), told(f"DECISION: file {n}\n" + "word " * 900)]
        steps += [
            did("Read", f"name_of_{n} " * 40, file_path=path),
            did("Edit", file_path=path, new_string="q_" * 4_000),
        ]
        steps += [
            call("Bash", f"open{n}", command="x" * 900),
            did("TaskCreate", f"Task #{n} created", subject="s" * 500),
        ]
        steps += [call("AskUserQuestion"), result("x", told={"answers": {f"{n}" * 900: "a" * 9_000}})]
        steps += [bash(command, "E failed" + "y" * 5_000, failed=True)]
        steps += [call("Bash", command=command), result(why, failed=True, told="User rejected tool use")]
        items = [{"content": f"{n} {letter} {'x' * 500}", "status": "s" * 999} for letter in "abc"]
        steps += [did("TodoWrite", "", todos=items), [{**BOUNDARY, "uuid": str(n)}]]
        steps += [bash("git commit", f"[main 1234abc] {'m' * 900} {n}")]
    return fold.fold(state, parse_chunk(lines(*steps)))


def test_the_state_stays_small() -> None:
    """It grows to its bounds and no further, after any number of rows."""
    state, sizes = model.empty(), list[dict[str, int]]()
    for rounds in (range(310), range(310, 620)):  # the longest list has 300 entries
        state = busy(state, rounds)
        sizes.append({key: len(json.dumps(value)) for key, value in state.items()})
    assert {key for key, small in sizes[0].items() if sizes[1][key] > 1.05 * small + 200} == set()
    assert sum(sizes[1].values()) < 900_000
    assert state["messages"] == 620 * 19


@pytest.mark.parametrize("padded", ["", "x" * 970 + " "], ids=["whole", "at the place where a name is cut"])
def test_names_that_somebody_chose_hold_no_secret(padded: str) -> None:
    """Of branches, folders and agents; what repeats is looked at once."""
    name = f"{padded}fix-{KEY}"
    fields = {"gitBranch": name, "cwd": f"/p/{name}"}
    state = after(user("go", **fields), [{"type": "agent-setting", "agentSetting": name}], told("yes", **fields))
    assert len(state["branches"]) == 1
    assert state["folder"].startswith("/p/")
    assert [key for key, value in state.items() if KEY[:12] in str(value)] == []
