from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.transcript import rows

LINES = (
    *(b'{"type": "user"}', b'{"a": 1}{"b": {}} ', b'{"a": 1}{"b', b"{}", b"", b"  ", b"torn {", b"[1]"),
    *(b'{"a": "\xff"}', b'{"a": "x"}\r', b"\x00"),
)


@given(st.lists(st.sampled_from(LINES), max_size=8).map(b"\n".join), st.integers(0, 80))
def test_chunks_add_up(data: bytes, cut: int) -> None:
    """Cut anywhere, the two chunks hold the rows of the whole; only the half-written last line waits."""
    whole = rows.parse_chunk(data)
    first = rows.parse_chunk(data[:cut])
    second = rows.parse_chunk(data[first.consumed :])
    assert first.rows + second.rows == whole.rows
    assert first.consumed + second.consumed == whole.consumed == data.rfind(b"\n") + 1
    assert first.skipped + second.skipped == whole.skipped


@pytest.mark.parametrize(
    ("line", "found", "skipped"),
    [
        (b'{"a": 1}', [{"a": 1}], 0),
        (b'{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}], 0),
        (b'  {"a": "}{"}\t{"b": [{"c": 2}]} \r', [{"a": "}{"}, {"b": [{"c": 2}]}], 0),
        (b'\xef\xbb\xbf{"a": 1}', [{"a": 1}], 0),
        (b'{"a": 1}{"b": ', [{"a": 1}], 1),
        (b'{"a": {"b": 1}', [], 1),
        (b'{"a": 1}garbage', [{"a": 1}], 1),
        (b'[{"a": 1}]{"b": 2}', [{"b": 2}], 1),
        (b'5 {"b": 2}', [{"b": 2}], 1),
        (b"{}", [], 1),
        (b"[" * 100_000, [], 1),
    ],
    ids=["one", "glued", "spaced", "mark", "torn", "half", "text", "list", "number", "empty", "deep"],
)
def test_what_stands_on_one_line(line: bytes, found: list[dict[str, Any]], skipped: int) -> None:
    assert rows.parse_chunk(line + b"\n") == rows.Chunk(found, len(line) + 1, skipped)


def user(content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **fields}


def both(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def queued(**fields: Any) -> dict[str, Any]:
    """What was put in while a tool ran, as client 2.1.329 records it."""
    told = {"type": "queued_command", "prompt": "also the tests", "commandMode": "prompt", **fields}
    return {"type": "attachment", "attachment": told}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (user("fix it"), "fix it"),
        (user([{"type": "text", "text": "fix"}, {"type": "image"}, {"type": "text", "text": "it"}]), "fix\nit"),
        (user("hi", origin={"kind": "human"}), "hi"),
        (user("hi", origin={"kind": "task-notification"}), ""),
        (user("hi", isMeta=True), ""),
        (user("hi", isCompactSummary=True), ""),
        (user("<task-notification>x</task-notification>\nFull text: /tmp/x"), ""),
        (user("<command-name>/x</command-name>"), ""),
        (user("Base directory for this skill: /s"), ""),
        (user("Stop hook feedback:\nx"), ""),
        (user("\n<task-notification>x</task-notification>"), ""),
        (user("<ide_opened_file>a.py</ide_opened_file>"), ""),
        (user("Please look at <system-reminder>."), "Please look at <system-reminder>."),
        (user("Operation stopped by hook: another session is active"), ""),
        (user('<teammate-message teammate_id="b">x</teammate-message>'), ""),
        (user(both("<ide_selection>x</ide_selection>", "go")), "go"),
        (
            user([{"type": "text", "text": "go"}, {"type": "text", "text": "<system-reminder>x</system-reminder>"}]),
            "go",
        ),
        (
            user(
                [{"type": "text", "text": "go"}, {"type": "text", "text": "[SYSTEM NOTIFICATION - NOT USER INPUT] x"}]
            ),
            "go",
        ),
        (user([{"type": "tool_result", "content": "x"}]), ""),
        (user([{"type": "tool_result", "content": "x"}, {"type": "text", "text": "y"}]), "y"),
        (user([{"type": "tool_result"}, {"type": "text", "text": "<system-reminder>x</system-reminder>"}]), ""),
        ({"type": "assistant", "message": {"content": "x"}}, ""),
        (queued(), "also the tests"),
        (queued(commandMode="task-notification"), ""),
        (queued(isMeta=True), ""),
        (queued(origin={"kind": "peer"}), ""),
        (queued(prompt=[{"type": "text", "text": "also the tests"}], origin={"kind": "human"}), "also the tests"),
        (queued(prompt="<task-notification>x</task-notification>"), ""),
        (user("Implement the following plan:\n\n# Plan", planContent="# Plan"), ""),
        (user(None), ""),
        (user(5), ""),
        (user([5, None]), ""),
        (user([{"type": "text", "text": 5}]), ""),
        ({"type": "user", "message": "x"}, ""),
        ({}, ""),
    ],
)
def test_what_the_user_typed(row: dict[str, Any], expected: str) -> None:
    assert rows.human_prompt(row) == expected


