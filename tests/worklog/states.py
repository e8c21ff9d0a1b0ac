"""Made-up sessions, folded as real ones are: what the tests of the packet and of its parts share."""

import json
from typing import Any

from hypothesis import strategies as st

from holdfast.transcript.rows import parse_chunk
from holdfast.worklog import fold, model
from holdfast.worklog.model import Worklog

Rows = list[dict[str, Any]]


def user(text: Any, **fields: Any) -> Rows:
    return [{"type": "user", "message": {"content": text}, **fields}]


def told(text: str, **fields: Any) -> Rows:
    content = [{"type": "text", "text": text}]
    return [{"type": "assistant", "message": {"content": content, "model": "claude-x"}, **fields}]


def call(tool: str, number: str = "1", **inputs: Any) -> Rows:
    block = {"type": "tool_use", "id": number, "name": tool, "input": inputs}
    return [{"type": "assistant", "message": {"content": [block], "model": "claude-x"}}]


def result(text: Any, number: str = "1", failed: bool = False, told: Any = None) -> Rows:
    """The result of a call; told: what the client itself keeps of it."""
    block = {"type": "tool_result", "tool_use_id": number, "content": text, "is_error": failed}
    return user([block], toolUseResult=told)


def did(tool: str, printed: str = "ok", failed: bool = False, told: Any = None, **inputs: Any) -> Rows:
    return [*call(tool, **inputs), *result(printed, failed=failed, told=told)]


def bash(command: str, printed: str = "ok", failed: bool = False) -> Rows:
    return did("Bash", printed, failed, command=command)


def background(command: str, job: str) -> Rows:
    return did("Bash", told={"stdout": "", "backgroundTaskId": job}, command=command)


def notified(head: str) -> Rows:
    return [{"type": "queue-operation", "operation": "enqueue", "content": f"<task-notification>\n{head}"}]


def edit(path: str, new: str = "") -> Rows:
    return did("Edit", file_path=path, old_string="", new_string=new)


def todos(*items: tuple[str, str]) -> Rows:
    return did("TodoWrite", todos=[{"content": text, "status": status} for text, status in items])


def task(number: int, text: str) -> Rows:
    return did("TaskCreate", f"Task #{number} created successfully: {text}", subject=text)


def update(number: int, status: str) -> Rows:
    return did("TaskUpdate", taskId=str(number), status=status)


def attached(kind: str, **fields: Any) -> Rows:
    """What the client put in by itself."""
    return [{"type": "attachment", "attachment": {"type": kind, **fields}}]


def boundary() -> Rows:
    return [{"type": "system", "subtype": "compact_boundary", "uuid": "b", "compactMetadata": {"preTokens": 9}}]


def lines(*steps: Rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for step in steps for row in step).encode()


def after(*steps: Rows) -> Worklog:
    return fold.fold(model.empty(), parse_chunk(lines(*steps)))


_WORDS = (
    *("parseHeader", "retry_queue", "`maxOpen`", "cache.py", "lib/net/pool.go", "8443", "server", "never", "because"),
    *("No,", "Lesson:", "BUG-7:", "TODO:", "grün", "😀", "…", "->", "**bold**", "cancel", "1 failed", "3 passed"),
)
PHRASES = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=14).map(" ".join)
PROSE = st.builds(
    str.join,
    st.sampled_from((". ", ".\n", "\n- ", "\n\n## Findings\n- ", "? ", " ")),
    st.lists(PHRASES | st.text(max_size=40), min_size=1, max_size=5),
)
PATHS = st.builds("/work/{}/{}_{}.py".format, st.sampled_from(("api", "core/net")), st.just("part"), st.integers(0, 60))
STATUSES = st.sampled_from(("pending", "in_progress", "completed", "cancelled", "deleted"))
ITEMS = st.sampled_from(("mend alpha", "build bravo", "try charlie", "ship delta", "check echo", "drop foxtrot"))
PLANNING = st.one_of(
    st.lists(st.tuples(ITEMS, STATUSES), max_size=5, unique_by=lambda item: item[0]).map(lambda all_: todos(*all_)),
    st.builds(task, st.integers(1, 9), ITEMS),
    st.builds(update, st.integers(1, 9), STATUSES),
)
"""One step of a plan: the to-do list anew, or a task made or changed."""
STEPS = st.one_of(
    PROSE.map(user),
    PROSE.map(lambda text: user(text * 12)),
    PROSE.map(told),
    PLANNING,
    st.builds(edit, PATHS, PHRASES),
    PATHS.map(lambda path: did("Read", "def handle_request(): ...", file_path=path)),
    st.builds(bash, st.sampled_from(("pytest -q", "make build", "git commit -m x", "ls")), PROSE, st.booleans()),
    PROSE.map(lambda text: did("Agent", text, prompt="look")),
    PROSE.map(lambda text: call("WebFetch", "open", url=text)),
    PROSE.map(lambda text: did("ExitPlanMode", "User has approved your plan", plan=text)),
    PROSE.map(lambda text: user(text, isCompactSummary=True)),
    st.just(boundary()),
)
SESSIONS = st.lists(STEPS, max_size=40).map(lambda steps: after(*steps))
"""Folded sessions of any shape, none of them real."""
