import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.transcript.rows import parse_chunk
from holdfast.worklog import fold, outcomes


def user(text: Any, **fields: Any) -> dict[str, Any]:
    """What the user typed."""
    return {"type": "user", "message": {"content": text}, **fields}


def said(text: str, **fields: Any) -> dict[str, Any]:
    """What the assistant said."""
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}, **fields}


def call(name: str, number: str = "1", **inputs: Any) -> dict[str, Any]:
    """A call."""
    block = {"type": "tool_use", "id": number, "name": name, "input": inputs}
    return {"type": "assistant", "message": {"content": [block], "model": "claude-x"}}


def result(text: Any, number: str = "1", failed: bool = False) -> dict[str, Any]:
    """Its result."""
    return user([{"type": "tool_result", "tool_use_id": number, "content": text, "is_error": failed}])


def lines(*rows: dict[str, Any]) -> bytes:
    """Rows as they stand in a transcript."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def after(*rows: dict[str, Any]) -> Any:
    """The state after these rows."""
    return fold.fold(fold.empty(), parse_chunk(lines(*rows)))


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
        said("I'll use argon2 because bcrypt is slow. Shall I?"),
        user("yes"),
        call("Edit", "e", file_path="/p/a.py", old_string="x", new_string="def load_user():"),
        result("ok", "e"),
        call("Bash", "t", command="pytest -q"),
        result("E: boom\n1 failed", "t", True),
        call("TodoWrite", "w", todos=[{"content": "one", "status": "pending"}]),
        result("", "w"),
        BOUNDARY,
        user("Fixed the login in a.py; then the tests in test_login.py.", isCompactSummary=True),
        user([{"type": "image", "source": {}}, {"type": "text", "text": "Now the tests"}]),
    )
    + b"torn {\n"
    + lines(call("Bash", "t", command="pytest -q")).rstrip()
    + lines(
        result([{"type": "text", "text": "3 passed"}, {"type": "image"}], "t"),
        call("Task", "a", prompt="look"),
        result([{"type": "text", "text": "The parser is in src/parse_it.py."}], "a"),
        call("Bash", "c", command="git commit -m x"),
        result("[main 1234abc] Fix login", "c"),
        said("Done.", gitBranch="main"),
    )
)


@given(st.lists(st.integers(0, len(SCENE)), max_size=6))
def test_chunk_by_chunk_is_the_same_as_at_once(cuts: list[int]) -> None:
    """However the transcript grows, the state is that of reading it whole."""
    whole = fold.fold(fold.empty(), parse_chunk(SCENE))
    state = fold.empty()
    for end in [*sorted(cuts), len(SCENE)]:
        state = fold.fold(state, parse_chunk(SCENE[state["offset"] : max(end, state["offset"])]))
    assert state == whole
    assert fold.load(json.loads(json.dumps(state))) == state


def test_what_the_scene_leaves() -> None:
    """Every kind of row: glued and torn ones, images, a summary, a boundary."""
    state = fold.fold(fold.empty(), parse_chunk(SCENE))
    assert [prompt["text"][:13] for prompt in state["prompts"]] == ["Fix the login", "yes", "Now the tests"]
    assert {note["kind"] for note in state["notes"]} == {"constraint", "decision", "approval"}
    assert state["commits"] == ["1234abc Fix login"]
    assert [state["errors"], len(state["fixed"]), state["skipped"], state["window"]] == [[], 1, 1, 1]
    assert state["boundaries"] == [
        {"id": "b", "n": 9, "time": "2030-01-02T03:04:05Z", "trigger": "auto", "before": 9, "after": None}
    ]
    assert {"load_user", "parse_it.py", "test_login.py"} <= state["terms"].keys()


TOOLS = (
    *("Bash", "Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "TodoWrite", "TaskCreate", "TaskUpdate"),
    *("ExitPlanMode", "AskUserQuestion", "Skill", "Task", "WebFetch", "Odd"),
)
FIELDS = (
    *("type", "id", "name", "input", "content", "text", "tool_use_id", "is_error", "todos", "taskId", "status"),
    *("command", "file_path", "edits", "new_string", "old_string", "subject", "plan", "planFilePath", "model"),
)
ODD: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=5)
    | st.sampled_from(["user", "assistant", "text", "tool_use", "tool_result", "image", *TOOLS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=14,
)
ANY_ROW = st.dictionaries(
    st.sampled_from(
        ["type", "message", "subtype", "compactMetadata", "uuid", "gitBranch", "cwd", "isMeta", "origin", "attachment"]
    ),
    ODD | st.just("compact_boundary") | st.just("attachment"),
    max_size=5,
)
INPUTS = st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=6)
CALLED = st.builds(
    lambda tool, inputs, content, failed: [
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": 1, "name": tool, "input": inputs}]}},
        user([{"type": "tool_result", "tool_use_id": 1, "content": content, "is_error": failed}]),
    ],
    st.sampled_from(TOOLS),
    INPUTS | ODD,
    ODD,
    ODD,
)
ROWS = st.lists(ANY_ROW.map(lambda row: [row]) | CALLED, max_size=6).map(lambda groups: [r for g in groups for r in g])


@given(ROWS)
def test_rows_of_any_shape_are_folded(rows: list[dict[str, Any]]) -> None:
    """A row of another shape is passed over; the state stays one that can be stored and read."""
    state = after(*rows)
    assert fold.load(json.loads(json.dumps(state))) == state
    assert all(set(item) == {"text", "status"} for item in fold.plan(state))


@pytest.mark.parametrize(
    ("rows", "prompts"),
    [
        pytest.param(
            [
                {"type": "summary", "summary": "Login", "leafUuid": "u"},
                user("fix it", userType="external", version="1.0.17", isSidechain=False),
                {"type": "assistant", "message": {"content": "Done."}, "costUSD": 0.1, "durationMs": 5},
            ],
            ["fix it"],
            id="1.0.17",
        ),
        pytest.param(
            [user([{"type": "text", "text": "fix it"}]), {"type": "user", "message": None}, {"type": "user"}],
            ["fix it"],
            id="1.0.24",
        ),
        pytest.param(
            [
                user("Warmup", isSidechain=True, version="2.0.37", agentId="a"),
                user([{"type": "image", "source": {"data": "x"}}, {"type": "text", "text": "what is this"}]),
                {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
            ],
            ["what is this"],
            id="2.0.37",
        ),
        pytest.param(
            [
                {"type": "progress", "data": {"type": "hook_progress"}, "toolUseID": "t"},
                {"type": "queue-operation", "operation": "enqueue", "content": "do that"},
                {"type": "system", "subtype": "turn_duration", "durationMs": 5},
                {"type": "system", "subtype": "microcompact_boundary"},
                {"type": "pr-link", "prNumber": 5},
                user("fix it", permissionMode="default", origin={"kind": "human"}),
                user("<task-notification>x</task-notification>", origin={"kind": "task-notification"}),
            ],
            ["fix it"],
            id="2.1",
        ),
    ],
)
def test_shapes_of_many_versions(rows: list[dict[str, Any]], prompts: list[str]) -> None:
    """What the client wrote over the years; only what the user typed is a prompt."""
    assert [prompt["text"] for prompt in after(*rows)["prompts"]] == prompts


@given(st.binary(max_size=300))
def test_any_bytes_are_folded(data: bytes) -> None:
    """Nothing raises, and what was consumed is counted."""
    state = fold.fold(fold.empty(), parse_chunk(data))
    assert state["offset"] == data.rfind(b"\n") + 1


def test_the_given_state_is_not_changed() -> None:
    """A reducer: the old state can still be used."""
    before = after(user("goal"), said("I keep load_user here."), call("TaskCreate", subject="one"), result("Task #1"))
    kept = json.dumps(before)
    more = lines(call("TaskUpdate", taskId="1", status="completed"), result("x", failed=True))
    fold.fold(before, parse_chunk(SCENE + more))
    assert json.dumps(before) == kept


@pytest.mark.parametrize(
    "data",
    [{}, {"v": 1}, {**fold.empty(), "v": 1}, {**fold.empty(), "todos": {}}, {**fold.empty(), "offset": "0"}],
    ids=["empty", "version", "older", "type", "offset"],
)
def test_a_damaged_state_begins_anew(data: dict[str, Any]) -> None:
    """What cannot be trusted is not used."""
    assert fold.load(data) == fold.empty()


def test_goal_stays_and_prompts_move_on() -> None:
    """The first prompt is the goal after any number of others."""
    state = after(*(user(f"prompt {n}") for n in range(200)))
    assert state["goal"] == "prompt 0"
    assert [len(state["prompts"]), state["prompts"][-1]["text"]] == [fold.PROMPTS, "prompt 199"]


def test_a_short_answer_keeps_its_question() -> None:
    """And the message that it came after; a prompt that stands alone has none."""
    state = after(user("Fix the login"), said("I see two ways.\n\nShall I use argon2?"), user("yes"))
    assert state["prompts"] == [
        {"n": 1, "text": "Fix the login", "source": "typed", "to": "", "re": "", "after": 0},
        {"n": 3, "text": "yes", "source": "typed", "to": "", "re": "Shall I use argon2?", "after": 2},
    ]
    state = after(user("Fix"), said("Shall I use argon2?"), user("Before that, please look at the session store. " * 3))
    assert state["prompts"][-1]["re"] == ""


def test_an_error_is_open_until_the_same_command_works() -> None:
    """Fixed by the same command or by an edit of the same file, and by nothing else."""
    failed = [call("Bash", command="make all"), result("cc: fatal error: x.h not found\nmake: *** stop", failed=True)]
    assert after(*failed)["errors"] == [
        {"at": "make all", "what": "cc: fatal error: x.h not found", "n": 2, "tried": []}
    ]
    assert after(*failed, call("Bash", command="ls"), result("ok"))["errors"] != []
    assert after(*failed, call("Bash", command="make all"), result("ok"))["errors"] == []
    edit = [call("Edit", file_path="/a.py"), result("EACCES: permission denied", failed=True)]
    assert after(*edit, call("Write", file_path="/a.py"), result("ok"))["errors"] == []


NO = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def test_a_refusal_is_no_error() -> None:
    """The user's no is not a fault of the work; only the client says that it was one."""
    asked = call("Bash", command="rm x")
    state = after(asked, {**result(NO, failed=True), "toolUseResult": "User rejected tool use"})
    assert [state["errors"], [note["text"] for note in state["notes"]]] == [[], ["the user refused Bash: rm x"]]
    state = after(asked, {**result(NO, failed=True), "toolUseResult": f"Error: {NO}", "version": "2.1.42"})
    assert [note["kind"] for note in state["notes"]] == ["failed"]
    state = after(asked, {**result(NO, failed=True), "toolUseResult": {"stderr": NO}})
    assert [len(state["errors"]), state["notes"]] == [1, []]


