from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.core.replies import NOTHING
from holdfast.runtime.handlers import post_compact, pre_compact
from holdfast.store import compactions

Make = Callable[..., Any]


def test_the_record_is_completed_in_silence(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    """What PreCompact began is written; a second firing, and a sub-agent's, add nothing."""
    transcript.user("x")
    pre_compact.handle(event_of("PreCompact.manual"), session_of(event_of("PreCompact.manual")))
    inside = event_of("PostCompact.manual", agent_id="a1")
    assert post_compact.handle(inside, session_of(inside)) == NOTHING
    log = str(state / "logs" / "compactions.jsonl")
    assert compactions.load(log) == []
    event = event_of("PostCompact.manual")
    for _ in range(2):
        assert post_compact.handle(event, session_of(event)) == NOTHING
    assert [row["trigger"] for row in compactions.load(log)] == ["manual"]
