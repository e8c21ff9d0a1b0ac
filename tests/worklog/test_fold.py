import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.transcript.rows import parse_chunk
from holdfast.worklog import fold, model, reader, tool_events
from holdfast.worklog.model import Worklog
from tests.worklog import states


def user(text: Any, **fields: Any) -> dict[str, Any]:
    """What the user typed."""
    return states.user(text, **fields)[0]


def said(text: str, **fields: Any) -> dict[str, Any]:
    """What the assistant said."""
    return {**states.told(text)[0], **fields}


def call(name: str, number: str = "1", **inputs: Any) -> dict[str, Any]:
    """A call."""
    return states.call(name, number, **inputs)[0]


def result(text: Any, number: str = "1", failed: bool = False, told: Any = None) -> dict[str, Any]:
    """Its result; told: what the client itself keeps of it."""
    return {**states.result(text, number, failed)[0], "toolUseResult": told}


def lines(*rows: dict[str, Any]) -> bytes:
    """Rows as they stand in a transcript."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def after(*rows: dict[str, Any]) -> Worklog:
    """The state after these rows."""
    return states.after(list(rows))


def prompts(*rows: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(text, source, what it is about) of the user's words."""
    return [(prompt["text"], prompt["source"], prompt["to"]) for prompt in after(*rows)["prompts"]]


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
        said("DECISION: argon2, because bcrypt is slow. Shall I?"),
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
        said("Done.\n```\nx = 1\n```", gitBranch="main"),
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
    """Every kind of row: glued and torn ones, images, a summary, a boundary."""
    state = fold.fold(model.empty(), parse_chunk(SCENE))
    assert [prompt["text"][:13] for prompt in state["prompts"]] == ["Fix the login", "yes", "Now the tests"]
    assert [(mark["kind"], mark["by"], mark["n"]) for mark in state["marks"]] == [("decision", "assistant", 2)]
    assert (state["commits"], state["errors"]) == (["1234abc Fix login"], [])
    assert (state["skipped"], state["window"], state["branch"]) == (1, 1, "main")
    assert state["last_message"] == {"n": state["messages"], "text": "Done.\n```\nx = 1\n```"}
    assert state["boundaries"] == [{"id": "b", "trigger": "auto", "before": 9, "after": None}]


def test_the_message_that_a_prompt_answers_is_kept(transcript: Any) -> None:
    """With its end, however long it is; what is said later does not take its place."""
    transcript.assistant("Five ways: " + "word " * 2_000 + "Which?")
    transcript.user("do 1,2 and 5")
    transcript.assistant("On it.")
    state = reader.read_whole(str(transcript.path))
    assert state["before"]["text"].startswith("Five ways: word")
    assert state["before"]["text"].endswith("word Which?")
    assert state["last_message"]["text"] == "On it."


