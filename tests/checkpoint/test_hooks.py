from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import hooks, model, page, store
from holdfast.gauge import hooks as gauge
from holdfast.handoff import orchestrator
from holdfast.handoff.model import Handoff
from holdfast.hot.paths import InSession
from holdfast.session import liveness, worklog
from holdfast.session.context import PROGRAM
from tests.checkpoint.made import checkpoint, state

Make = Callable[..., Any]
DONE, OPEN = {"text": "a", "status": "completed"}, {"text": "b", "status": "pending"}


def run(ok: bool = True) -> Any:
    return {"command": "pytest", "ok": ok, "exit": 0 if ok else 1, "end": "", "n": 1}


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({}, {}, ""),
        ({}, {"commits": ["1 a"]}, "commit"),
        ({"commits": ["1 a"]}, {"commits": ["1 a"]}, ""),
        ({}, {"tests": [run()], "changed": ["/p/a"]}, "tests green"),
        ({}, {"tests": [run(ok=False)], "changed": ["/p/a"]}, ""),
        ({"changed": ["/p/a"]}, {"tests": [run()], "changed": ["/p/a"]}, ""),
        ({}, {"tests": [{**run(), "exit": None, "end": "4 passed"}], "changed": ["/p/a"]}, "tests green"),
        ({}, {"tests": [{**run(), "exit": None, "end": "no such option"}], "changed": ["/p/a"]}, ""),
        ({"todos": [OPEN]}, {"todos": [DONE, {**OPEN, "status": "deleted"}]}, "to-do list finished"),
        ({"todos": [DONE]}, {"todos": [DONE]}, ""),
        ({}, {"todos": [DONE, OPEN]}, ""),
        ({"tokens": 84}, {"tokens": 85}, "context over 85 %"),
        ({"tokens": 85}, {"tokens": 99}, ""),
        ({"tokens": 20}, {"tokens": 84}, ""),
    ],
)
def test_milestones(before: Any, now: Any, expected: str) -> None:
    was, tokens = before.pop("tokens", 0), now.pop("tokens", 0)
    assert model.milestone(checkpoint(state(**before), tokens=was), state(**now), {}, tokens, 100) == expected


def test_a_sub_agents_return_is_one() -> None:
    returned = Handoff(decision="PROCEED", context_summary="it is the cache")
    agents = orchestrator.absorb(orchestrator.empty(), ("a1", "trace"), returned, (1, 1), "")
    assert model.milestone(None, state(), agents, 99, 0) == "sub-agent returned"
    assert model.milestone(checkpoint(state(), agents), state(), agents, 0, 0) == ""


def test_a_long_history_reaches_nothing_by_its_length() -> None:
    """What a checkpoint cuts off is no change."""
    long = state(commits=[f"{n} x" * 20 for n in range(12)], tests=[run()] * 12, changed=[f"/p/{n}" for n in range(90)])
    assert model.milestone(checkpoint(long), long, {}, 0, 0) == ""
    assert model.milestone(checkpoint(long), state(commits=[*long["commits"], "f new"]), {}, 0, 0) == "commit"


@pytest.fixture
def dead(event_of: Make, session_of: Make, transcript: Any) -> tuple[Any, Any]:
    """Event and session of one that was cut off with a checkpoint behind its transcript."""
    event = event_of("SessionStart.startup", session_id="dead")
    session = session_of(event)
    liveness.opened(event, session)
    transcript.user("Fix the login")
    hooks.save(session, worklog.fold(event, session), gauge.read(event, session), "test")
    transcript.did("TodoWrite", todos=[{"content": "Write tests", "status": "in_progress"}])
    return event, session


def test_the_page_has_what_the_json_has_no_room_for(event_of: Make, session_of: Make, transcript: Any) -> None:
    """Marked rules, all of them: it is what a restored text names."""
    transcript.user("\n".join(f"RULE: never touch table_{n}" for n in range(30)))
    event = event_of("Stop")
    session = session_of(event)
    saved = hooks.save(session, worklog.fold(event, session), gauge.read(event, session), "test")
    page = Path(hooks.page_path(session, saved)).read_text()
    assert all(f"never touch table_{n}\n" in page for n in range(30))
    assert len(saved["work"]["marks"]) == model.BOUNDS["marks"][0]


