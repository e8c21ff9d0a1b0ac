import json
from pathlib import Path
from typing import Any

from tryout import recording


def written(tmp_path: Path, *rows: Any) -> Path:
    """A transcript with these rows; a text stands as it is."""
    path = tmp_path / "s.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


def assistant(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": list(blocks)}, **more}


def tool(name: str, number: int = 1, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}


def result(content: Any, number: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"t{number}", "content": content, **more}


def events(path: Path) -> list[str]:
    return [moment.event for moment in recording.moments(path) if moment.event]


def test_a_turn(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        user("do it"),
        assistant({"type": "text", "text": "well"}, tool("Bash", command="ls")),
        user([result("a.py")], toolUseResult={"stdout": "a.py"}),
        user([{"type": "text", "text": "and more"}]),
    )
    assert events(path) == [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "Stop",
        "SessionEnd",
    ]  # fmt: skip
    moments = list(recording.moments(path))
    post = next(m for m in moments if m.event == "PostToolUse")
    assert post.fields["tool_input"] == {"command": "ls"}
    assert post.fields["tool_response"] == {"stdout": "a.py"}
    assert next(m for m in moments if m.event == "Stop").fields["last_assistant_message"] == "well"


def test_every_line_is_written_once_and_unchanged(tmp_path: Path) -> None:
    """The copy that grows ends as the transcript was, torn lines included."""
    path = written(tmp_path, user("x"), "{torn", "[]", '"text"', "", assistant(tool("Read")))
    assert b"".join(m.line for m in recording.moments(path)) == path.read_bytes()


def test_an_agent_starts_and_stops_before_its_result(tmp_path: Path) -> None:
    """The report is the last message, the type the result's or the call's; one in the background has no stop."""
    path = written(
        tmp_path,
        user("x"),
        assistant(tool("Task", 2)),
        user([result("started", 2)], toolUseResult={"status": "async_launched", "agentId": "a"}),
        assistant(tool("Agent", subagent_type="Explore")),
        user([result("r")], toolUseResult={"agentId": "a1", "content": [{"type": "text", "text": "report"}]}),
    )
    (stop,) = [m for m in recording.moments(path) if m.event == "SubagentStop"]
    assert events(path)[-5:-2] == ["SubagentStart", "SubagentStop", "PostToolUse"]
    assert (stop.fields["last_assistant_message"], stop.fields["agent_type"]) == ("report", "Explore")
    assert stop.fields["agent_transcript_path"].endswith("s/subagents/agent-a1.jsonl")


def test_a_manual_compaction(tmp_path: Path) -> None:
    """In the client's order: the turn ends, PreCompact with the user's words, SessionStart, PostCompact."""
    path = written(
        tmp_path,
        user("x"),
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "manual"}},
        user("the summary", isCompactSummary=True),
        user("<command-name>/compact</command-name>\n<command-args>keep X</command-args>"),
    )
    moments = [m for m in recording.moments(path) if m.event][2:]
    assert [m.event for m in moments] == ["Stop", "PreCompact", "SessionStart", "PostCompact", "SessionEnd"]
    assert moments[1].fields == {"trigger": "manual", "custom_instructions": "keep X"}
    assert moments[2].fields == {"source": "compact"}
    assert moments[3].fields["compact_summary"] == "the summary"


def test_rows_that_are_no_prompt(tmp_path: Path) -> None:
    kinds = (user("x", **{kind: True}) for kind in ("isMeta", "isCompactSummary", "isSidechain"))
    typed = ("<command-name>/compact</command-name>", "<local-command-stdout>y</local-command-stdout>")
    interrupt = [{"type": "text", "text": "[Request interrupted by user]"}]
    contents = (*typed, interrupt, [result("r")], None)
    rows = (*kinds, *map(user, contents), {"type": "user"}, {"type": "user", "message": "x"})
    assert "UserPromptSubmit" not in events(written(tmp_path, *rows))


def test_the_carried_session_names_no_machine(tmp_path: Path) -> None:
    files = [path for path in recording.carried(tmp_path).parent.rglob("*") if path.is_file()]
    assert len(files) > 3
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert "/root" not in text
        assert "sk-ant" not in text
