"""Every hook as the client starts it: a process of its own, a payload on stdin."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook.runner import handler_of
from holdfast.worklog import marks
from tests.recorded import FILES

ROOT = Path(__file__).resolve().parents[2]
Make = Callable[..., Any]


def script_of(name: str) -> str:
    """PostToolUse.Bash -> post_tool_use."""
    return handler_of(name.split(".", maxsplit=1)[0]).rpartition(".")[2]


SCRIPTS = {path.stem for path in (ROOT / "hooks").glob("*.py")}
RECORDED = [name for name in FILES if script_of(name) in SCRIPTS]
ONE_OF_EACH = sorted({script_of(name): name for name in RECORDED}.values())
EVERY = sorted(SCRIPTS)


def faults(state: Path) -> str:
    log = state / "logs" / "faults.log"
    return log.read_text() if log.exists() else ""


@pytest.fixture
def sent(run_hook: Make, payload: Make) -> Make:
    """`sent("Stop", cwd=5)`: how the hook of this payload ended; never with an error."""

    def send(name: str, **changes: Any) -> Any:
        done = run_hook(script_of(name), payload(name, **changes))
        assert (done.code, done.err) == (0, "")
        return done

    return send


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_payload(name: str, sent: Make, state: Path) -> None:
    event = name.split(".", maxsplit=1)[0]
    for _ in range(2):
        done = sent(name)
        if event in ("StatusLine", "PreCompact"):
            assert done.out.startswith("holdfast" if event == "StatusLine" else ("Facts from ", "End the summary"))
        elif done.out:
            assert done.reply.get("hookSpecificOutput", {}).get("hookEventName", event) == event
            assert event not in ("PostCompact", "SessionEnd", "Stop")
    assert faults(state) == ""


def test_the_end_of_a_session_that_never_began_leaves_nothing(sent: Make, state: Path) -> None:
    """`claude mcp list` fires it alone; with a folder of its own, it is noted."""
    sent("SessionEnd", session_id="never")
    assert not (state / "sessions" / "never").exists()
    sent("SessionStart.startup", session_id="began")
    sent("SessionEnd", session_id="began")
    assert json.loads((state / "sessions" / "began" / "last.json").read_text())["ended"]


MALFORMED = {
    "empty": b"",
    "blank": b" \n",
    "torn": b'{"session_id": "a',
    "list": b"[1, 2]",
    "null": b"null",
    "wrong event": b'{"hook_event_name": "Nothing", "session_id": "s"}',
    "nul bytes": b"\x00" * 64,
    "not utf-8": b"\xff\xfe\xfd",
    "deep": b'{"a":' * 200_000,
    "huge": b"x" * 1_000_000,
}


@pytest.mark.parametrize("script", EVERY)
def test_malformed_stdin(script: str, run_hook: Make) -> None:
    """Exit 0, nothing on stdout, nothing on stderr; the status line goes by its own fields, not by an event."""
    for name, data in MALFORMED.items():
        done = run_hook(script, data, CLAUDE_CODE_SESSION_ATTENDED="1")
        assert (done.code, done.err) == (0, ""), name
        assert done.out == "" or (script, name) == ("status_line", "wrong event")


FIELDS = ("session_id", "cwd", "transcript_path", "tool_name", "prompt", "source", "trigger", "agent_type", "agent_id")
OBJECTS = ("tool_input", "tool_response", "last_assistant_message", "context_window", "model")
ODD_FIELDS: dict[str, dict[str, Any]] = {
    "numbers": dict.fromkeys(FIELDS, 5),
    "lists": {key: [1] for key in OBJECTS},
    "nulls": dict.fromkeys(FIELDS + OBJECTS),
    "surrogates": dict.fromkeys(FIELDS, "/nowhere/\ud83d"),
    "nul": {"session_id": "a\x00b", "cwd": "/\x00", "transcript_path": "/\x00"},
    "long": {"session_id": "s" * 5_000, "agent_id": "a" * 5_000, "source": "x" * 5_000, "tool_name": "t" * 5_000},
}


@pytest.mark.parametrize("changes", ODD_FIELDS.values(), ids=list(ODD_FIELDS))
def test_odd_fields(changes: dict[str, Any], sent: Make) -> None:
    assert [sent(name, **changes).code for name in ONE_OF_EACH] == [0] * len(ONE_OF_EACH)


@pytest.mark.parametrize("session_id", ["../../../../escape", "/etc/escape", "..", ".", ""])
def test_a_session_id_stays_in_its_folder(session_id: str, sent: Make, project: Path, state: Path) -> None:
    sent("SessionStart.startup", session_id=session_id, source="../../../escape")
    agent = {"agent_id": "../../../../escape", "last_assistant_message": "word " * 3_000}
    sent("SubagentStop.first", session_id=session_id, **agent)
    made = [path for path in project.rglob("*") if path.is_file()]
    assert made
    assert [path for path in made if state not in path.parents] == []
    assert len(list((state / "sessions").iterdir())) == 1
    assert not list(project.parent.glob("escape*"))


def test_switched_off(run_hook: Make, payload: Make, state: Path, hook_command: Make) -> None:
    """HOLDFAST_OFF=1: nothing printed, nothing written; a large payload is read to its end, for the client's pipe."""
    for name in ONE_OF_EACH:
        assert run_hook(script_of(name), payload(name), HOLDFAST_OFF="1") == (0, "", "")
    assert not state.exists()
    for script in EVERY:
        command, env = hook_command(script, HOLDFAST_OFF="1")
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env)
        assert process.stdin
        process.stdin.write(b"x" * 1_000_000)
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.parametrize("off", [["PostToolUse", "SubagentStart", "PreCompact", "PreToolUse"], ["*"]], ids=str)
def test_hooks_off(off: list[str], sent: Make) -> None:
    """A hook that is switched off in the user's settings says nothing from the end of the turn on, on either road."""
    sent("SessionStart.startup")
    assert sent("SubagentStart").out
    settings = Path(os.environ["HOME"], ".claude", "holdfast", "config.json")
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"hooks.off": off}))
    sent("Stop")
    if "*" not in off:  # else the end of the turn is off as well, and the hot road learns nothing
        big = {"stdout": "line of output\n" * 3_000, "stderr": "", "interrupted": False, "isImage": False}
        assert sent("PostToolUse.Bash", tool_response=big).out + sent("SubagentStart").out == ""
    assert sent("PreCompact.auto").out + sent("PreToolUse.Agent", tool_input={"prompt": "x"}).out == ""


