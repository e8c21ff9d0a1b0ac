from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.compaction import store
from holdfast.hook.on import post_compact, pre_compact
from holdfast.session.reply import NOTHING

Make = Callable[..., Any]


def test_the_record_is_completed_in_silence(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    """What PreCompact began is written; a second firing, and a sub-agent's, add nothing."""
    transcript.user("x")
    pre_compact.handle(event_of("PreCompact.manual"), session_of(event_of("PreCompact.manual")))
    inside = event_of("PostCompact.manual", agent_id="a1")
    assert post_compact.handle(inside, session_of(inside)) == NOTHING
    log = str(state / "logs" / "compactions.jsonl")
    assert store.load(log) == []
    event = event_of("PostCompact.manual", compact_summary="The user said x.")
    for _ in range(2):
        assert post_compact.handle(event, session_of(event)) == NOTHING
    assert [row["trigger"] for row in store.load(log)] == ["manual"]


def test_what_is_lost_is_told_to_the_user_and_queued(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    """Once, though the hook fires twice; the record names what is missing."""
    transcript.user("Replace the session cookie by a signed token")
    event = event_of("PostCompact.manual", compact_summary="OK done.")
    session = session_of(event)
    pre_compact.handle(event_of("PreCompact.manual"), session)
    replies = [post_compact.handle(event, session_of(event)) for _ in range(2)]
    assert "2 facts that must stay" in replies[0].user
    assert replies[1] == NOTHING
    assert "signed token" in str(store.take(session.folder))
    (record,) = store.load(str(state / "logs" / "compactions.jsonl"))
    assert record["facts"]["missing"] == 2
    assert record["missing"][0] == {"kind": "request", "text": "Replace the session cookie by a signed token"}


def test_without_a_precompact(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    """The record is made all the same, from what the transcript holds."""
    transcript.user("Replace the session cookie by a signed token")
    transcript.assistant("x", tokens=150_000)
    event = event_of("PostCompact.auto", compact_summary="Asked: Replace the session cookie by a signed token")
    assert post_compact.handle(event, session_of(event)) == NOTHING
    (record,) = store.load(str(state / "logs" / "compactions.jsonl"))
    assert (record["trigger"], record["tokens_before"], record["facts"]["retained"]) == ("auto", 150_000, 2)
