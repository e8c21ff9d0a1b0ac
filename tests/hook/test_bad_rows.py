"""Rows of any shape in a transcript stop no event: each handler answers, and what came behind them is told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.worklog.test_bad_rows import ODD, RECORDED, places, put

Make = Callable[..., Any]
USAGE = {"input_tokens": 50_000, "cache_read_input_tokens": 9, "cache_creation_input_tokens": 9, "output_tokens": 9}
SAID = [{"type": "text", "text": "Well."}]
ANSWER = {
    "type": "assistant",
    "uuid": "u",
    "timestamp": "2026-11-20T10:00:00Z",
    "message": {"id": "m", "model": "claude-sonnet-4-5", "usage": USAGE, "content": SAID},
}
EVENTS = (
    *("Stop", "PostToolUse.Bash", "PostToolUse.Agent", "UserPromptSubmit", "SubagentStart", "SubagentStop.first"),
    *("PreCompact.auto", "SessionStart.compact", "PostCompact.auto", "SessionEnd", "SessionStart.resume"),
)


@pytest.mark.parametrize("odd", ODD.values(), ids=list(ODD))
def test_no_event_fails_at_a_row_and_none_is_silenced(
    odd: Any, reply_to: Make, transcript: Any, state: Path, project: Path
) -> None:
    """Each field of each recorded row, and of an answer's usage, in turn."""
    transcript.user("Fix the login")
    with transcript.path.open("a") as file:
        for row in (*RECORDED, ANSWER):
            file.writelines(json.dumps(put(row, place, odd)) + "\n" for place in places(row)[1:])
    transcript.user("Go on with the parser")
    (project / "parser.py").write_text("1")
    transcript.did("Edit", file_path=str(project / "parser.py"))
    told = {name: reply_to(name) for name in EVENTS}
    assert "Go on with the parser" in told["PreCompact.auto"].plain
    assert "parser.py" in told["SessionStart.compact"].context
    assert not (state / "logs" / "faults.log").exists()