def test_a_call_that_was_interrupted_did_not_happen() -> None:
    """The next prompt ends it; a result that comes without its call changes nothing."""
    state = after(call("Edit", file_path="/a.py"), user("Stop"), result("ok"))
    assert [state["changed"], state["open_calls"]] == [[], {}]


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q tests",
        "python -m unittest",
        "npm test",
        "npm run test:unit",
        "go test ./...",
        "cargo test",
        "make test",
        "./scripts/check",
        "gradlew test",
    ],
)
def test_test_runs_are_told(command: str) -> None:
    """A run and how it ended."""
    run = after(call("Bash", command=command), result("x\n3 passed"))["tests"][0]
    assert (run["command"], run["ok"], run["end"]) == (command, True, "3 passed")
    assert after(call("Bash", command=command), result("1 failed", failed=True))["tests"][0]["ok"] is False


@pytest.mark.parametrize(
    ("printed", "commits"),
    [
        ("[main 1234abc] Fix login\n 1 file changed", ["1234abc Fix login"]),
        ("[feature/x (root-commit) 1234abcd] First", ["1234abcd First"]),
        ("[detached HEAD 1234abc] Fix", ["1234abc Fix"]),
        ("nothing to commit, working tree clean", []),
        ("", ["(message not shown)"]),
    ],
    ids=["plain", "root", "detached", "nothing", "quiet"],
)
def test_commits_are_read_from_what_git_printed(printed: str, commits: list[str]) -> None:
    """Only a commit that was made counts; it makes the tree clean."""
    state = after(
        call("Edit", file_path="/a"),
        result("ok"),
        call("Bash", command="git add -A && git commit -m x"),
        result(printed),
    )
    assert state["commits"] == commits
    assert state["dirty"] is not bool(commits)


