from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.compaction import store
from holdfast.handoff import orchestrator
from holdfast.hook.on import user_prompt_submit
from holdfast.session.reply import NOTHING

Make = Callable[..., Any]
AGENT = "a766785756e38fb46"


def ask(event_of: Make, session_of: Make, name: str = "UserPromptSubmit.task-notification", **changes: Any) -> Any:
    """The reply to a prompt."""
    event = event_of(name, **changes)
    return user_prompt_submit.handle(event, session_of(event))


@pytest.fixture
def handoffs(event_of: Make, session_of: Make) -> Path:
    """The folder of returns."""
    return Path(session_of(event_of("Stop")).path("handoffs"))


def test_a_short_return_is_noted_and_passes(event_of: Make, session_of: Make, handoffs: Path) -> None:
    """Once in the orchestrator's state, however often it is told."""
    for _ in range(2):
        assert ask(event_of, session_of) == NOTHING
    state = orchestrator.load(session_of(event_of("Stop")).read("orchestrator.json"))
    assert state["kept_out"]["returns"] == 1
    assert list(state["progress"]["summaries"]) == ['Agent "explore auth bg" finished']


def test_an_over_long_one_is_dropped_where_somebody_watches(
    event_of: Make, session_of: Make, handoffs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wake-up hook delivers it; the user reads why; unattended it stays, with the report's path."""
    (handoffs / f"{AGENT}.outline.md").write_text("Decision: PROCEED")
    (handoffs / f"{AGENT}.report.md").write_text("the whole report")
    (handoffs / f"{AGENT}.current.md").write_text(str(handoffs / f"{AGENT}.report.md"))
    reply = ask(event_of, session_of)
    assert reply.block == ""
    assert str(handoffs / f"{AGENT}.report.md") in reply.context
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ATTENDED", "1")
    assert 'Agent "explore auth bg" finished' in ask(event_of, session_of).block


@pytest.mark.parametrize("name", ["UserPromptSubmit", "UserPromptSubmit.rewake"])
def test_other_prompts_pass(name: str, event_of: Make, session_of: Make) -> None:
    """What the user typed, and our own wake-up."""
    assert ask(event_of, session_of, name) == NOTHING


def test_what_waits_comes_with_the_prompt(event_of: Make, session_of: Make) -> None:
    """Once."""
    session = session_of(event_of("Stop"))
    store.put(session.folder, {"text": "It is 45, not 90.", "key": "k", "time": 1.0})
    told = [ask(event_of, session_of, "UserPromptSubmit").context for _ in range(2)]
    assert told == ["It is 45, not 90.", ""]


def test_a_dropped_notification_leaves_it_waiting(
    event_of: Make, session_of: Make, handoffs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model does not read that prompt; one that it reads carries both texts."""
    (handoffs / f"{AGENT}.outline.md").write_text("Decision: PROCEED")
    (handoffs / f"{AGENT}.report.md").write_text("the whole report")
    (handoffs / f"{AGENT}.current.md").write_text(str(handoffs / f"{AGENT}.report.md"))
    session = session_of(event_of("Stop"))
    store.put(session.folder, {"text": "It is 45, not 90.", "key": "k", "time": 1.0})
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ATTENDED", "1")
    assert ask(event_of, session_of).block
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ATTENDED")
    told = ask(event_of, session_of).context
    assert "It is 45, not 90." in told
    assert str(handoffs / f"{AGENT}.report.md") in told
