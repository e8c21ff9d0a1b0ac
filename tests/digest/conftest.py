"""A session that shortens results."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from holdfast.digest import hooks
from holdfast.gauge import hooks as gauge
from holdfast.hot import thresholds

Make = Callable[..., Any]


@pytest.fixture
def shorten(event_of: Make, session_of: Make, payload: Make) -> Callable[..., Any]:
    """`shorten("PostToolUse.Bash", stdout=…)`: the replaced response, or None."""
    event = event_of("Stop")
    session = session_of(event)
    gauge.compile_thresholds(session, gauge.read(event, session))

    def run(name: str, inputs: Any = None, agent: str = "", cwd: str = "/none", call: str = "", **response: Any) -> Any:
        sent = payload(name, agent_id=agent, cwd=cwd)
        sent["tool_use_id"] = call or sent["tool_use_id"]
        sent["tool_response"] = (
            {**sent["tool_response"], **response} if isinstance(sent["tool_response"], dict) else response["text"]
        )
        sent["tool_input"] = inputs or sent["tool_input"]
        said = hooks.answer(sent, session.folder, thresholds.load(session.path("thresholds.json")))
        return json.loads(said)["hookSpecificOutput"]["updatedToolOutput"] if said else None

    return run
