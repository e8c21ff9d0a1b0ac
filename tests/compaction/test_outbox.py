from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.compaction import outbox, store, waiting
from holdfast.gauge import hooks as gauge
from holdfast.hot import paths, thresholds

Make = Callable[..., Any]


@pytest.fixture
def session(event_of: Make, session_of: Make) -> Any:
    """A session with a gate, in which a correction waits."""
    event = event_of("Stop")
    session = session_of(event)
    gauge.compile_thresholds(session, gauge.read(event, session))
    outbox.queue(session, {"text": "It is 45, not 90.", "key": "k"})
    return session


def waits(session: Any) -> Any:
    """What the gate says."""
    return thresholds.load(session.path(paths.GATE))["queue"]


def test_once(session: Any, event_of: Make) -> None:
    """The first prompt carries it; the next ones, and those of a resumed session, nothing."""
    assert waits(session) is True
    assert outbox.deliver(event_of("UserPromptSubmit"), session) == "It is 45, not 90."
    assert waits(session) is False
    assert outbox.deliver(event_of("UserPromptSubmit"), session) == ""
    assert outbox.deliver(event_of("PostToolUse.Bash"), session) == ""


def test_the_record_says_when(session: Any, event_of: Make, state: Path) -> None:
    """By which event, and when."""
    log = str(state / paths.COMPACTIONS)
    store.add(log, {"key": "k"})
    outbox.deliver(event_of("PostToolUse.Bash"), session)
    (record,) = store.load(log)
    assert (record["corrected"], record["corrected_at"]) == ("PostToolUse", session.now)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("PostToolUse.Bash", {"agent_id": "a1"}),
        ("UserPromptSubmit", {"prompt": "/compact keep the plan"}),
        ("UserPromptSubmit", {"prompt": " /clear"}),
    ],
    ids=["sub-agent", "compact", "clear"],
)
def test_who_does_not_get_it(name: str, changes: dict[str, Any], session: Any, event_of: Make) -> None:
    """Where the main conversation would not hear it, it goes on waiting."""
    assert outbox.deliver(event_of(name, **changes), session) == ""
    assert waits(session) is True
    assert waiting.is_there(session.folder)


def test_the_next_compaction_makes_it_old(session: Any, event_of: Make) -> None:
    """What was not delivered in time is replaced, or forgotten when there is nothing to correct any more."""
    outbox.queue(session, {"text": "", "key": "k2"})
    assert waits(session) is False
    assert outbox.deliver(event_of("UserPromptSubmit"), session) == ""


def test_a_gate_compiled_meanwhile_knows_of_it(session: Any, event_of: Make) -> None:
    """It looks whether the text is there; nothing is forgotten and nothing told twice."""
    gauge.compile_thresholds(session, gauge.read(event_of("Stop"), session))
    assert waits(session) is True
    waiting.take(session.folder)
    gauge.compile_thresholds(session, gauge.read(event_of("Stop"), session))
    assert waits(session) is False


def test_without_a_gate(event_of: Make, session_of: Make) -> None:
    """The text waits all the same."""
    session = session_of(event_of("Stop"))
    outbox.queue(session, {"text": "x", "key": "k"})
    assert thresholds.load(session.path(paths.GATE)) == {}
    assert outbox.deliver(event_of("PostToolUse.Bash"), session) == "x"
