from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.checkpoint import store
from holdfast.hook.on import pre_compact
from holdfast.session.reply import NOTHING

Make = Callable[..., Any]


def test_checkpoint_once_and_steering_each_time(event_of: Make, session_of: Make, transcript: Any) -> None:
    """Fired twice over the same conversation: one checkpoint; the text both times; a new turn gets a new one."""
    transcript.user("Fix the login")
    event = event_of("PreCompact.auto")
    session = session_of(event)
    for _ in range(2):
        reply = pre_compact.handle(event, session)
        assert 'newest request: "Fix the login"' in reply.plain
        assert reply._replace(plain="") == NOTHING
    folder = session.path("checkpoints")
    saved = store.newest(folder)
    assert saved is not None
    assert (saved["number"], saved["reason"]) == (1, "before auto compaction")
    transcript.user("go on")
    pre_compact.handle(event, session)
    assert [number for number, _ in store.listed(folder)] == [1, 2]


def test_a_sub_agents_compaction_is_its_own(event_of: Make, session_of: Make) -> None:
    """Nothing of the main session is steered into it."""
    event = event_of("PreCompact.auto", agent_id="a1")
    assert pre_compact.handle(event, session_of(event)) == NOTHING


def test_instructions_are_recorded(event_of: Make, session_of: Make, transcript: Any) -> None:
    """As the user gave them, with the checkpoint in both forms."""
    event = event_of("PreCompact.manual", custom_instructions="keep\nthe auth decision")
    session = session_of(event)
    pre_compact.handle(event, session)
    assert session.read("compacting.json")["instructions"] == "keep\nthe auth decision"
    assert Path(session.path("checkpoints/0001.md")).exists()
