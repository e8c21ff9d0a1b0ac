"""The session's worklog on disk: made here, from the transcript, at the cost of its reader."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hot.files import read_from
from holdfast.session import worklog
from holdfast.worklog import reader

Make = Callable[..., Any]


@pytest.fixture
def here(event_of: Make, session_of: Make) -> tuple[Any, Any]:
    """An event and its session."""
    event = event_of("Stop")
    return event, session_of(event)


def test_a_state_that_was_not_made_here_is_made_anew(here: tuple[Any, Any], transcript: Any) -> None:
    """A pull writes over what git ignores; only the transcript says what was said."""
    event, session = here
    transcript.user("Fix the login")
    work = worklog.fold(event, session)
    session.write("state.json", {**work, "branch": "evil", "messages": 1})
    assert worklog.fold(event, session)["branch"] != "evil"
    stored = session.read("state.json")
    session.write("state.json", {**stored, "branch": "kept"})
    assert worklog.fold(event, session)["branch"] == "kept"


def test_a_link_in_the_place_of_the_mark_lets_nothing_in(here: tuple[Any, Any], transcript: Any) -> None:
    """No mark on either side is no agreement: the state is made from the transcript."""
    event, session = here
    Path(session.path("here")).unlink()
    Path(session.path("here")).symlink_to("nowhere")
    transcript.user("Fix the login")
    forged = {name: value for name, value in worklog.fold(event, session).items() if name != "made"}
    for made in ({}, {"made": ""}):
        session.write("state.json", {**forged, "branch": "evil", **made})
        assert worklog.fold(event, session)["branch"] != "evil"


def test_folding_costs_the_reader(here: tuple[Any, Any], transcript: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been read is not read again; a shorter file is another one."""
    event, session = here
    transcript.user("one")
    assert worklog.fold(event, session)["messages"] == 1
    read: list[int] = []

    def noted(path: str, offset: int, limit: int, follow: bool) -> bytes:
        read.append(offset)
        return read_from(path, offset, limit, follow)

    monkeypatch.setattr(reader, "read_from", noted)
    before = transcript.path.stat().st_size
    transcript.user("two")
    assert worklog.fold(event, session)["messages"] == 2
    assert worklog.fold(event, session)["messages"] == 2
    assert read == [before]
    transcript.path.write_text("")
    transcript.user("x")
    assert worklog.fold(event, session)["messages"] == 1
