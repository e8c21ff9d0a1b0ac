import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.compaction import store
from holdfast.hook.on import post_compact, pre_compact, session_end
from holdfast.session import liveness
from holdfast.session.reply import NOTHING

Make = Callable[..., Any]


def test_a_compaction_just_before_the_end_has_its_figures(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    """The boundary row comes after PostCompact; the end is the last look."""
    transcript.user("x")
    for handler, name in ((pre_compact, "PreCompact.manual"), (post_compact, "PostCompact.manual")):
        handler.handle(event_of(name), session_of(event_of(name)))
    transcript.boundary(before=120_000, after=9_000, trigger="manual")
    event = event_of("SessionEnd")
    assert session_end.handle(event, session_of(event)) == NOTHING
    (record,) = store.load(str(state / "logs" / "compactions.jsonl"))
    assert (record["tokens_before"], record["tokens_after"], record["after_source"]) == (120_000, 9_000, "client")


def test_the_end_is_noted(event_of: Make, session_of: Make, transcript: Any) -> None:
    """Beside what is known already; a sub-agent's end is not the session's."""
    transcript.user("x")
    session = session_of(event_of("SessionEnd"))
    session_end.handle(event_of("SessionEnd", agent_id="a1"), session)
    assert session.read("last.json") == {}
    liveness.opened(event_of("SessionStart.startup"), session)
    known = {**session.read("last.json"), "time": 5.0}
    session.write("last.json", known)
    session_end.handle(event_of("SessionEnd"), session)
    assert session.read("last.json") == {**known, "open": {}, "ended": "other", "counted": True}


def test_a_feature_that_cannot_be_imported_costs_no_clean_end(
    event_of: Make, session_of: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note is written before any feature is imported."""
    session = session_of(event_of("SessionEnd"))
    liveness.opened(event_of("SessionStart.startup"), session)
    monkeypatch.setitem(sys.modules, "holdfast.memory", None)
    monkeypatch.setitem(sys.modules, "holdfast.compaction", None)
    monkeypatch.delitem(sys.modules, "holdfast.hook.on.session_end")
    handler = importlib.import_module("holdfast.hook.on.session_end")
    with pytest.raises(ImportError):
        handler.handle(event_of("SessionEnd"), session)
    assert session.read("last.json")["ended"] == "other"
