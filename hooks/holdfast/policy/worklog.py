"""What has this session done so far, and where does it stand?

A reducer over transcript rows: goal and prompts, to-do items, files read and changed, test runs and
commits with their outcomes, errors that nothing has fixed yet, compactions. Each row is fed once; the
state is a plain JSON object, so a grown transcript costs its growth.

Bounds keep the state small (a few KB) after any number of rows: the newest entries stay, and the first
prompt always does, because it is the goal until the user says otherwise.
"""

import re
from typing import Any

from holdfast.core import transcript
from holdfast.policy.commands import TEST_COMMAND, commit_made, telling_line, tests_passed

VERSION = 1
PROMPTS, PROMPT_CHARS = 12, 600
FILES, EVENTS, ERRORS = 60, 12, 8
TASK_NUMBER = re.compile(r"#(\d{1,6})\b")
EDIT_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")


def empty() -> dict[str, Any]:
    """The state before the first row."""
    return {
        "v": VERSION,
        "offset": 0,
        "skipped": 0,
        "messages": 0,
        "goal": "",
        "prompts": [],
        "todos": [],
        "tasks": {},
        "read": [],
        "changed": [],
        "tests": [],
        "commits": [],
        "errors": [],
        "boundaries": [],
        "open_calls": {},
        "dirty": False,
        "said": "",
        "model": "",
        "branch": "",
        "client": "",
    }


def load(data: dict[str, Any]) -> dict[str, Any]:
    """A stored state, or the empty one when it is of another version or damaged."""
    fresh = empty()
    if data.get("v") != VERSION or any(type(data.get(key)) is not type(value) for key, value in fresh.items()):
        return fresh
    return {key: data[key] for key in fresh}


def fold(state: dict[str, Any], chunk: transcript.Chunk) -> dict[str, Any]:
    """The state after the chunk's rows. The given state is not changed."""
    new = {key: _copy(value) for key, value in state.items()}
    for row in chunk.rows:
        if transcript.is_main(row):
            _feed(new, row)
    new["offset"] += chunk.consumed
    new["skipped"] += chunk.skipped
    return new


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, (list, dict)) else value


def _feed(state: dict[str, Any], row: dict[str, Any]) -> None:
    kind = row.get("type")
    if transcript.is_boundary(row):
        _boundary(state, row)
    elif kind == "user":
        state["messages"] += 1
        _user(state, row)
    elif kind == "assistant":
        state["messages"] += 1
        _assistant(state, row)
    for key, field in (("branch", "gitBranch"), ("client", "version")):
        if isinstance(row.get(field), str):
            state[key] = row[field]


def _boundary(state: dict[str, Any], row: dict[str, Any]) -> None:
    found = row.get("compactMetadata")
    data = found if isinstance(found, dict) else {}
    state["boundaries"] = [
        *state["boundaries"][-EVENTS:],
        {
            "id": str(row.get("uuid") or row.get("timestamp") or state["messages"]),
            "time": str(row.get("timestamp") or ""),
            "trigger": str(data.get("trigger") or ""),
            "before": data.get("preTokens"),
            "after": data.get("postTokens"),
        },
    ]


def _user(state: dict[str, Any], row: dict[str, Any]) -> None:
    prompt = transcript.human_prompt(row)
    if prompt:
        state["goal"] = state["goal"] or _clip(prompt, 2 * PROMPT_CHARS)
        state["prompts"] = [*state["prompts"], _clip(prompt, PROMPT_CHARS)][-PROMPTS:]
        state["open_calls"] = {}  # whatever has not returned by now was interrupted
    for call, text, failed in transcript.tool_results(row):
        known = state["open_calls"].pop(call, None)
        if known:
            _result(state, known, text, failed)


def _assistant(state: dict[str, Any], row: dict[str, Any]) -> None:
    model = transcript.message(row).get("model")
    if isinstance(model, str) and model != "<synthetic>":
        state["model"] = model
    said = transcript.assistant_text(row)
    if said:
        state["said"] = _clip(said, 2 * PROMPT_CHARS)
    for call, tool, inputs in transcript.tool_uses(row):
        state["open_calls"] = dict([*state["open_calls"].items(), (call, _brief(tool, inputs))][-40:])
        _PLANS.get(tool, _no_plan)(state, inputs)