@pytest.mark.parametrize("data", [b'{"handoff": ', b"\xff\xfe", b"[" * 100_000], ids=["torn", "not utf-8", "deep"])
def test_broken_config_is_told_and_replaced(data: bytes, sent: Make, state: Path) -> None:
    state.mkdir(parents=True)
    (state / "config.json").write_bytes(data)
    done = sent("SessionStart.startup")
    assert str(state / "config.json") in done.reply["systemMessage"]
    assert done.specific["additionalContext"] == marks.ASK
    assert "at most 500 tokens" in sent("SubagentStart").specific["additionalContext"]
    assert faults(state) == ""


@pytest.mark.parametrize(
    "tail",
    [b"", b'{"type": "assistant", "message": {"usage"', b"\x00\xff\n", b"[" * 70_000 + b"\n"],
    ids=["missing", "torn", "binary", "deep"],
)
def test_transcript_missing_or_torn(tail: bytes, sent: Make, transcript: Any, state: Path) -> None:
    if tail:
        transcript.user("Fix the login \ud83d")
        with transcript.path.open("ab") as file:
            file.write(tail)
    for name in ("SessionStart.startup", "PostToolUse.Bash", "Stop", "PreCompact.auto", "SessionStart.compact"):
        done = sent(name)
        assert ("Fix the login" in done.out) is bool(tail and "ompact" in name)
    for name in ("PostToolUse.Agent", "PostCompact.auto", "SessionEnd"):
        sent(name)
    assert faults(state) == ""


def test_large_input_and_transcript(sent: Make, transcript: Any, state: Path) -> None:
    row = json.dumps({"type": "user", "message": {"content": "x" * 10_000}}) + "\n"
    transcript.path.write_text(row * 500)
    transcript.assistant("now", tokens=80_000)
    sent("SessionStart.startup")
    calm = "all is well in this line\n" * 20_000
    text = f"{calm}error: the one that matters\n{calm}"
    response = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    short = sent("PostToolUse.Bash", tool_response=response).specific["updatedToolOutput"]["stdout"]
    assert "error: the one that matters" in short
    assert len(short) < 10_000
    whole = short.split("Whole result: ")[1].split("]")[0]
    assert Path(whole).read_text() == text
    assert faults(state) == ""
    assert b" 00080000 o" in next(state.glob("sessions/*/calls.log")).read_bytes()


def test_everything_is_private(sent: Make, run_hook: Make, state: Path, transcript: Any) -> None:
    """Folders 0700 and files 0600: they hold whatever the user's tools printed."""
    transcript.user("x")
    for name in ("SessionStart.startup", "PostToolUse.Bash", "PreCompact.auto", "Stop", "SubagentStop.first"):
        sent(name)
    run_hook("stop", b"[]")
    made = [state, *state.rglob("*")]
    assert [path for path in made if path.stat().st_mode & 0o777 != (0o700 if path.is_dir() else 0o600)] == []
    assert len(made) > 10


KEPT = ("thresholds", "state", "compacting", "last", "window", "orchestrator", "checkpoints/0001")
CONTENTS = ("", "{", "[]", "null", '{"v": 1}', '{"v": 99}', '{"v": 2, "whole": true}')


@pytest.mark.parametrize("content", CONTENTS)
def test_damaged_state_heals(content: str, sent: Make, transcript: Any, state: Path) -> None:
    transcript.user("Fix the login")
    sent("SessionStart.startup")
    session = next((state / "sessions").iterdir())
    for name in KEPT:
        (session / f"{name}.json").write_text(content)
    for name in ("PostToolUse.Bash", "StatusLine", "Stop"):
        sent(name)
    (state / "logs" / "faults.log").unlink(missing_ok=True)
    for name in ("PostToolUse.Bash", "PreCompact.auto", "PostCompact.auto", "SubagentStart"):
        sent(name)
    assert faults(state) == ""
