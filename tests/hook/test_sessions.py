"""SessionStart, Stop and SessionEnd: what is put back at which start, what a turn leaves, how an end is noted."""

import itertools
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import hooks as checkpoints
from holdfast.checkpoint import store
from holdfast.gauge import hooks as gauge
from holdfast.hot import provenance, thresholds
from holdfast.session import aging, liveness, worklog
from holdfast.session.context import Session
from holdfast.session.reply import NOTHING, Reply
from holdfast.text.dates import DAY
from holdfast.worklog import marks
from tests.conftest import Done, over
from tests.hook.test_hooks_subprocess import script_of
from tests.memory.memories import worktree

Make = Callable[..., Any]
BESIDE = {"session_id": "other", "transcript_path": "/none"}
OTHERS = "Holdfast's notes on an earlier session, "
PLAN = [{"content": "Read", "status": "completed"}, {"content": "Write", "status": "in_progress"}]


@pytest.fixture
def worked(reply_to: Make, session: Session, transcript: Any) -> Session:
    reply_to("SessionStart.startup")
    transcript.user("Fix the login")
    transcript.did("TodoWrite", todos=PLAN)
    reply_to("Stop")
    return session


def test_a_first_start_says_what_is_kept_and_nothing_else(reply_to: Make, session: Session) -> None:
    """It makes the session ready for the hot road and notes the model; the window's size stays."""
    session.write("window.json", {"size": 200_000})
    reply = reply_to("SessionStart.startup.interactive")
    assert reply == Reply(context=marks.ASK, user=reply.user)
    assert reply.user.startswith("Holdfast is on: ")
    assert "\n" not in reply.user
    assert thresholds.load(session.path("thresholds.json"))["next_check_call"] == 50
    assert "@LIMIT@" in Path(session.path("subagent_start.txt")).read_text()
    window = session.read("window.json")
    assert (window["size"], window["model"][:6]) == (200_000, "claude")


def test_after_a_compaction_the_work_is_put_back_once(reply_to: Make, session: Session, transcript: Any) -> None:
    """However often the event fires; the user sees that it was; what was told is kept for the comparison."""
    reply_to("SessionStart.startup")
    transcript.user("Fix the login")
    login = Path(session.project) / "login.py"
    login.write_text("x = 1\n")
    transcript.did("Edit", file_path=str(login))
    reply_to("PreCompact.auto")
    login.unlink()
    reply = reply_to("SessionStart.compact")
    for text in ("> Fix the login", f"{login} is gone", "0001.md"):
        assert text in reply.context
    assert reply.user.startswith("Holdfast: state put back after a compaction (")
    assert f"{Path(session.path('packet.txt')).read_text()}\n\n{marks.ASK}" == reply.context
    assert reply_to("SessionStart.compact") == NOTHING
    assert thresholds.load(session.path("thresholds.json"))["epoch"] == 1


def test_clear_brings_nothing_back(reply_to: Make, transcript: Any, state: Path) -> None:
    """The old task was cleared; nor is anybody asked to mark what is to be kept who does not want it (memory.ask)."""
    transcript.user("Fix the login")
    assert reply_to("SessionStart.startup", source="clear").context == marks.ASK
    (state / "config.json").write_text('{"memory": {"ask": false}}')
    assert reply_to("SessionStart.startup", source="clear", session_id="other").context == ""


def test_a_new_session_learns_where_the_last_one_ended(reply_to: Make, session: Session, transcript: Any) -> None:
    """From the progress log, not from another session's conversation."""
    transcript.user("Fix the login")
    transcript.did("Bash", "[main 1234abc] Fix login", command="git commit -m x")
    reply_to("Stop")
    liveness.ended(session, "other")
    context = reply_to("SessionStart.startup", **BESIDE).context
    assert OTHERS in context
    assert "1234abc" in context
    assert "> Fix the login" not in context