TOOLS = (
    *("Bash", "Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "TodoWrite", "TaskCreate", "TaskUpdate"),
    *("ExitPlanMode", "AskUserQuestion", "Skill", "Task", "WebFetch", "Odd"),
)
FIELDS = (
    *("type", "id", "name", "input", "content", "text", "tool_use_id", "is_error", "todos", "taskId", "status"),
    *("command", "file_path", "edits", "new_string", "old_string", "subject", "plan", "planFilePath", "model"),
    *("answers", "questions", "options", "label", "structuredPatch", "lines", "filePath", "plan"),
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
KEYS = (
    *("type", "message", "subtype", "compactMetadata", "uuid", "gitBranch", "cwd", "isMeta", "origin", "attachment"),
    "toolUseResult",
)
ANY_ROW = st.dictionaries(st.sampled_from(KEYS), ODD | st.sampled_from(["compact_boundary", "attachment"]), max_size=5)
INPUTS = st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=6)
CALLED = st.builds(
    lambda tool, inputs, content, told: [
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": 1, "name": tool, "input": inputs}]}},
        user(
            [{"type": "tool_result", "tool_use_id": 1, "content": content, "is_error": told is None}],
            toolUseResult=told,
        ),
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
    assert model.load(json.loads(json.dumps(state))) == state


OLD_ROWS: dict[str, list[dict[str, Any]]] = {
    "1.0.17": [
        {"type": "summary", "summary": "Login", "leafUuid": "u"},
        user("fix it", userType="external", version="1.0.17", isSidechain=False),
        {"type": "assistant", "message": {"content": "Done."}, "costUSD": 0.1, "durationMs": 5},
    ],
    "1.0.24": [user([{"type": "text", "text": "fix it"}]), {"type": "user", "message": None}, {"type": "user"}],
    "2.0.37": [
        user("Warmup", isSidechain=True, version="2.0.37", agentId="a"),
        user([{"type": "image", "source": {"data": "x"}}, {"type": "text", "text": "fix it"}]),
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    ],
    "2.1": [
        {"type": "progress", "data": {"type": "hook_progress"}, "toolUseID": "t"},
        {"type": "queue-operation", "operation": "enqueue", "content": "do that"},
        {"type": "system", "subtype": "microcompact_boundary"},
        user("fix it", permissionMode="default", origin={"kind": "human"}),
        user("<task-notification>x</task-notification>", origin={"kind": "task-notification"}),
    ],
}


@pytest.mark.parametrize("rows", OLD_ROWS.values(), ids=list(OLD_ROWS))
def test_shapes_of_many_versions(rows: list[dict[str, Any]]) -> None:
    """What the client wrote over the years; only what the user typed is a prompt."""
    assert [prompt["text"] for prompt in after(*rows)["prompts"]] == ["fix it"]


def test_the_given_state_is_not_changed() -> None:
    """A reducer: the old state can still be used."""
    before = after(
        user("goal"), call("Edit", file_path="/a"), result("x"), call("TaskCreate", subject="one"), result("#1")
    )
    kept = json.dumps(before)
    more = lines(call("TaskUpdate", taskId="1", status="completed"), call("Edit", file_path="/a"), result("x"))
    fold.fold(before, parse_chunk(SCENE + more))
    assert json.dumps(before) == kept


@pytest.mark.parametrize(
    "data",
    [
        {},
        {**model.empty(), "v": 2},
        {**model.empty(), "todos": {}},
        {**model.empty(), "offset": "0"},
        {**model.empty(), "runs": [{"command": "make"}]},
        {**model.empty(), "tasks": {"1": "one"}},
        {**model.empty(), "read": [5]},
    ],
    ids=["empty", "older", "type", "offset", "entry", "item", "path"],
)
def test_a_damaged_state_begins_anew(data: dict[str, Any]) -> None:
    """What cannot be trusted is not used."""
    assert model.load(data) == model.empty()


def test_the_first_prompt_stays_and_the_newest_do() -> None:
    """Verbatim; of a long one the beginning, and how much is missing."""
    state = after(*(user(f"prompt {n}\n\n") for n in range(200)), user("x" * 5_000))
    assert state["prompts"][0]["text"] == "prompt 0"
    assert (len(state["prompts"]), state["prompts"][-2]["text"]) == (tool_events.PROMPTS, "prompt 199")
    assert state["prompts"][-1]["text"] == f"{'x' * 4_000} […1,000 more characters]"


def test_slash_commands_are_the_users_words() -> None:
    """With their arguments, as they were typed; what they say is no mark of the user's."""
    typed = "<command-name>/review</command-name><command-args>the parser\nRULE: tabs</command-args>"
    assert prompts(user(typed)) == [("/review the parser\nRULE: tabs", "command", "")]
    assert after(user(typed))["marks"] == []


def test_answers_are_told_with_the_whole_option() -> None:
    """What the user chose or wrote, each with its question; without the client's record nothing is known."""
    options = [{"label": "SQLite", "description": "one file"}, {"label": "Postgres", "description": "a server"}]
    told = {
        "questions": [{"question": "Which store?", "options": options}, {"question": "And the name?"}],
        "answers": {"Which store?": "SQLite", "And the name?": "holdfast.db"},
    }
    asked = call("AskUserQuestion", questions=[])
    assert prompts(asked, result("User has answered", told=told)) == [
        ("SQLite: one file", "answer", "Which store?"),
        ("holdfast.db", "answer", "And the name?"),
    ]
    assert prompts(asked, result('User has answered your questions: "Which?"="x"')) == []


NO = "The user doesn't want to proceed with this tool use. The tool use was rejected."
WHY = f"{NO} To tell you how to proceed, the user said:\nKeep build,\nit is slow to make"


def test_a_refusal_is_the_users_and_no_error() -> None:
    """Only the client says that it was one; the user's words that came with it are kept as they were said."""
    asked = call("Bash", command="rm -r build")
    state = after(asked, result(NO, failed=True, told="User rejected tool use"))
    assert (state["errors"], state["runs"], state["prompts"]) == ([], [], [])
    assert state["refused"] == [{"tool": "Bash", "about": "rm -r build", "reasoned": False}]
    rows = [asked, {**result(WHY, failed=True, told=f"Error: {WHY}"), "version": "2.1.42"}]
    assert prompts(*rows) == [("Keep build,\nit is slow to make", "refusal", "Bash rm -r build")]
    state = after(asked, result(WHY, failed=True, told={"stderr": WHY}))
    assert (len(state["errors"]), state["refused"], state["prompts"]) == (1, [], [])


def refusal(tool: str, why: str = NO, **inputs: Any) -> states.Rows:
    """A call that the user did not let run."""
    return [call(tool, **inputs), result(why, failed=True, told="User rejected tool use")]


def refused(*steps: states.Rows) -> list[str]:
    """What the refused calls of these steps are about."""
    return [one["about"] for one in states.after(*steps)["refused"]]


def test_a_refused_call_that_was_carried_out_later_is_told_no_more() -> None:
    """The same tool on the same path or command, however its output is cut; not one that was interrupted again."""
    edited, ran = refusal("Edit", WHY, file_path="/p/a.py"), refusal("Bash", WHY, command="make 2>&1 | tail -10")
    assert refused(edited, ran) == ["/p/a.py", "make 2>&1 | tail -10"]
    assert refused(edited, ran, states.edit("/p/a.py")) == ["make 2>&1 | tail -10"]
    again = "cd /p && make"
    assert refused(edited, ran, states.bash(again, "Exit code 2\nboom", failed=True)) == ["/p/a.py"]
    assert len(refused(edited, ran, states.bash(again, "[Request interrupted by user]", failed=True))) == 2
    assert len(refused(edited, ran, states.did("Read", file_path="/p/a.py"))) == 2


def test_an_interruption_without_words_is_over_with_the_next_request() -> None:
    """A refusal that the user gave a reason for stays."""
    rows = [refusal("Bash", command="make"), refusal("Edit", WHY, file_path="/p/a.py")]
    assert refused(*rows) == ["make", "/p/a.py"]
    assert refused(*rows, states.user("Go on with the parser")) == ["/p/a.py"]


def test_a_plan_is_approved_or_refused_by_the_client_mark() -> None:
    """The approval is one of the user's acts, without words of its own."""
    plan = call("ExitPlanMode", plan="Use SQLite", planFilePath="/p/plan.md")
    rows = [plan, result("User has approved your plan", told={"plan": "Use SQLite", "filePath": "/p/plan.md"})]
    assert after(*rows)["planned"]["state"] == "approved"
    assert prompts(*rows) == [("", "approval", "/p/plan.md")]
    state = after(plan, {**result(WHY, failed=True, told=f"Error: {WHY}"), "version": "2.1.42"})
    assert (state["planned"]["state"], state["prompts"][0]["source"]) == ("refused", "refusal")


def test_what_is_typed_beside_a_result_is_heard_and_the_result_counts() -> None:
    """The client puts what was typed while a tool ran into the row of its result."""
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "1 passed"}
    rows = [
        {"type": "assistant", "message": {"content": [call]}},
        {"type": "user", "message": {"content": [result, {"type": "text", "text": "do we have a test for this?"}]}},
    ]
    state = after(*rows)
    assert [prompt["text"] for prompt in state["prompts"]] == ["do we have a test for this?"]
    assert [run["command"] for run in state["runs"]] == ["pytest -q"]


def test_a_call_that_was_interrupted_did_not_happen() -> None:
    """The next prompt ends it; a result that comes without its call changes nothing."""
    state = after(call("Edit", file_path="/a.py"), user("Stop"), result("ok"))
    assert (state["changed"], state["open_calls"]) == ([], {})
    state = after(call("Bash", command="make deploy"), call("Edit", "2", file_path="/a"))
    assert [(one["tool"], one["about"]) for one in state["open_calls"].values()] == [
        ("Bash", "make deploy"),
        ("Edit", "/a"),
    ]


def test_instructions_that_were_loaded() -> None:
    """Files of instructions that were read or attached, and skills."""
    state = after(
        call("Read", file_path="/p/CLAUDE.md"),
        result("x"),
        call("Read", file_path="/p/a.py"),
        result("x"),
        call("Skill", skill="review"),
        result("x"),
        {"type": "attachment", "attachment": {"type": "nested_memory", "path": "/p/sub/CLAUDE.md"}},
    )
    assert state["instructions"] == ["/p/CLAUDE.md", "skill review", "/p/sub/CLAUDE.md"]
    assert state["read"] == ["/p/CLAUDE.md", "/p/a.py"]


def test_sub_agents_rows_do_not_count() -> None:
    """What a sub-agent did is not this session's doing."""
    assert after(user("x", isSidechain=True), user("y", agentId="a"))["messages"] == 0


def busy(rounds: int) -> Worklog:
    """The state after many rows of every kind."""
    rows: list[dict[str, Any]] = []
    for n in range(rounds):
        path = f"/deep/{'f' * 60}/{n}.py"
        rows += [user(f"RULE: never {n}. " + "p" * 5_000), said(f"DECISION: file {n}\n" + "word " * 900)]
        rows += [call("Read", "r", file_path=path), result(f"name_of_{n} " * 40, "r")]
        rows += [call("Edit", "e", file_path=path, new_string="q_" * 4_000), result("x", "e")]
        rows += [call("Bash", f"open{n}", command="x" * 900), call("TaskCreate", f"k{n}", subject="s" * 500)]
        rows += [result(f"Task #{n} created", f"k{n}"), call("AskUserQuestion", "q")]
        rows += [result("x", "q", told={"answers": {f"{n}" * 900: "a" * 9_000}})]
        command = f"pytest {n} {'x' * 900}"
        rows += [call("Bash", "b", command=command), result("E failed" + "y" * 5_000, "b", failed=True)]
        rows += [call("Bash", "c", command=command), result(WHY + "z" * 9_000, "c", True, "User rejected tool use")]
        items = [{"content": f"{n} {letter} {'x' * 500}", "status": "s" * 999} for letter in "abc"]
        rows += [call("TodoWrite", "w", todos=items), result("", "w"), {**BOUNDARY, "uuid": str(n)}]
        rows += [call("Bash", "g", command="git commit"), result(f"[main 1234abc] {'m' * 900}", "g")]
    return after(*rows)


def test_the_state_stays_small() -> None:
    """It grows to its bounds and no further, after any number of rows."""
    half, whole = busy(400), busy(800)
    sizes = [{key: len(json.dumps(value)) for key, value in state.items()} for state in (half, whole)]
    assert {key for key, small in sizes[0].items() if sizes[1][key] > 1.05 * small + 200} == set()
    assert sum(sizes[1].values()) < 900_000
    assert whole["messages"] == 800 * 19
