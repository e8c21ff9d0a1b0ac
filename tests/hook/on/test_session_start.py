import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import hooks as checkpoints
from holdfast.checkpoint import store
from holdfast.gauge import hooks as gauge
from holdfast.hook.on import pre_compact, session_end, session_start, stop
from holdfast.hot import thresholds
from holdfast.session import liveness, worklog
from holdfast.session.reply import NOTHING

Make = Callable[..., Any]


def start(name: str, event_of: Make, session_of: Make, **changes: Any) -> Any:
    """The reply to a start."""
    event = event_of(name, **changes)
    return session_start.handle(event, session_of(event))


def test_a_first_start_says_nothing(event_of: Make, session_of: Make) -> None:
    """And makes the session ready for the hot road."""
    assert start("SessionStart.startup", event_of, session_of) == NOTHING
    session = session_of(event_of("Stop"))
    assert thresholds.load(session.path("gate.json"))["next_check_call"] == 50
    assert "@LIMIT@" in Path(session.path("subagent_start.txt")).read_text()


def test_after_a_compaction_the_work_is_put_back_once(event_of: Make, session_of: Make, transcript: Any) -> None:
    """However often the event fires; the user sees that it was."""
    start("SessionStart.startup", event_of, session_of)
    transcript.user("Fix the login")
    event = event_of("PreCompact.auto")
    login = Path(session_of(event).project) / "login.py"
    login.write_text("x = 1\n")
    transcript.did("Edit", file_path=str(login))
    pre_compact.handle(event, session_of(event))
    login.unlink()
    reply = start("SessionStart.compact", event_of, session_of)
    assert "> Fix the login" in reply.context
    assert f"{login} is gone" in reply.context
    assert "0001.md" in reply.context
    assert reply.user.startswith("Holdfast: state restored after compact (")
    assert start("SessionStart.compact", event_of, session_of) == NOTHING
    assert thresholds.load(session_of(event).path("gate.json"))["epoch"] == 1


def test_a_link_in_the_place_of_the_notes_costs_the_start_nothing(
    event_of: Make, session_of: Make, state: Path, tmp_path: Path
) -> None:
    """A clone may bring one: the session is not put away later, the fault log says why, the rest is told."""
    state.mkdir(parents=True)
    (state / "progress.md").write_text("## t commit\n- next: b\n")
    (state / "unsaved").symlink_to(tmp_path)
    assert "| - next: b" in start("SessionStart.startup", event_of, session_of).context
    assert list(tmp_path.iterdir()) == []
    assert "a link or a file stands in the place of a folder" in (state / "logs" / "faults.log").read_text()


def test_clear_brings_nothing_back(event_of: Make, session_of: Make, transcript: Any) -> None:
    """The old task was cleared."""
    transcript.user("Fix the login")
    assert start("SessionStart.startup", event_of, session_of, source="clear").context == ""


def test_a_new_session_learns_where_the_last_one_ended(event_of: Make, session_of: Make, transcript: Any) -> None:
    """From the progress log, not from another session's conversation."""
    transcript.user("Fix the login")
    transcript.did("Bash", "[main 1234abc] Fix login", command="git commit -m x")
    event = event_of("Stop")
    stop.handle(event, session_of(event))
    liveness.ended(session_of(event), "other")
    context = start("SessionStart.startup", event_of, session_of, session_id="other", transcript_path="/none").context
    assert "commit" in context
    assert "1234abc" in context
    assert "> Fix the login" not in context