_ABOUT = ("command", "file_path", "notebook_path", "subject", "description")
"""Keys of a call's input that say what it is about, the most telling first."""


def _brief(tool: str, inputs: dict[str, Any]) -> list[str]:
    """[tool, what it is about]: enough to judge the result when it comes."""
    about = next((inputs[key] for key in _ABOUT if inputs.get(key)), "")
    return [tool, _clip(str(about or ""), 300)]


def _result(state: dict[str, Any], known: list[str], text: str, failed: bool) -> None:
    tool, about = known
    if failed:
        _error(state, about or tool, text)
    elif tool == "Read":
        _remember(state, "read", about)
    elif tool in EDIT_TOOLS:
        _remember(state, "changed", about)
        state["dirty"] = True
        _fixed(state, about)
    elif tool == "Bash":
        _command(state, about, text)
    elif tool == "TaskCreate":
        _task_created(state, about, text)


def _command(state: dict[str, Any], command: str, text: str) -> None:
    made = commit_made(command, text)
    if made:
        state["commits"] = [*state["commits"], _clip(made, 160)][-EVENTS:]
        state["dirty"] = False
    if TEST_COMMAND.search(command) and not tests_passed(text):
        _error(state, command, text)
        return
    if TEST_COMMAND.search(command):
        _test_run(state, command, True, text)
    _fixed(state, command)


def _test_run(state: dict[str, Any], command: str, ok: bool, printed: str) -> None:
    run = {"command": _clip(command, 160), "ok": ok, "end": _last_line(printed)}
    state["tests"] = [*state["tests"], run][-EVENTS:]


def _error(state: dict[str, Any], about: str, text: str) -> None:
    """An error stays open until the same command or file works."""
    if text.startswith(("The user doesn't want", "[Request interrupted")):
        return
    if TEST_COMMAND.search(about):
        _test_run(state, about, False, text)
    _fixed(state, about)
    state["errors"] = [*state["errors"], {"at": _clip(about, 160), "what": _clip(telling_line(text), 300)}][-ERRORS:]


def _fixed(state: dict[str, Any], about: str) -> None:
    at = _clip(about, 160)
    state["errors"] = [error for error in state["errors"] if error["at"] != at]


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return _clip(lines[-1], 160) if lines else ""


def _remember(state: dict[str, Any], key: str, path: str) -> None:
    if path:
        state[key] = [*(known for known in state[key] if known != path), path][-FILES:]


def _todo_write(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    items = inputs.get("todos")
    if isinstance(items, list):
        state["todos"] = [
            {
                "text": _clip(str(item.get("content") or ""), 200),
                "status": str(item.get("status") or "pending"),
            }
            for item in items
            if isinstance(item, dict)
        ]


def _task_created(state: dict[str, Any], subject: str, printed: str) -> None:
    """The client numbers tasks and tells the number in the result ("Task #3 created successfully: …")."""
    told = TASK_NUMBER.search(printed)
    number = told[1] if told else str(max(map(int, state["tasks"]), default=0) + 1)
    task = {"text": _clip(subject, 200), "status": "pending"}
    state["tasks"] = dict([*state["tasks"].items(), (number, task)][-FILES:])


def _task_update(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    number = str(inputs.get("taskId") or "")
    known = state["tasks"].get(number)
    if known and isinstance(inputs.get("status"), str):
        state["tasks"][number] = {**known, "status": inputs["status"]}


def _no_plan(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """Most tools say nothing of the plan."""


_PLANS = {"TodoWrite": _todo_write, "TaskUpdate": _task_update}


def plan(state: dict[str, Any]) -> list[dict[str, str]]:
    """The to-do items as they stand, {text, status}; of the two tools the one in use. Deleted ones are left out."""
    return [item for item in state["todos"] or state["tasks"].values() if item["status"] != "deleted"]


def _clip(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"
