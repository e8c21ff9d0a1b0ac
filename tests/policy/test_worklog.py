import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.transcript import parse_chunk
from holdfast.policy import worklog


def user(text: Any, **fields: Any) -> dict[str, Any]:
    """What the user typed."""
    return {"type": "user", "message": {"content": text}, **fields}


def call(name: str, number: str = "1", **inputs: Any) -> dict[str, Any]:
    """A call."""
    block = {"type": "tool_use", "id": number, "name": name, "input": inputs}
    return {"type": "assistant", "message": {"content": [block], "model": "claude-x"}}


def result(text: str, number: str = "1", failed: bool = False) -> dict[str, Any]:
    """Its result."""
    return user([{"type": "tool_result", "tool_use_id": number, "content": text, "is_error": failed}])


def lines(*rows: dict[str, Any]) -> bytes:
    """Rows as they stand in a transcript."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def after(*rows: dict[str, Any]) -> dict[str, Any]:
    """The state after these rows."""
    return worklog.fold(worklog.empty(), parse_chunk(lines(*rows)))


SCENE = lines(
    user("Fix the login"),
    call("Edit", "e", file_path="/p/a.py"),
    result("ok", "e"),
    call("Bash", "t", command="pytest -q"),
    result("E: boom\n1 failed", "t", True),
    call("TodoWrite", "w", todos=[{"content": "one", "status": "pending"}]),
    result("", "w"),
    {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "compactMetadata": {"preTokens": 9, "trigger": "auto"},
    },
    user("Now the tests"),
    call("Bash", "t", command="pytest -q"),
    result("3 passed", "t"),
    call("Bash", "c", command="git commit -m x"),
    result("[main 1234abc] Fix login", "c"),
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}, "gitBranch": "main"},
)


@given(st.lists(st.integers(0, len(SCENE)), max_size=6))
def test_chunk_by_chunk_is_the_same_as_at_once(cuts: list[int]) -> None:
    """However the transcript grows, the state is that of reading it whole."""
    whole = worklog.fold(worklog.empty(), parse_chunk(SCENE))
    state = worklog.empty()
    for end in [*sorted(cuts), len(SCENE)]:
        state = worklog.fold(state, parse_chunk(SCENE[state["offset"] : max(end, state["offset"])]))
    assert state == whole
    assert worklog.load(json.loads(json.dumps(state))) == state


ODD: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=5)
    | st.sampled_from(["user", "assistant", "tool_use", "tool_result", "Bash", "TodoWrite", "TaskUpdate"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "id",
                    "name",
                    "input",
                    "content",
                    "text",
                    "tool_use_id",
                    "todos",
                    "taskId",
                    "status",
                    "command",
                    "model",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=14,
)
ROWS = st.lists(
    st.dictionaries(
        st.sampled_from(["type", "message", "subtype", "compactMetadata", "uuid", "gitBranch", "isMeta", "origin"]),
        ODD | st.just("compact_boundary"),
        max_size=5,
    ),
    max_size=6,
)


@given(ROWS)
def test_rows_of_any_shape_are_folded(rows: list[dict[str, Any]]) -> None:
    """A row of another shape is passed over; the state stays one that can be stored and read."""
    state = after(*rows)
    assert worklog.load(json.loads(json.dumps(state))) == state


@given(st.binary(max_size=300))
def test_any_bytes_are_folded(data: bytes) -> None:
    """Nothing raises, and what was consumed is counted."""
    state = worklog.fold(worklog.empty(), parse_chunk(data))
    assert state["offset"] == data.rfind(b"\n") + 1


def test_the_given_state_is_not_changed() -> None:
    """A reducer: the old state can still be used."""
    before = after(user("goal"), call("TaskCreate", subject="one"), call("Bash", command="x"))
    kept = json.dumps(before)
    worklog.fold(
        before, parse_chunk(SCENE + lines(call("TaskUpdate", taskId="1", status="completed"), result("x", failed=True)))
    )
    assert json.dumps(before) == kept


@pytest.mark.parametrize(
    "data",
    [{}, {"v": 2}, {**worklog.empty(), "todos": {}}, {**worklog.empty(), "offset": "0"}],
    ids=["empty", "version", "type", "offset"],
)
def test_a_damaged_state_begins_anew(data: dict[str, Any]) -> None:
    """What cannot be trusted is not used."""
    assert worklog.load(data) == worklog.empty()


def test_goal_stays_and_prompts_move_on() -> None:
    """The first prompt is the goal after any number of others."""
    state = after(*(user(f"prompt {n}") for n in range(50)))
    assert state["goal"] == "prompt 0"
    assert [len(state["prompts"]), state["prompts"][-1]] == [worklog.PROMPTS, "prompt 49"]


def test_an_error_is_open_until_the_same_command_works() -> None:
    """Fixed by the same command or by an edit of the same file, and by nothing else."""
    failed = [call("Bash", command="make all"), result("cc: fatal error: x.h not found\nmake: *** stop", failed=True)]
    assert after(*failed)["errors"] == [{"at": "make all", "what": "cc: fatal error: x.h not found"}]
    assert after(*failed, call("Bash", command="ls"), result("ok"))["errors"] != []
    assert after(*failed, call("Bash", command="make all"), result("ok"))["errors"] == []
    edit = [call("Edit", file_path="/a.py"), result("String to replace not found", failed=True)]
    assert after(*edit, call("Write", file_path="/a.py"), result("ok"))["errors"] == []


def test_a_refusal_is_no_error() -> None:
    """The user's no is not a fault of the work."""
    assert after(call("Bash", command="rm x"), result("The user doesn't want to proceed", failed=True))["errors"] == []


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
    assert after(call("Bash", command=command), result("x\n3 passed"))["tests"] == [
        {"command": command, "ok": True, "end": "3 passed"}
    ]
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
    assert worklog.plan(after(*tasks)) == [{"text": "one", "status": "pending"}, {"text": "two", "status": "completed"}]
    assert after(call("TaskUpdate", taskId="9", status="completed"))["tasks"] == {}
    todo = call("TodoWrite", todos=[{"content": "x", "status": "in_progress"}, "odd", {"content": None}])
    assert worklog.plan(after(*tasks, todo)) == [
        {"text": "x", "status": "in_progress"},
        {"text": "", "status": "pending"},
    ]