@pytest.mark.parametrize(
    ("command", "commits"),
    [
        ('git commit -qm "Fix login"', ["Fix login"]),
        ("git -C sub -c user.name=x commit -q -m 'Fix login'", ["Fix login"]),
        ("git log --grep commit", []),
        ("git config commit.gpgsign false", []),
        ("git commit-tree x", []),
        ("git show commit", []),
        ("git status; echo commit", []),
    ],
)
def test_a_quiet_commit_is_told_by_its_command(command: str, commits: list[str]) -> None:
    """Where git printed nothing, only the subcommand itself counts."""
    assert after(call("Bash", command=command), result(""))["commits"] == commits


def test_plan_from_either_tool() -> None:
    """To-do list or tasks, whichever is in use, with the states as they stand."""
    tasks = [
        call("TaskCreate", subject="one"),
        result("Task #1 created successfully: one"),
        call("TaskCreate", subject="two"),
        result("Task #2 created successfully: two"),
        call("TaskUpdate", taskId="2", status="completed"),
    ]
    assert fold.plan(after(*tasks)) == [{"text": "one", "status": "pending"}, {"text": "two", "status": "completed"}]
    assert after(call("TaskUpdate", taskId="9", status="completed"))["tasks"] == {}
    todo = call("TodoWrite", todos=[{"content": "x", "status": "in_progress"}, "odd", {"content": None}])
    assert fold.plan(after(*tasks, todo)) == [
        {"text": "x", "status": "in_progress"},
        {"text": "", "status": "pending"},
    ]


