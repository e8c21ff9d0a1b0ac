"""Each feature has one switch, each hook another; what is switched off takes nothing else along."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.hot import call_log
from holdfast.knowledge import build
from holdfast.memory import hooks as memory
from holdfast.memory.store import project_memory
from holdfast.session.context import Session

Make = Callable[..., Any]
LONG = "Decision: PROCEED\n\n" + "".join(f"- finding {n} in src/auth/file{n}.py: it does a thing\n" for n in range(300))
OUTPUT = {"stdout": "".join(f"line {n} of the log of the build\n" for n in range(2_000)), "stderr": ""}
ALL = {"memory", "digest", "handoff", "suggest", "restore", "checkpoint", "knowledge"}


@pytest.fixture
def seen(reply_to: Make, session: Session, transcript: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], set[str]]:
    """What one session shows of each feature, as far as hooks that are on are called."""

    def run() -> set[str]:
        ended, end = list[str](), memory.end
        monkeypatch.setattr(memory, "end", lambda *given: end(*given) or True)  # as where maintenance has removed one
        monkeypatch.setattr(build, "renew", lambda *_: ended.append("knowledge"))
        transcript.user("RULE: always use tabs")
        reply_to("SessionStart.startup")
        transcript.did("Bash", "[main 1234abc] Indent", command="git commit -m x")
        reply_to("Stop")
        for _ in range(49):
            call_log.record(session.path("calls.log"), call_log.line(time.time(), 0, "Read"))
        suggested = reply_to("PostToolUse.Bash", tool_response={"stdout": "", "stderr": ""}).user
        digested = reply_to("PostToolUse.Bash", tool_response=OUTPUT).output
        blocked = reply_to("SubagentStop.first", last_assistant_message=LONG).block
        reply_to("PreCompact.auto")
        restored = reply_to("SessionStart.compact").context
        reply_to("SessionEnd")
        found = {
            "memory": bool(project_memory(session.project).all()),
            "digest": digested is not None,
            "handoff": bool(blocked),
            "suggest": "/compact" in suggested,
            "restore": "always use tabs" in restored,
            "checkpoint": bool(list(Path(session.path("checkpoints")).glob("*.json"))),
            "knowledge": bool(ended),
        }
        return {name for name, shows in found.items() if shows}

    return run


def configure(state: Path, **values: Any) -> None:
    home = Path(state.parents[2] / "home" / ".claude" / "holdfast")
    home.mkdir(parents=True)
    (home / "config.json").write_text(json.dumps(values))


@pytest.mark.parametrize("feature", sorted(ALL))
def test_each_feature_has_one_switch(feature: str, seen: Make, state: Path) -> None:
    configure(state, **({"memory.mode": "off"} if feature == "memory" else {f"{feature}.on": False}))
    assert seen() == ALL - {feature}


@pytest.mark.parametrize(
    ("event", "without"),
    [
        ("SessionStart", {"restore"}),
        ("PostToolUse", {"digest", "suggest"}),
        ("SubagentStop", {"handoff"}),
        ("SessionEnd", {"knowledge"}),
        *((event, set()) for event in ("PreCompact", "Stop", "UserPromptSubmit", "PreToolUse", "PostCompact")),
        ("SubagentStart", set()),
    ],
)
def test_a_hook_that_is_off_takes_only_its_own_work_along(
    event: str, without: set[str], seen: Make, state: Path
) -> None:
    """What a stop would have kept, the end keeps."""
    configure(state, **{"hooks.off": [event]})
    assert seen() == ALL - without


def test_a_memory_that_is_off_leaves_no_file(reply_to: Make, session: Session, transcript: Any, state: Path) -> None:
    configure(state, **{"memory.mode": "off"})
    transcript.user("RULE: always use tabs")
    transcript.assistant("BUG-7: the index is off by one, high.")
    said = [reply_to(name) for name in ("SessionStart.startup", "Stop", "SessionEnd")]
    assert "RULE:" not in "".join(one.context + one.user for one in said)
    assert [one.name for one in state.iterdir() if one.name in ("memory", "unsaved", "sessions.log", "kept.txt")] == []


@pytest.mark.parametrize("off", [[], ["SessionEnd"], ["Session*"]])
def test_only_what_was_to_be_told_its_end_counts_as_cut_off(
    off: list[str], reply_to: Make, state: Path, transcript: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that was killed is told; one whose end nobody notes is not. Its memory is kept by the next start."""
    configure(state, **{"hooks.off": off})
    monkeypatch.setenv("CLAUDE_PID", "999999")
    reply_to("SessionStart.startup")
    transcript.user("RULE: always use tabs")
    transcript.did("Edit", file_path="a.py")
    reply_to("Stop")
    started = reply_to("SessionStart.startup", session_id="two", transcript_path="/none")
    assert ("killed or crashed" in started.user + started.context) is (off == [])


def test_what_was_kept_is_said_once_on_the_screen(reply_to: Make, transcript: Any) -> None:
    """With the line that takes it back, also of an answer that the transcript lacks yet; an end's, the next start."""
    reply_to("SessionStart.startup")
    transcript.user("Indent as before.\n\nalways use tabs")
    answer = {"last_assistant_message": 'RULE: "always use tabs"'}
    said = reply_to("Stop", **answer).user
    (record,) = project_memory("").all()
    undo = f"undo: /holdfast-forget {record.code}"
    assert said == f'Holdfast kept 1 record for later sessions: rule "always use tabs"; {undo}'
    assert reply_to("Stop", **answer).user == ""
    transcript.assistant("BUG-7: the index is off by one, high.")
    reply_to("SessionEnd")
    beside = {"session_id": "two", "transcript_path": "/none"}
    assert "BUG-7: the index is off by one" in reply_to("SessionStart.startup", **beside).user
    assert "BUG-7" not in reply_to("SessionStart.startup", **{**beside, "session_id": "three"}).user


@pytest.mark.parametrize("typed", ["RULE: never touch the migrations", "Hear me: never touch the migrations"])
@pytest.mark.parametrize("turn_ends", [True, False])
def test_what_was_taken_back_no_compaction_tells_until_it_is_said_anew(
    typed: str, turn_ends: bool, reply_to: Make, transcript: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def told() -> list[bool]:
        steered, restored = reply_to("PreCompact.manual").plain, reply_to("SessionStart.compact").context
        assert main(["status", "--line"]) == 0
        lines = ["marked as rule" in steered, "rule (" in restored, "my rules" in capsys.readouterr().out]
        return [*lines, "never touch" in f"{steered}\n{restored}"]

    reply_to("SessionStart.startup")
    transcript.user(typed)
    transcript.assistant('RULE: "never touch the migrations"')
    reply_to("Stop")
    (record,) = project_memory("").all()
    assert main(["memory", "forget", record.code]) == 0
    transcript.user(f"/holdfast-forget {record.code}")
    if turn_ends:
        reply_to("Stop")
    assert told() == [False] * 4
    transcript.user(typed, timestamp="2099-01-01T00:00:00Z")
    transcript.assistant('RULE: "never touch the migrations"')
    assert told()[:2] == [True, True]