def test_the_state_stays_small() -> None:
    """After very many rows of every kind it is a few tens of KB at most."""
    rows: list[dict[str, Any]] = []
    for n in range(400):
        rows += [user("p" * 5_000), call("Read", "r", file_path=f"/deep/{'f' * 60}/{n}.py"), result("x", "r")]
        rows += [call("Edit", "e", file_path=f"/deep/{'f' * 60}/{n}.py"), result("x", "e")]
        rows += [call("Bash", f"open{n}", command="x" * 900), call("TaskCreate", f"k{n}", subject="s" * 500)]
        rows += [
            call("Bash", "b", command=f"pytest {n} {'x' * 900}"),
            result("E failed" + "y" * 5_000, "b", failed=True),
        ]
        rows += [{"type": "system", "subtype": "compact_boundary", "uuid": str(n)}]
    state = after(*rows)
    assert len(json.dumps(state)) < 60_000
    assert state["messages"] == 400 * 9


def test_sub_agents_rows_do_not_count() -> None:
    """What a sub-agent did is not this session's doing."""
    assert after(user("x", isSidechain=True), user("y", agentId="a"))["messages"] == 0


def test_what_a_long_session_remembers_of_files() -> None:
    """The newest files stay, each once, newest last."""
    rows = [row for n in [*range(80), 79, 5] for row in (call("Read", file_path=f"/f{n}"), result("x"))]
    state = after(*rows)
    assert len(state["read"]) == worklog.FILES
    assert state["read"][-2:] == ["/f79", "/f5"]
    assert len(set(state["read"])) == worklog.FILES


def test_a_failed_run_behind_a_pipe_is_no_green_run() -> None:
    """The exit code may be that of `tail`; what the run printed decides, and the failure stays open."""
    state = after(call("Bash", command="pytest -q 2>&1 | tail -5"), result("1 failed, 9 passed in 0.30s"))
    assert state["tests"][-1]["ok"] is False
    assert state["errors"][-1]["what"] == "1 failed, 9 passed in 0.30s"
    state = after(call("Bash", command="pytest -q | tail -5"), result("0 failed, 10 passed"))
    assert state["tests"][-1]["ok"] is True
    assert state["errors"] == []