def test_the_budget_of_the_configuration_holds(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    """restore.max_chars, in UTF-16 units."""
    state.mkdir(parents=True)
    (state / "config.json").write_text('{"restore": {"max_chars": 600}}')
    transcript.user("😀" * 900)
    context = start("SessionStart.compact", event_of, session_of).context
    assert 0 < len(context.encode("utf-16-le")) // 2 <= 600


def test_wrong_configuration_is_told_to_the_user_only(event_of: Make, session_of: Make, state: Path) -> None:
    """At most three problems, with the file's name; none of it in the window."""
    state.mkdir(parents=True)
    (state / "config.json").write_text('{"a": 1, "b": 2, "c": 3, "d": 4}')
    reply = start("SessionStart.startup", event_of, session_of)
    assert reply.context == ""
    assert [line.startswith(f"Holdfast: {state}/config.json: ") for line in reply.user.split("\n")] == [True] * 3


@pytest.mark.parametrize("name", ["SessionStart.startup", "SessionStart.compact"])
def test_a_sub_agents_start_is_not_the_sessions(name: str, event_of: Make, session_of: Make, transcript: Any) -> None:
    """Nothing is restored into it."""
    transcript.user("x")
    assert start(name, event_of, session_of, agent_id="a1") == NOTHING


def test_the_model_is_remembered(event_of: Make, session_of: Make) -> None:
    """For the limit, where only the start tells it; the window's size stays."""
    session = session_of(event_of("Stop"))
    session.write("window.json", {"size": 200_000})
    start("SessionStart.startup.interactive", event_of, session_of)
    assert session.read("window.json")["size"] == 200_000
    assert session.read("window.json")["model"].startswith("claude")


def work_on(event_of: Make, session_of: Make, transcript: Any) -> Any:
    """A session with a goal and a plan, at the end of a turn; its session."""
    start("SessionStart.startup", event_of, session_of)
    transcript.user("Fix the login")
    plan = [{"content": "Read", "status": "completed"}, {"content": "Write", "status": "in_progress"}]
    transcript.did("TodoWrite", todos=plan)
    stop.handle(event_of("Stop"), session_of(event_of("Stop")))
    return session_of(event_of("Stop"))


def test_a_session_that_was_cut_off_is_restored_and_says_so(event_of: Make, session_of: Make, transcript: Any) -> None:
    """To the user and to the model, from a whole checkpoint; once however often the event fires."""
    session = work_on(event_of, session_of, transcript)
    reply = start("SessionStart.resume", event_of, session_of)
    assert reply.user.startswith("Holdfast: this session ended without its SessionEnd (killed or crashed); restored")
    assert "- in progress: Write" in reply.context
    assert "- done: Read" in reply.context
    saved = store.newest(session.path("checkpoints"))
    assert store.readable_path(session.path("checkpoints"), saved) in reply.context
    assert start("SessionStart.resume", event_of, session_of) == NOTHING


def test_a_clean_end_is_no_cut(event_of: Make, session_of: Make, transcript: Any) -> None:
    """Neither for the session itself nor for one beside it."""
    session = work_on(event_of, session_of, transcript)
    session_end.handle(event_of("SessionEnd"), session)
    other = start("SessionStart.startup", event_of, session_of, session_id="other", transcript_path="/none")
    assert "SessionEnd" not in other.context + other.user
    reply = start("SessionStart.resume", event_of, session_of)
    assert "SessionEnd" not in reply.context + reply.user
    assert "- in progress: Write" in reply.context


def test_a_new_session_learns_of_one_that_was_cut_off(event_of: Make, session_of: Make, transcript: Any) -> None:
    """In a few lines, with the way to its checkpoint; a third one learns nothing once that is over."""
    work_on(event_of, session_of, transcript)
    beside = {"session_id": "other", "transcript_path": "/none"}
    reply = start("SessionStart.startup", event_of, session_of, **beside)
    assert "- in progress: Write" in reply.context
    assert len(reply.context) < 2_000
    assert "claude --resume 3a6f6312" in reply.user
    start("SessionStart.resume", event_of, session_of)
    session_end.handle(event_of("SessionEnd"), session_of(event_of("SessionEnd")))
    assert start("SessionStart.startup", event_of, session_of, **{**beside, "session_id": "third"}).user == ""


def test_a_note_comes_first(event_of: Make, session_of: Make, transcript: Any) -> None:
    """After a compaction and at a resume; later checkpoints carry it on."""
    session = work_on(event_of, session_of, transcript)
    event = event_of("Stop")
    work, reading = worklog.fold(event, session), gauge.read(event, session)
    checkpoints.save(session, work, reading, "saved by hand", "about to rebase")
    checkpoints.save(session, work, reading, "commit")
    for name in ("SessionStart.compact", "SessionStart.resume"):
        context = start(name, event_of, session_of).context
        assert context.index("> about to rebase") < context.index("Write")
        assert "checkpoint 1 " in context


def test_what_was_restored_is_kept_for_the_comparison(event_of: Make, session_of: Make, transcript: Any) -> None:
    """The packet, word for word."""
    session = work_on(event_of, session_of, transcript)
    context = start("SessionStart.compact", event_of, session_of).context
    assert Path(session.path("packet.txt")).read_text() == context


def test_state_and_transcript_gone(event_of: Make, session_of: Make, transcript: Any) -> None:
    """The newest whole checkpoint restores the work after a compaction all the same."""
    session = work_on(event_of, session_of, transcript)
    event = event_of("Stop")
    checkpoints.save(session, worklog.fold(event, session), gauge.read(event, session), "test")
    Path(session.path("state.json")).write_text("{")
    transcript.path.unlink()
    context = start("SessionStart.compact", event_of, session_of).context
    assert "> Fix the login" in context
    assert "- in progress: Write" in context


@pytest.mark.parametrize(("source", "there"), [("startup", False), ("resume", True), ("compact", True)])
def test_old_sessions_go_when_nobody_waits_for_a_restore(  # noqa: PLR0917 - fixtures and parameters are arguments
    source: str, there: bool, event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    """At startup only."""
    transcript.user("Fix the login")
    old = [Path(session_of(event_of("Stop", session_id=f"old-{number}")).folder) for number in range(6)]
    for path in (path for folder in old for path in (*folder.iterdir(), folder)):
        os.utime(path, (1_700_000_000,) * 2)
    start("SessionStart.startup", event_of, session_of, source=source)
    assert all(folder.exists() for folder in old) is there
