import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import transcript as rows

LINES = st.lists(
    st.sampled_from([b'{"type": "user"}', b"", b"  ", b"torn {", b"[1]", b'{"a": "\xff"}', b'{"a": "x"}\r', b"\x00"]),
    max_size=8,
).map(b"\n".join)


@given(LINES, st.integers(0, 80))
def test_chunks_add_up(data: bytes, cut: int) -> None:
    """Cut anywhere, the two chunks hold the rows of the whole; only the half-written last line waits."""
    whole = rows.parse_chunk(data)
    first = rows.parse_chunk(data[:cut])
    second = rows.parse_chunk(data[first.consumed :])
    assert first.rows + second.rows == whole.rows
    assert first.consumed + second.consumed == whole.consumed == data.rfind(b"\n") + 1
    assert first.skipped + second.skipped == whole.skipped


@given(st.binary(max_size=120))
def test_any_bytes_are_read(data: bytes) -> None:
    """Nothing raises, and every non-blank whole line is a row or is counted as skipped."""
    chunk = rows.parse_chunk(data)
    lines = [line for line in data[: chunk.consumed].split(b"\n") if line.strip()]
    assert len(chunk.rows) + chunk.skipped == len(lines)


def user(content: Any, **fields: Any) -> dict[str, Any]:
    """A user row."""
    return {"type": "user", "message": {"role": "user", "content": content}, **fields}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (user("fix it"), "fix it"),
        (user([{"type": "text", "text": "fix"}, {"type": "image"}, {"type": "text", "text": "it"}]), "fix\nit"),
        (user("hi", origin={"kind": "human"}), "hi"),
        (user("hi", origin={"kind": "task-notification"}), ""),
        (user("hi", isMeta=True), ""),
        (user("hi", isCompactSummary=True), ""),
        (user("<task-notification>x"), ""),
        (user("<command-name>/x</command-name>"), ""),
        (user('<teammate-message teammate_id="b">x</teammate-message>'), ""),
        (user([{"type": "text", "text": "<ide_selection>x</ide_selection>"}, {"type": "text", "text": "go"}]), "go"),
        (
            user([{"type": "text", "text": "go"}, {"type": "text", "text": "<system-reminder>x</system-reminder>"}]),
            "go",
        ),
        (user([{"type": "tool_result", "content": "x"}, {"type": "text", "text": "y"}]), ""),
        ({"type": "assistant", "message": {"content": "x"}}, ""),
        (user(None), ""),
        (user(5), ""),
        (user([5, None]), ""),
        (user([{"type": "text", "text": 5}]), ""),
        ({"type": "user", "message": "x"}, ""),
        ({}, ""),
    ],
)
def test_what_the_user_typed(row: dict[str, Any], expected: str) -> None:
    """Only the user's own words; the client's and the machine's are not."""
    assert rows.human_prompt(row) == expected


def test_calls_and_results() -> None:
    """Calls come from assistant rows, results from user rows, with odd parts left out."""
    content = [{"type": "tool_use", "id": "1", "name": "Bash", "input": None}, {"type": "tool_use", "name": 5}, "x"]
    assert list(rows.tool_uses({"type": "assistant", "message": {"content": content}})) == [("1", "Bash", {})]
    assert list(rows.tool_uses({"type": "user", "message": {"content": content}})) == []
    result = {
        "type": "tool_result",
        "tool_use_id": "1",
        "content": [{"text": "a"}, {"text": 5}, "b"],
        "is_error": "yes",
    }
    assert list(rows.tool_results(user([result]))) == [("1", "a", False)]


@pytest.mark.parametrize(("row", "expected"), [({}, True), ({"isSidechain": True}, False), ({"agentId": "a"}, False)])
def test_main_rows(row: dict[str, Any], expected: bool) -> None:
    """A sub-agent's rows are not the main conversation's."""
    assert rows.is_main(row) is expected


def test_boundary() -> None:
    """A compaction is told by its subtype."""
    assert rows.is_boundary(json.loads('{"subtype": "compact_boundary"}'))
    assert not rows.is_boundary({"subtype": "informational"})


def test_assistant_text_leaves_thinking_out() -> None:
    """Only what was said."""
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "done "}, {"type": "tool_use"}]
    assert rows.assistant_text({"type": "assistant", "message": {"content": content}}) == "done"
    assert rows.assistant_text(user("x")) == ""