def test_the_end_of_a_turn_saves_where_something_was_reached(event_of: Make, session_of: Make, transcript: Any) -> None:
    """With an entry in the progress log, whose evidence is the commit; where the place looks like is noted."""
    event = event_of("Stop")
    session = session_of(event)
    transcript.user("Fix the login")
    hooks.at_turn_end(event, session, worklog.fold(event, session), gauge.read(event, session))
    assert hooks.newest(session) is None
    assert session.read(InSession.LAST)["environment"]["directory"] == session.project
    transcript.did("Bash", "[main 1234abc] Fix login", command="git commit -m x")
    hooks.at_turn_end(event, session, worklog.fold(event, session), gauge.read(event, session))
    assert (hooks.newest(session) or checkpoint(state()))["reason"] == "commit"
    told = hooks.last_progress(session)
    assert "- task: Fix the login" in told
    assert "- evidence: 1234abc" in told


def test_a_note_is_carried_on_until_a_save_by_hand_ends_it(dead: tuple[Any, Any]) -> None:
    event, session = dead
    work, reading = worklog.fold(event, session), gauge.read(event, session)
    hooks.save(session, work, reading, "by hand", "about to\nrebase")
    saved = hooks.save(session, work, reading, "commit")
    assert hooks.note_lines(saved, session.now + 300) == ["Left with checkpoint 2 5 min ago:", "> about to", "> rebase"]
    assert hooks.note_lines(hooks.save(session, work, reading, "by hand", ""), session.now) == []
    assert hooks.note_lines(None, session.now) == []


def test_what_the_transcript_still_tells_is_saved_first(dead: tuple[Any, Any]) -> None:
    event, session = dead
    saved = hooks.caught_up(event, session)
    assert saved is not None
    assert (saved["number"], saved["reason"]) == (2, hooks.AFTER_A_CUT)
    assert saved["work"]["todos"] == [{"text": "Write tests", "status": "in_progress"}]
    assert hooks.caught_up(event, session) == saved
    Path(session.path("state.json")).write_bytes(b'{"v": 2, "offset": 5')
    Path(session.path("checkpoints/0002.json")).write_text("{")
    gone = event._replace(transcript_path="/none.jsonl")
    assert hooks.caught_up(gone, session) == store.load(session.path("checkpoints"), 1), (
        "of what is left the newest whole"
    )


def test_a_new_session_beside_it(dead: tuple[Any, Any], event_of: Make, session_of: Make, transcript: Any) -> None:
    """Told only at a startup, in a few lines: where its checkpoint is, and how to go on with it."""
    transcript.assistant("TODO: add discounts")
    event = event_of("SessionStart.startup", session_id="new", transcript_path="/none.jsonl")
    session = session_of(event)
    assert hooks.at_start(event, session, "resume", cut_off=True) == hooks.Point(), "it has nothing to restore"
    point = hooks.at_start(event, session, "startup", cut_off=False)
    lines = point.sections[0][1]
    assert point.path.endswith("sessions/dead/checkpoints/0002.md")
    assert lines[1:-1] == [
        "- task: Write tests (latest request: Fix the login)",
        "- in progress: Write tests",
        "- marked to do: add discounts",
    ]
    assert f"`{PROGRAM} checkpoint resume --session dead`" in lines[-1]
    assert point.user.endswith("To go on with it: claude --resume dead")
    for source in ("clear", "fork"):
        assert hooks.at_start(event, session, source, cut_off=False) == hooks.Point()


def test_a_page_names_a_report_by_its_whole_path(dead: tuple[Any, Any]) -> None:
    """As it was saved, and as it is taken up: whoever reads it there opens the file."""
    event, session = dead
    returned = Handoff(decision="PROCEED", context_summary="it is the cache")
    agents = orchestrator.absorb(orchestrator.empty(), ("a1", "trace"), returned, (1, 1), "a1.report.md")
    session.write(InSession.ORCHESTRATOR, agents)
    saved = hooks.save(session, worklog.fold(event, session), gauge.read(event, session), "test")
    whole = f"(full report: {session.folder}/handoffs/a1.report.md)"
    assert whole in Path(hooks.page_path(session, saved)).read_text()
    assert whole in page.taken_up(saved, hooks.found(session, saved))


def test_the_progress_log_names_what_the_user_wants_now(session_of: Make, event_of: Make) -> None:
    """As the memory's state and the line to paste do, not what the session began with."""
    asked = ("Fix the double release in the stock room, please.", "Now see what an expiry of orders would need.")
    prompts = [{"n": n, "text": text, "source": "typed", "to": ""} for n, text in enumerate(asked)]
    session = session_of(event_of("Stop"))
    hooks.log_progress(session, checkpoint(state()), state(prompts=prompts), "commit")
    assert f"{asked[1]} (begun with: {asked[0]})" in hooks.last_progress(session)