def busy(rounds: int) -> Any:
    """The state after many rows of every kind."""
    rows: list[dict[str, Any]] = []
    for n in range(rounds):
        path = f"/deep/{'f' * 60}/{n}.py"
        rows += [user(f"Never do {n}. " + "p" * 5_000), said(f"DECISION: use file_number_{n}. " + "word " * 900)]
        rows += [call("Read", "r", file_path=path), result(f"name_of_{n} " * 40, "r")]
        rows += [call("Edit", "e", file_path=path, new_string=f"def made_{n}(): {'q_' * 4_000}"), result("x", "e")]
        rows += [call("Bash", f"open{n}", command="x" * 900), call("TaskCreate", f"k{n}", subject="s" * 500)]
        rows += [result(f"Task #{n} created", f"k{n}"), call("AskUserQuestion", "q"), result(f"{n}" * 900, "q")]
        command = f"pytest {n} {'x' * 900}"
        rows += [call("Bash", "b", command=command), result("E failed" + "y" * 5_000, "b", failed=True)]
        rows += [{**BOUNDARY, "uuid": str(n)}]
    return after(*rows)


def test_the_state_stays_small() -> None:
    """It grows to its bounds and no further, after any number of rows."""
    half, whole = busy(400), busy(800)
    sizes = [{key: len(json.dumps(value)) for key, value in state.items()} for state in (half, whole)]
    grown = {key: (small, sizes[1][key]) for key, small in sizes[0].items() if sizes[1][key] > 1.05 * small + 200}
    assert set(grown) <= {"terms", "sentences"}
    assert sum(sizes[1].values()) < 1_200_000
    assert whole["messages"] == 800 * 13


def test_sub_agents_rows_do_not_count() -> None:
    """What a sub-agent did is not this session's doing."""
    assert after(user("x", isSidechain=True), user("y", agentId="a"))["messages"] == 0


def test_what_a_long_session_remembers_of_files() -> None:
    """The newest files stay, each once, newest last."""
    rows = [row for n in [*range(400), 399, 105] for row in (call("Read", file_path=f"/f{n}"), result("x"))]
    state = after(*rows)
    assert len(state["read"]) == outcomes.FILES
    assert state["read"][-2:] == ["/f399", "/f105"]
    assert len(set(state["read"])) == outcomes.FILES


def test_a_failed_run_behind_a_pipe_is_no_green_run() -> None:
    """The exit code may be that of `tail`; what the run printed decides, and the failure stays open."""
    state = after(call("Bash", command="pytest -q 2>&1 | tail -5"), result("1 failed, 9 passed in 0.30s"))
    assert state["tests"][-1]["ok"] is False
    assert state["errors"][-1]["what"] == "1 failed, 9 passed in 0.30s"
    state = after(call("Bash", command="pytest -q | tail -5"), result("0 failed, 10 passed"))
    assert state["tests"][-1]["ok"] is True
    assert state["errors"] == []
