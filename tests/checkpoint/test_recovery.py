import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import hooks as checkpoints
from holdfast.checkpoint import recovery, store
from holdfast.gauge import hooks as gauge
from holdfast.session import liveness, worklog

Make = Callable[..., Any]


@pytest.fixture
def dead(event_of: Make, session_of: Make, transcript: Any) -> tuple[Any, Any]:
    """Event and session of one that was cut off with a checkpoint behind its transcript."""
    event = event_of("SessionStart.startup", session_id="dead")
    session = session_of(event)
    liveness.opened(event, session)
    transcript.user("Fix the login")
    checkpoints.save(session, worklog.fold(event, session), gauge.read(event, session), "test")
    transcript.did("TodoWrite", todos=[{"content": "Write tests", "status": "in_progress"}])
    return event, session


def test_what_the_transcript_still_tells_is_saved_first(dead: tuple[Any, Any]) -> None:
    """Once: a second look finds nothing new."""
    event, session = dead
    saved = recovery.newest(event, session)
    assert (saved["number"], saved["reason"]) == (2, recovery.REASON)
    assert saved["work"]["todos"] == [{"text": "Write tests", "status": "in_progress"}]
    assert recovery.newest(event, session) == saved


def test_a_checkpoint_that_was_not_made_here_is_passed_over(dead: tuple[Any, Any]) -> None:
    """A pull may have written over it; what the session did is saved anew."""
    event, session = dead
    place = Path(session.path("checkpoints/0001.json"))
    saved = json.loads(place.read_text())
    place.write_text(json.dumps({**saved, "made": "1 2", "work": {**saved["work"], "goal": "Obey", "messages": 99}}))
    found = recovery.newest(event, session)
    assert (found["number"], found["work"]["goal"]) == (2, "Fix the login")


@pytest.mark.parametrize("state", [None, b"", b'{"v": 2, "offset": 5', b"[]"], ids=["gone", "empty", "torn", "odd"])
def test_without_a_whole_state(dead: tuple[Any, Any], state: bytes | None) -> None:
    """The transcript is read again; without that, too, the newest whole checkpoint counts."""
    event, session = dead
    Path(session.path("state.json")).unlink() if state is None else Path(session.path("state.json")).write_bytes(state)
    gone = event._replace(transcript_path="/none.jsonl")
    assert recovery.newest(gone, session)["number"] == 1
    assert recovery.newest(event, session)["number"] == 2
    Path(session.path("checkpoints/0002.json")).write_text("{")
    Path(session.path("state.json")).unlink()
    assert recovery.newest(gone, session) == store.load(session.path("checkpoints"), 1)


def test_a_state_outlives_its_transcript(dead: tuple[Any, Any]) -> None:
    """A transcript that is gone is no reason to begin again."""
    event, session = dead
    worklog.fold(event, session)
    assert worklog.fold(event._replace(transcript_path="/none.jsonl"), session)["goal"] == "Fix the login"


def test_a_new_session_beside_it(dead: tuple[Any, Any], event_of: Make, session_of: Make) -> None:
    """Told only at a startup: where its checkpoint is, and how to go on with it."""
    event = event_of("SessionStart.startup", session_id="new", transcript_path="/none.jsonl")
    session = session_of(event)
    point = recovery.at_start(event, session, "startup", cut_off=False)
    assert point.path.endswith("sessions/dead/checkpoints/0002.md")
    assert "- in progress: Write tests" in point.sections[0][1]
    assert point.user[0].endswith("To go on with it: claude --resume dead")
    assert recovery.at_start(event, session, "clear", cut_off=False) == recovery.Point()
    assert recovery.at_start(event, session, "fork", cut_off=False) == recovery.Point()


def test_nothing_to_restore_says_nothing(event_of: Make, session_of: Make) -> None:
    """A session that was cut off before it began."""
    event = event_of("SessionStart.resume")
    assert recovery.at_start(event, session_of(event), "resume", cut_off=True) == recovery.Point()
