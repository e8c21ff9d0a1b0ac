import copy
from typing import Any

import pytest

from holdfast.transcript import tool_output
from tests.recorded import FILES, recorded

PAYLOADS = [name for name in FILES if name.startswith("PostToolUse.")]


@pytest.mark.parametrize("name", PAYLOADS)
def test_putting_the_same_text_back_changes_nothing(name: str) -> None:
    """For every recorded response and every text in it: what is read can be put back as it was."""
    sent = recorded(name)
    before = copy.deepcopy(sent["tool_response"])
    for where, text in tool_output.text_fields(sent["tool_name"], sent["tool_response"]):
        assert tool_output.with_text(sent["tool_response"], where, text) == before
        changed = tool_output.with_text(sent["tool_response"], where, "one\ntwo")
        assert dict(tool_output.text_fields(sent["tool_name"], changed))[where] == "one\ntwo"
        assert type(changed) is type(before)
    assert sent["tool_response"] == before


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("Bash", [("stdout",)]),
        ("Grep.content", [("content",)]),
        ("Grep.files", [("filenames",)]),
        ("Glob", [("filenames",)]),
        ("WebFetch", [("result",)]),
        ("Read", [("file", "content")]),
        ("Mcp.blocks", [(0, "text")]),
        ("Mcp.string", [()]),
        ("Agent", [("content", 0, "text")]),
        ("Agent.background", []),
        ("Write", []),
        ("Edit", []),
    ],
)
def test_where_each_tool_keeps_its_text(name: str, paths: list[Any]) -> None:
    sent = recorded(f"PostToolUse.{name}")
    assert [where for where, _ in tool_output.text_fields(sent["tool_name"], sent["tool_response"])] == paths


@pytest.mark.parametrize(
    "response",
    [
        *(None, 5, True, {}, [], {"stdout": None}, {"stdout": 5, "stderr": {}}, {"file": []}, [None, {"text": 5}]),
        *({"content": 5}, {"content": [], "harnessNoteCount": 3}, {"harnessNoteCount": "x"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("tool", ["Bash", "Read", "Grep", "Agent", "mcp__x__y"])
def test_an_unknown_shape_has_no_texts(tool: str, response: Any) -> None:
    assert tool_output.text_fields(tool, response) == tool_output.report_fields(response) == []
    assert tool_output.without_preview(response) == response


def test_the_preview_keys_go_together() -> None:
    """Without them the client shows stdout itself; the rest stays."""
    response = recorded("PostToolUse.Bash.persisted")["tool_response"]
    short = tool_output.without_preview(response)
    assert response.keys() - short.keys() == {"persistedOutputPath", "persistedOutputSize"}
    assert short["stdout"] == response["stdout"]


def test_a_report_is_told_from_the_clients_notes() -> None:
    """Notes before and after an agent's report are not part of it, and stay when it is replaced."""
    response = recorded("PostToolUse.Agent.notes")["tool_response"]
    assert [text for _, text in tool_output.report_fields(response)] == ["OK done."]
    replaced = tool_output.with_report(response, "short")
    assert [block["text"] for block in replaced["content"]] == [response["content"][0]["text"], "short"]
    tail = {**response, "harnessTailCount": 1, "content": [*response["content"], {"type": "text", "text": "tail"}]}
    assert [text for _, text in tool_output.report_fields(tail)] == ["OK done."]
    assert tool_output.with_report(tail, "s")["content"][-1]["text"] == "tail"
    assert tool_output.report_fields({"content": "no list of blocks"}) == []


def test_what_is_a_data_file() -> None:
    """Logs, rotated logs and data by name; a source file with "log" in its name is none, an Edit must match it."""
    data = ("/a/x.log", "/a/X.LOG", "x.log.3", "x.log.2026-01-01", "a/b.csv")
    others = ("src/log.py", "src/audit.log.ts", "src/event.log.service.ts", "a.json", "a.log/main.py", "")
    assert tuple(filter(tool_output.is_data_file, data + others)) == data
