import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook.on import pre_tool_use
from holdfast.session.reply import NOTHING

Make = Callable[..., Any]
CALL = {"prompt": "find it", "subagent_type": "Explore"}


@pytest.mark.parametrize(
    ("inputs", "attended", "background", "expected"),
    [
        (CALL, "0", "auto", {**CALL, "run_in_background": False}),
        ({**CALL, "run_in_background": True}, "0", "auto", {**CALL, "run_in_background": False}),
        ({**CALL, "run_in_background": False}, "0", "auto", None),
        (CALL, "1", "auto", None),
        (CALL, "0", "leave", None),
        ({}, "0", "auto", None),
        ("odd", "0", "auto", None),
    ],
    ids=["default", "background", "foreground", "attended", "left", "empty", "odd"],
)
def test_where_nobody_watches_agents_run_in_the_foreground(  # noqa: PLR0917 - fixtures and parameters are arguments
    inputs: Any,
    attended: str,
    background: str,
    expected: Any,
    event_of: Make,
    session_of: Make,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The whole input comes back with one key changed, or nothing."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ATTENDED", attended)
    state.mkdir(parents=True)
    (state / "config.json").write_text(json.dumps({"handoff.background": background}))
    event = event_of("PreToolUse.Agent", tool_input=inputs)
    reply = pre_tool_use.handle(event, session_of(event))
    assert reply.inputs == expected
    assert reply._replace(inputs=None) == NOTHING


def test_other_tools_are_left_alone(event_of: Make, session_of: Make) -> None:
    """Only agents have a background."""
    event = event_of("PreToolUse.Bash")
    assert pre_tool_use.handle(event, session_of(event)) == NOTHING
