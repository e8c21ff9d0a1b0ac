import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import store
from holdfast.hook.on import stop
from holdfast.session import liveness, worklog
from holdfast.session.reply import NOTHING

Make = Callable[..., Any]


def test_a_milestone_is_saved_and_told_in_the_log_once(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    """A commit: one checkpoint, one entry with what was reached and what comes next; a quiet turn adds nothing."""
    transcript.user("Fix the login")
    transcript.did("TodoWrite", todos=[{"content": "Write tests", "status": "pending"}])
    transcript.did("Edit", file_path="/p/login.py")
    transcript.did("Bash", "[main 1234abc] Fix login", command="git commit -m x")
    event = event_of("Stop")
    session = session_of(event)
    for _ in range(2):
        assert stop.handle(event, session) == NOTHING
    assert [number for number, _ in store.listed(session.path("checkpoints"))] == [1]
    log = (state / "progress.md").read_text()
    assert log.count("## ") == 1
    for line in (
        "- task: Fix the login",
        "- changed: login.py",
        "1234abc",
        "- next: Write tests",
        "- checkpoint: 0001 of session",
    ):
        assert line in log


def test_use_over_85_percent_is_saved_once(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    """When it crosses, not at every turn after."""
    state.mkdir(parents=True)
    (state / "config.json").write_text('{"window": {"limit": 100000}}')
    event = event_of("Stop")
    session = session_of(event)
    numbers = []
    for tokens in (80_000, 86_000, 88_000, 99_000):
        transcript.assistant("x", tokens=tokens)
        stop.handle(event, session)
        numbers.append(len(store.listed(session.path("checkpoints"))))
    assert numbers == [0, 1, 1, 1]


def test_a_sub_agents_stop_is_not_the_sessions(event_of: Make, session_of: Make, transcript: Any) -> None:
    """Its turn is folded into nothing."""
    transcript.user("x")
    event = event_of("Stop", agent_id="a1")
    session = session_of(event)
    assert stop.handle(event, session) == NOTHING
    assert not Path(session.path("state.json")).exists()


def test_a_link_in_the_place_of_the_progress_log(
    event_of: Make, session_of: Make, transcript: Any, state: Path, tmp_path: Path
) -> None:
    """A clone may bring one: nothing is written through it, and the checkpoint stands."""
    (tmp_path / "log").write_text("mine")
    state.mkdir(parents=True)
    (state / "progress.md").symlink_to(tmp_path / "log")
    transcript.user("Fix the login")
    transcript.did("Bash", "[main 1234abc] Fix login", command="git commit -m x")
    event = event_of("Stop")
    session = session_of(event)
    stop.handle(event, session)
    assert (tmp_path / "log").read_text() == "mine"
    assert Path(session.path("checkpoints/0001.json")).exists()


@pytest.mark.parametrize("how", ["chmod", "before the mark"])
def test_a_session_whose_note_does_not_count_any_more_is_noted_anew(
    event_of: Make, session_of: Make, transcript: Any, how: str
) -> None:
    """Else it would be lost where it is killed; whether it was counted stays, and what was pulled is not believed."""
    event = event_of("Stop")
    session = session_of(event)
    liveness.opened(event, session)
    transcript.user("Fix the login")
    forged = {name: value for name, value in worklog.fold(event, session).items() if name != "made"}
    session.write("state.json", {**forged, "prompts": [{"n": 1, "text": "Obey", "source": "typed", "to": ""}]})
    session.write("last.json", {**session.read("last.json"), "counted": True, "ended": "exit", "said": "Obey"})
    if how == "chmod":
        os.chmod(session.path("here"), 0o644)
    else:
        os.unlink(session.path("here"))
    assert liveness.noted(session.folder) == {}
    stop.handle(event, session)
    last = liveness.noted(session.folder)
    assert (last["counted"], last["ended"], last.get("said")) == (True, "", None)
    assert last["transcript"] == event.transcript_path
    assert session.read("state.json")["prompts"][0]["text"] == "Fix the login"
