import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.replay import sessions


def said(text: str = "", usage: int = 0, name: str = "m1", calls: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """An assistant row."""
    content = ([{"type": "text", "text": text}] if text else []) + [{"type": "tool_use", **call} for call in calls]
    message = {"id": name, "model": "claude-opus-4-5", "content": content, "usage": {"input_tokens": usage}}
    return {"type": "assistant", "message": message}


def result(call: str, content: Any, **more: Any) -> dict[str, Any]:
    """A user row with a tool result."""
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {"type": "user", "message": {"content": [block]}, **more}


def agent(call: str, prompt: str = "find it") -> dict[str, Any]:
    """A call of the Agent tool."""
    return {"id": call, "name": "Agent", "input": {"prompt": prompt, "subagent_type": "Explore"}}


def write(path: Path, rows: list[Any]) -> str:
    """The rows as a transcript."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


BOUNDARY = {"type": "system", "subtype": "compact_boundary"}


def test_a_foreground_report_with_what_stands_around_it(tmp_path: Path) -> None:
    """Text without the client's notes; what the parent had, had in its window, and used afterwards."""
    note = {"type": "text", "text": "agentId: a1 (for resuming)"}
    rows = [
        said("oldName"),
        BOUNDARY,
        said("newName", calls=(agent("c1"),)),
        result("c1", [{"type": "text", "text": "The report."}, note]),
        said("uses readSession"),
    ]
    session = sessions.read_session(write(tmp_path / "s.jsonl", rows))
    [(window, report)] = session.reports
    assert (window, report.text, report.agent_type, report.prompt) == (1, "The report.", "Explore", "find it")
    assert "oldName" in report.had
    assert "oldName" not in report.window
    assert "newName" in report.window
    assert report.used == "uses readSession"
    assert session.model == "claude-opus-4-5"


@pytest.mark.parametrize("announced", [True, False], ids=["notification", "own file"])
def test_a_background_report(tmp_path: Path, announced: bool) -> None:
    """It comes with its notification, or from the agent's own file when none is recorded."""
    rows = [
        said(calls=(agent("c1"),)),
        result("c1", "Async agent launched", toolUseResult={"status": "async_launched", "agentId": "ab1"}),
    ]
    text = "<task-notification>\n<task-id>ab1</task-id>\n<result>The report.</result>\n</task-notification>"
    rows += [{"type": "user", "message": {"content": text}}] * 2 if announced else []
    own = [{"type": "assistant", "isSidechain": True, **said("Looking."), "agentId": "ab1"}, said("The report.")]
    write(tmp_path / "s" / "subagents" / "agent-ab1.jsonl", own)
    session = sessions.read_session(write(tmp_path / "s.jsonl", rows))
    assert [report.text for _, report in session.reports] == ["The report."]


def test_windows_count_calls_and_growth(tmp_path: Path) -> None:
    """Between boundaries: calls of the main chain, and last usage minus first; a message id counts once."""
    bash = {"id": "b", "name": "Bash", "input": {"command": "ls"}}
    rows = [
        said(usage=1000, name="1", calls=(bash,)),
        said(usage=9999, name="1"),
        {**said(usage=5000, name="side", calls=(bash,)), "isSidechain": True},
        result("b", "out"),
        said(usage=4000, name="2", calls=({**bash, "id": "d"},)),
        BOUNDARY,
        said(usage=500, name="3"),
    ]
    session = sessions.read_session(write(tmp_path / "s.jsonl", rows))
    assert session.windows == (sessions.Window(2, 3000, True), sessions.Window(0, 0, False))
    response = {"content": [{"type": "text", "text": "out"}]}
    assert session.results == (sessions.Result("Bash", {"command": "ls"}, "out", 0, response),)


@pytest.mark.parametrize(
    "rows",
    [
        [{"type": "assistant", "message": None}],
        [{"type": "user", "message": {"content": [None, 3, {"type": "tool_result"}]}}],
        [said(calls=({"id": None, "name": 5, "input": []},))],
        [result("c1", 7), result("c2", [None, {"text": 3}])],
        [BOUNDARY, BOUNDARY],
        [said(calls=(agent("c1"),)), result("c1", "x", toolUseResult="error")],
    ],
    ids=["no message", "odd blocks", "odd call", "results without calls", "boundaries only", "odd detail"],
)
def test_odd_rows_are_taken_as_they_come(tmp_path: Path, rows: list[Any]) -> None:
    """The format is not documented: nothing in it raises, and a torn last line costs only itself."""
    path = Path(write(tmp_path / "s.jsonl", [*rows, said("hello", usage=5)]))
    path.write_text(path.read_text() + '{"type": "assis')
    assert sessions.read_session(str(path)).model == "claude-opus-4-5"
