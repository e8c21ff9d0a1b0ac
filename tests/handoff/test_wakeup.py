import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hot import thresholds

Make = Callable[..., Any]
AGENT = "a766785756e38fb46"
TEXT = "Decision: PROCEED é"


@pytest.fixture
def session(run_hook: Make, payload: Make, state: Path) -> Path:
    """A session with a condensed handoff of a background agent."""
    run_hook("session_start", payload("SessionStart.startup"))
    folder = next((state / "sessions").iterdir())
    (folder / "handoffs" / f"{AGENT}.condensed.md").write_text(TEXT, encoding="utf-8")
    return folder


def test_the_model_is_woken_with_the_condensed_handoff(session: Path, run_hook: Make, payload: Make) -> None:
    """Exit 2 and the text on stderr."""
    done = run_hook("handoff_wake", payload("UserPromptSubmit.task-notification"), CLAUDE_CODE_SESSION_ATTENDED="1")
    assert done == (2, "", TEXT)


@pytest.mark.parametrize(
    ("name", "env"),
    [
        ("UserPromptSubmit.task-notification", {}),
        ("UserPromptSubmit.task-notification", {"CLAUDE_CODE_SESSION_ATTENDED": "0"}),
        ("UserPromptSubmit.task-notification", {"CLAUDE_CODE_SESSION_ATTENDED": "1", "HOLDFAST_OFF": "1"}),
        ("UserPromptSubmit", {"CLAUDE_CODE_SESSION_ATTENDED": "1"}),
        ("UserPromptSubmit.rewake", {"CLAUDE_CODE_SESSION_ATTENDED": "1"}),
    ],
    ids=["unknown", "unattended", "off", "other prompt", "its own wake-up"],
)
def test_else_it_does_nothing(session: Path, name: str, env: dict[str, str], run_hook: Make, payload: Make) -> None:
    """Above all where exit 2 would block a prompt."""
    assert run_hook("handoff_wake", payload(name), **env) == (0, "", "")


def test_nothing_is_delivered_that_was_not_dropped(session: Path, run_hook: Make, payload: Make) -> None:
    """No condensed text, or the hook that drops is switched off."""
    env, sent = {"CLAUDE_CODE_SESSION_ATTENDED": "1"}, payload("UserPromptSubmit.task-notification")
    path = str(session / "gate.json")
    thresholds.save(path, {**thresholds.load(path), "off": ["UserPromptSubmit"]})
    assert run_hook("handoff_wake", sent, **env) == (0, "", "")
    thresholds.save(path, {**thresholds.load(path), "off": []})
    other = json.loads(json.dumps(sent).replace(AGENT, "../../../etc/passwd"))
    assert run_hook("handoff_wake", other, **env) == (0, "", "")