LIKE_THE_CLIENTS = (
    "Caveat: never touch the production database.",
    "<channel> element must be renamed.",
    "<command-line> parsing is broken.",
    "<ide_settings> is misspelled.",
    "Stop hook feedback: should be red.",
    "This session is being continued by my colleague: note it all.",
    "[Request interrupted by me] Go on.",
    "[SYSTEM NOTIFICATION] must be blue.",
    "Another Claude session sent a message which is wrong.",
)
PASTED = (
    "Stop hook feedback:\nx\n\nWhat is this?",
    "[Request interrupted by user] Why does it say so?",
    "<task-notification>x</task-notification> What is this?",
    "Base directory for this skill: /s is wrong.",
)


@pytest.mark.parametrize("text", [*LIKE_THE_CLIENTS, *PASTED])
def test_a_prompt_may_begin_like_the_clients_own_text(text: str) -> None:
    """One that the client marks with any words; of others only what has the client's whole form is the client's."""
    selected = f"<ide_selection>x</ide_selection>\n{text}\n</ide_selection>"
    for marks in ({"promptSource": "sdk", "turnOrigin": "sdk"}, {"promptSource": "typed", "origin": {"kind": "human"}}):
        assert rows.human_prompt(user(text, **marks)) == text
        assert rows.human_prompt(user(both(selected, text), **marks)) == text
        assert rows.human_prompt(user(text, **marks, isMeta=True)) == ""
    assert rows.human_prompt(queued(prompt=text, origin={"kind": "human"})) == text
    unmarked = text if text in LIKE_THE_CLIENTS else ""
    by_itself = {"promptSource": "system", "origin": {"kind": "human"}}
    assert [rows.human_prompt(row) for row in (user(text), user(text, **by_itself))] == [unmarked] * 2


@pytest.mark.parametrize(
    ("content", "command"),
    [
        ("<command-name>/clear</command-name>\n<command-message>clear</command-message>", ""),
        ("<command-name>/cost</command-name><command-args> </command-args>", ""),
        ("<command-name>/compact</command-name>\n<command-args>keep ids</command-args>", ""),
        ("<command-message>gsd:quick</command-message>\n<command-name>/gsd:quick</command-name>", "/gsd:quick"),
        ("<command-message>x is running…</command-message>\n<command-name>x</command-name>", "/x"),
        ("<command-args>x</command-args>", ""),
        ("please explain <command-name>/x</command-name>", ""),
        ([{"type": "text", "text": "<command-name>/a</command-name><command-args>b</command-args>"}], "/a b"),
        (None, ""),
    ],
)
def test_slash_commands(content: Any, command: str) -> None:
    """As they were typed; one that steers the client, or has no arguments, says nothing about the work."""
    assert rows.slash_command(user(content)) == command
    assert rows.slash_command(user(content, isMeta=True)) == ""


def test_a_broken_command_row_is_read_in_time() -> None:
    """Marks that never end cost no more than their length."""
    for piece in ("<command-message>", "<command-name>", "<command-args>", " "):
        assert rows.slash_command(user("<command-name>/x</command-name>" + piece * 50_000)) == ""


STAYED = "User chose to stay in plan mode and continue planning"
REFUSAL = "The user doesn't want to proceed with this tool use"


@pytest.mark.parametrize(
    ("told", "tool", "version", "refused"),
    [
        pytest.param("User rejected tool use", "Bash", "2.1.329", True, id="the client's mark"),
        pytest.param("User rejected tool use", "mcp__wiki__get", "2.1.329", True, id="the mark, whatever the tool"),
        pytest.param(f"Error: {REFUSAL}. The tool use was rejected", "Bash", "2.1.42", True, id="its words before"),
        pytest.param(f"Error: {REFUSAL}", "Edit", "1.0.17", True, id="of an edit, in any version"),
        pytest.param(f"Error: {REFUSAL}", "Bash", "1.0.17", False, id="of a command, when its output came bare"),
        pytest.param(f"Error: {REFUSAL}", "mcp__wiki__get", "2.1.42", False, id="a server's words"),
        pytest.param(f"Error: Exit code 1\n{REFUSAL}", "Bash", "2.1.42", False, id="printed by a command"),
        pytest.param({"stderr": "User rejected tool use"}, "Bash", "2.1.42", False, id="another shape"),
        pytest.param(None, "Bash", "2.1.42", False, id="no field"),
        pytest.param(f"Error: {STAYED}", "ExitPlanMode", "2.1.11", True, id="stayed in plan mode"),
        pytest.param(f"Error: {STAYED}", "mcp__x__ExitPlanMode", "2.1.11", False, id="a server's tool of that name"),
    ],
)
def test_what_the_user_refused(told: Any, tool: str, version: str, refused: bool) -> None:
    """By the client's own field beside the result, never by what a result prints."""
    result = {"type": "tool_result", "tool_use_id": "1", "content": REFUSAL, "is_error": True}
    assert rows.was_refused(user([result], toolUseResult=told, version=version), tool) is refused


def test_calls_and_results() -> None:
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


def test_assistant_text_leaves_thinking_out() -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "done "}, {"type": "tool_use"}]
    assert rows.assistant_text({"type": "assistant", "message": {"content": content}}) == "done"
    assert rows.assistant_text(user("x")) == ""
    filler = {"model": "<synthetic>", "content": content}
    assert rows.assistant_text({"type": "assistant", "message": filler}) == ""