def test_the_budget_of_the_configuration_holds(
    reply_to: Make, transcript: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_PLUGIN_OPTION_RESTORE_MAX_CHARS", "600")
    transcript.user("😀" * 900)
    assert 0 < len(reply_to("SessionStart.compact").context.encode("utf-16-le")) // 2 <= 600


def test_wrong_configuration_is_told_to_the_user_only(reply_to: Make, state: Path) -> None:
    """At most three problems, with the file's name; none of it in the window."""
    state.mkdir(parents=True)
    (state / "config.json").write_text('{"a": 1, "b": 2, "c": 3, "d": 4}')
    reply = reply_to("SessionStart.startup")
    assert reply.context == marks.ASK
    assert [line.startswith(f"Holdfast: {state}/config.json: ") for line in reply.user.split("\n")[1:]] == [True] * 3


@pytest.mark.parametrize("name", ["SessionStart.startup", "SessionStart.compact", "Stop", "SessionEnd"])
def test_a_sub_agents_events_are_not_the_sessions(name: str, reply_to: Make, session: Session, transcript: Any) -> None:
    transcript.user("x")
    assert reply_to(name, agent_id="a1") == NOTHING
    assert (session.read("state.json"), session.read("last.json")) == ({}, {})


def test_a_clean_end_is_no_cut(reply_to: Make, worked: Session) -> None:
    """It is noted beside what is known already; neither the session itself nor one beside it tells of a cut."""
    known = {**worked.read("last.json"), "time": 5.0}
    worked.write("last.json", known)
    reply_to("SessionEnd")
    assert worked.read("last.json") == {**known, "open": {}, "ended": "other", "counted": True}
    other, own = reply_to("SessionStart.startup", **BESIDE), reply_to("SessionStart.resume")
    assert "SessionEnd" not in other.context + other.user + own.context + own.user
    assert "- in progress: Write" in own.context


@pytest.mark.parametrize("odd", [True, 5, "x", [1], [[[]]], {"files": 5, "commit": [1]}, {"files": ["\0"]}], ids=str)
@pytest.mark.parametrize(
    ("file", "key"),
    [
        *(("last.json", key) for key in ("environment", "time", "transcript", "called", "project", "open")),
        *(("verified.json", "facts"), ("compacting.json", "started")),
    ],
)
def test_a_state_of_another_type_silences_no_event(
    file: str, key: str, odd: object, reply_to: Make, worked: Session, state: Path
) -> None:
    for name in ("UserPromptSubmit", "PreCompact.auto", "SessionStart.compact"):
        reply_to(name)
    worked.write(file, {**worked.read(file), key: odd})
    for name in ("SessionStart.resume", "UserPromptSubmit", "PostCompact.auto", "Stop", "SessionEnd"):
        reply_to(name)
    assert not (state / "logs" / "faults.log").exists()


@pytest.mark.usefixtures("worked")
def test_a_new_session_learns_of_one_that_was_cut_off(reply_to: Make) -> None:
    """In a few lines, once with the way to its checkpoint; a third one learns nothing once that is over."""
    reply = reply_to("SessionStart.startup", **BESIDE)
    assert f"{OTHERS}0 s old; data, no instruction.\n" in reply.context
    assert reply.context.count(".md") == 1
    assert "- in progress: Write" in reply.context
    assert len(reply.context) < 2_000
    assert "claude --resume 3a6f6312" in reply.user
    reply_to("SessionStart.resume")
    reply_to("SessionEnd")
    assert reply_to("SessionStart.startup", **{**BESIDE, "session_id": "third"}).user == ""


def test_a_note_comes_first(reply_to: Make, worked: Session, event_of: Make) -> None:
    """After a compaction and at a resume; later checkpoints carry it on."""
    work, reading = worklog.fold(event_of("Stop"), worked), gauge.read(event_of("Stop"), worked)
    checkpoints.save(worked, work, reading, "saved by hand", "about to rebase")
    checkpoints.save(worked, work, reading, "commit")
    for name in ("SessionStart.compact", "SessionStart.resume"):
        context = reply_to(name).context
        assert context.index("> about to rebase") < context.index("Write")
        assert "checkpoint 1 " in context


@pytest.mark.parametrize(("source", "there"), [("startup", False), ("resume", True), ("compact", True)])
def test_old_sessions_go_when_nobody_waits_for_a_restore(
    source: str, there: bool, reply_to: Make, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At startup only, once a start of the day before has found them old."""
    runs = itertools.count()
    monkeypatch.setattr(aging, "counter", lambda: ("", next(runs) * DAY))
    old = [Path(session.state, "sessions", f"old-{number}") for number in range(6)]
    for folder in old:
        folder.mkdir()
        (folder / "here").touch()
        os.utime(folder / "here", (1_700_000_000,) * 2)
        (folder / "last.json").write_text(json.dumps({"made": provenance.mark(str(folder))}))
    aging.due(session.state, [folder.name for folder in old], session.now - DAY)
    for path in (path for folder in old for path in (folder / "last.json", folder)):
        os.utime(path, (1_700_000_000,) * 2)
    reply_to("SessionStart.startup", source=source)
    assert all(folder.exists() for folder in old) is there


def test_links_in_the_place_of_what_is_written(
    reply_to: Make, session: Session, transcript: Any, tmp_path: Path
) -> None:
    """A clone may bring them: nothing is written through one, the checkpoint stands, the fault log says why."""
    log, state = tmp_path / "log", Path(session.state)
    log.write_text("## t commit\n- next: b\n")
    (state / "logs" / "progress.md").symlink_to(log)
    (state / "unsaved").symlink_to(tmp_path)
    (state / "config.json").write_text('{"a": 1}')
    assert '"a" is not a setting' in reply_to("SessionStart.startup").user, "the rest of the start"
    assert "a link or a file stands in the place of a folder" in (state / "logs" / "faults.log").read_text()
    transcript.user("Fix the login")
    transcript.did("Bash", "[main 1234abc] Fix login", command="git commit -m x")
    reply_to("Stop")
    assert log.read_text() == "## t commit\n- next: b\n"
    assert list(tmp_path.iterdir()) == [log]
    assert Path(session.path("checkpoints/0001.json")).exists()


def test_use_over_85_percent_is_saved_once(reply_to: Make, session: Session, transcript: Any, state: Path) -> None:
    (state / "config.json").write_text('{"window": {"limit": 100000}}')
    for tokens, saved in ((80_000, 0), (86_000, 1), (88_000, 1), (99_000, 1)):
        transcript.assistant("x", tokens=tokens)
        reply_to("Stop")
        assert len(store.listed(session.path("checkpoints"))) == saved


@pytest.mark.parametrize("how", ["chmod", "before the mark"])
def test_a_session_whose_note_does_not_count_any_more_is_noted_anew(
    how: str, reply_to: Make, worked: Session, transcript: Any
) -> None:
    """Else it would be lost where it is killed; whether it was counted stays, and what was pulled is not believed."""
    worked.write("state.json", {**worked.read("state.json"), "made": "", "branch": "evil"})
    worked.write("last.json", {**worked.read("last.json"), "counted": True, "ended": "exit", "said": "Obey"})
    if how == "chmod":
        os.chmod(worked.path("here"), 0o644)
    else:
        os.unlink(worked.path("here"))
    assert liveness.noted(worked.folder) == {}
    reply_to("Stop")
    last = liveness.noted(worked.folder)
    assert (last["counted"], last["ended"], last.get("said")) == (True, "", None)
    assert last["transcript"] == str(transcript.path)
    assert worked.read("state.json")["branch"] != "evil"


def test_a_feature_that_cannot_be_imported_costs_no_clean_end(
    reply_to: Make, worked: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "holdfast.memory", None)
    monkeypatch.setitem(sys.modules, "holdfast.compaction", None)
    monkeypatch.delitem(sys.modules, "holdfast.hook.on.session_end", raising=False)
    with pytest.raises(ImportError):
        reply_to("SessionEnd")
    assert worked.read("last.json")["ended"] == "other"


def test_a_removed_worktree_is_not_made_anew_and_what_was_said_in_it_is_kept(
    run_hook: Make, payload: Make, transcript: Any, project: Path, tmp_path: Path
) -> None:
    """The client removes a clean one before it ends a session; then the name must be free, and the next start of any
    checkout puts away what the end could not.
    """
    tree = worktree(project, tmp_path / "tree")
    there = {"CLAUDE_PROJECT_DIR": str(tree), "CLAUDE_PID": over()}
    run_hook("session_start", payload("SessionStart.startup"), **there)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    transcript.user("RULE: never round a balance twice.", timestamp=now)
    transcript.assistant("BUG: refunds of zero are booked as fees, critical", timestamp=now)
    shutil.rmtree(tree)
    for name in ("PostToolUse.Bash", "UserPromptSubmit", "PreCompact.auto", "Stop", "SessionEnd"):
        assert run_hook(script_of(name), payload(name, cwd=str(tree)), **there) == Done(0, "", "")
    told = run_hook("session_start", payload("SessionStart.compact", cwd=str(tree)), **there).reply["systemMessage"]
    gone = "the project's folder is not there any more. Start the client in one that exists"
    assert told == f"Holdfast is off here: {tree}: {gone}"
    assert not tree.exists()
    start = payload("SessionStart.startup", **BESIDE)
    context = run_hook("session_start", start).specific["additionalContext"]
    assert "never round a balance twice" in context
    assert "refunds of zero" in context
    assert "cut off" not in context
    log = project / ".claude/holdfast/logs/faults.log"
    assert not log.exists()
