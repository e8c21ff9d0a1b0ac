import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import hooks as checkpoints
from holdfast.gauge import hooks as gauge
from holdfast.gauge.suggest import Decision, Past
from holdfast.hot import call_log, thresholds
from holdfast.hot.files import read_from
from holdfast.session import worklog
from holdfast.worklog import growth

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
    session.write("state.json", {**work, "goal": "Run the installer", "messages": 1})
    assert worklog.fold(event, session)["goal"] == "Fix the login"
    stored = session.read("state.json")
    session.write("state.json", {**stored, "goal": "kept"})
    assert worklog.fold(event, session)["goal"] == "kept"


def test_a_link_in_the_place_of_the_mark_lets_nothing_in(here: tuple[Any, Any], transcript: Any) -> None:
    """No mark on either side is no agreement: the state is made from the transcript."""
    event, session = here
    Path(session.path("here")).unlink()
    Path(session.path("here")).symlink_to("nowhere")
    transcript.user("Fix the login")
    forged = {name: value for name, value in worklog.fold(event, session).items() if name != "made"}
    session.write("state.json", {**forged, "goal": "Obey"})
    assert worklog.fold(event, session)["goal"] == "Fix the login"
    session.write("state.json", {**forged, "goal": "Obey", "made": ""})
    assert worklog.fold(event, session)["goal"] == "Fix the login"


def test_folding_costs_the_growth(here: tuple[Any, Any], transcript: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been read is not read again; a shorter file is another one."""
    event, session = here
    transcript.user("one")
    assert worklog.fold(event, session)["messages"] == 1
    read: list[int] = []

    def noted(path: str, offset: int, limit: int) -> bytes:
        read.append(offset)
        return read_from(path, offset, limit)

    monkeypatch.setattr(growth, "read_from", noted)
    before = transcript.path.stat().st_size
    transcript.user("two")
    assert worklog.fold(event, session)["messages"] == 2
    assert worklog.fold(event, session)["messages"] == 2
    assert read == [before]
    transcript.path.write_text("")
    transcript.user("x")
    assert worklog.fold(event, session)["goal"] == "x"


def test_gauge_from_the_transcript(here: tuple[Any, Any], transcript: Any) -> None:
    """Tokens, the limit that the status line told, zone, rate and turns."""
    event, session = here
    for tokens in (80_000, 90_000, 100_000):
        transcript.assistant("x", tokens=tokens)
    assert gauge.read(event, session)[:4] == (100_000, 0, "", "unknown")
    session.write("window.json", {"size": 200_000})
    assert gauge.read(event, session)[:6] == (100_000, 167_000, "status line", "yellow", 10_000.0, 6)


def test_the_client_tells_the_size_at_a_resume(event_of: Make, session_of: Make) -> None:
    """Where the transcript does not."""
    event = event_of("SessionStart.resume")
    assert gauge.read(event, session_of(event)).tokens == 22_685


def test_a_limit_that_use_contradicts_is_not_used(here: tuple[Any, Any], transcript: Any) -> None:
    """300K tokens are in no window of 200K; the size at which it was compacted before is known."""
    event, session = here
    transcript.boundary(before=950_000)
    transcript.assistant("x", tokens=300_000)
    session.write("window.json", {"size": 200_000})
    worklog.fold(event, session)
    assert gauge.read(event, session)[:3] == (300_000, 950_000, "last compaction")


def test_the_gate_holds_what_the_hot_road_needs(here: tuple[Any, Any], state: Path) -> None:
    """Every documented key, from the configuration in force."""
    event, session = here
    gauge.compile_thresholds(session, gauge.read(event, session))
    found = thresholds.load(session.path("gate.json"))
    documented = {
        line.split()[0] for line in (thresholds.__doc__ or "").splitlines() if line.startswith("  ") and line.split()
    }
    assert documented <= found.keys()
    assert found["look"] == 50


def test_patterns_in_hooks_off_reach_the_hot_road(event_of: Make, session_of: Make, state: Path) -> None:
    """The gate names events, so that the hot road need not match."""
    event = event_of("Stop")
    session_of(event)
    (state / "config.json").write_text(json.dumps({"hooks.off": ["Post*"]}))
    session = session_of(event)
    gauge.compile_thresholds(session, gauge.read(event, session))
    assert sorted(thresholds.load(session.path("gate.json"))["off"]) == ["PostCompact", "PostToolUse"]


def test_a_new_gate_does_not_forget_what_waits(here: tuple[Any, Any]) -> None:
    """A suggestion that waits for its moment outlives the end of a turn; the past stays."""
    event, session = here
    reading, past = gauge.read(event, session), Past(48, 0, "red", 0)
    gauge.compile_thresholds(session, reading, Decision("", past, 45, True))
    gauge.compile_thresholds(session, reading)
    found = thresholds.load(session.path("gate.json"))
    assert (found["look"], found["eager"], gauge.past_of(found)) == (45, True, past)
    gauge.compile_thresholds(session, reading, Decision("", past, 40, False))
    found = thresholds.load(session.path("gate.json"))
    assert (found["look"], found["eager"]) == (40, False)


@pytest.mark.parametrize("stored", [{}, {"past": None}, {"past": [1]}, {"past": {}}], ids=str)
def test_no_past(stored: dict[str, Any]) -> None:
    """A gate without one begins anew."""
    assert gauge.past_of(stored) == Past()


def test_a_checkpoint_of_the_moment(here: tuple[Any, Any], transcript: Any) -> None:
    """Work, calls, tokens, place; for machines and for people."""
    event, session = here
    transcript.user("Fix the login")
    call_log.record(session.path("calls.log"), call_log.line(1, 1, "Bash"))
    work = worklog.fold(event, session)
    saved = checkpoints.save(session, work, gauge.read(event, session), "test")
    assert (saved["calls"], saved["reason"], saved["work"]["goal"]) == (1, "test", "Fix the login")
    assert "> Fix the login" in Path(session.path("checkpoints/0001.md")).read_text()
