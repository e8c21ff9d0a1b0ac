"""Every hook as the client starts it: a process of its own, a payload on stdin."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAYLOADS = Path(__file__).resolve().parents[1] / "payloads"
Make = Callable[..., Any]

SCRIPTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "user_prompt_submit",
    "PreToolUse": "pre_tool_use",
    "PostToolUse": "post_tool_use",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "pre_compact",
    "PostCompact": "post_compact",
    "Stop": "stop",
    "SessionEnd": "session_end",
    "StatusLine": "status_line",
}
RECORDED = sorted(path.stem for path in PAYLOADS.glob("*.json") if path.stem.split(".")[0] in SCRIPTS)
EVERY = sorted({*SCRIPTS.values(), "handoff_wake"})
SPEAKING = {"SubagentStart": "additionalContext", "PreToolUse": "updatedInput"}


def script_of(name: str) -> str:
    """PostToolUse.Bash -> post_tool_use."""
    return SCRIPTS[name.split(".", maxsplit=1)[0]]


def faults(state: Path) -> str:
    """The fault log."""
    log = state / "logs" / "faults.log"
    return log.read_text(encoding="utf-8") if log.exists() else ""


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_payload(name: str, run_hook: Make, payload: Make, state: Path) -> None:
    """In a fresh session and again in the same one: exit 0, no stderr, an answer in the event's form, no fault."""
    for _ in range(2):
        done = run_hook(script_of(name), payload(name))
        assert (done.code, done.err) == (0, "")
        event = name.split(".", maxsplit=1)[0]
        if event == "StatusLine":
            assert done.out.startswith("holdfast")
        elif event == "PreCompact":
            assert done.out.startswith("Keep ")
        elif done.out:
            assert done.reply.get("hookSpecificOutput", {}).get("hookEventName", event) == event
            assert event not in ("PostCompact", "SessionEnd", "Stop")
    assert faults(state) == ""


MALFORMED = {
    "empty": b"",
    "blank": b" \n",
    "not json": b"hello",
    "torn": b'{"session_id": "a',
    "list": b"[1, 2]",
    "null": b"null",
    "number": b"5",
    "wrong event": b'{"hook_event_name": "Nothing", "session_id": "s"}',
    "nul bytes": b"\x00" * 64,
    "not utf-8": b"\xff\xfe\xfd",
    "deep list": b"[" * 200_000,
    "deep object": b'{"a":' * 200_000,
    "huge": b"x" * 1_000_000,
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=list(MALFORMED))
@pytest.mark.parametrize("script", EVERY)
def test_malformed_stdin(script: str, data: bytes, run_hook: Make) -> None:
    """Exit 0, nothing on stdout, nothing on stderr."""
    done = run_hook(script, data, CLAUDE_CODE_SESSION_ATTENDED="1")
    if script == "status_line" and data.startswith(b'{"hook'):
        assert (done.code, done.err) == (0, "")  # it goes by its own fields, not by an event
        return
    assert done == (0, "", "")


ODD_FIELDS: dict[str, dict[str, Any]] = {
    "numbers": dict.fromkeys(
        ("session_id", "cwd", "transcript_path", "tool_name", "prompt", "source", "trigger", "agent_type"), 5
    ),
    "lists": {
        key: [1]
        for key in ("tool_input", "tool_response", "last_assistant_message", "agent_id", "context_window", "model")
    },
    "nulls": dict.fromkeys(
        ("session_id", "cwd", "transcript_path", "tool_name", "tool_input", "tool_response", "agent_id")
    ),
    "surrogates": {
        "session_id": "\ud83d",
        "cwd": "/nowhere/\ud83d",
        "transcript_path": "/nowhere/\ud83d",
        "prompt": "\ud83d",
    },
    "nul": {"session_id": "a\x00b", "cwd": "/\x00", "transcript_path": "/\x00"},
    "long": {"session_id": "s" * 5_000, "agent_id": "a" * 5_000, "source": "x" * 5_000, "tool_name": "t" * 5_000},
}


@pytest.mark.parametrize("changes", ODD_FIELDS.values(), ids=list(ODD_FIELDS))
@pytest.mark.parametrize(
    "name",
    [
        "PostToolUse.Bash",
        "PostToolUse.Agent",
        "UserPromptSubmit.task-notification",
        "SubagentStop.first",
        "SubagentStart",
        "SessionStart.startup",
        "PreCompact.auto",
        "Stop",
        "StatusLine",
        "PreToolUse.Agent",
    ],
)
def test_odd_fields(name: str, changes: dict[str, Any], run_hook: Make, payload: Make) -> None:
    """Fields of other types, half an emoji, NUL, endless names: the session is not disturbed."""
    done = run_hook(script_of(name), payload(name, **changes))
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    "session_id", ["../../../../escape", "/etc/escape", "..", "a/../../escape", ".", "", "~/escape"]
)
def test_a_session_id_stays_in_its_folder(
    session_id: str, run_hook: Make, payload: Make, project: Path, state: Path
) -> None:
    """Whatever the id, files land in sessions/ and nowhere else."""
    run_hook("session_start", payload("SessionStart.startup", session_id=session_id, source="../../../escape"))
    run_hook(
        "subagent_stop",
        payload(
            "SubagentStop.first",
            session_id=session_id,
            agent_id="../../../../escape",
            last_assistant_message="word " * 3_000,
        ),
    )
    made = [path for path in project.rglob("*") if path.is_file()]
    assert made
    assert [path for path in made if state not in path.parents] == []
    assert len(list((state / "sessions").iterdir())) == 1
    assert not list(project.parent.glob("escape*"))


def test_switched_off(run_hook: Make, payload: Make, state: Path, hook_command: Make) -> None:
    """HOLDFAST_OFF=1: nothing printed, nothing written; a large payload is read to its end, for the client's pipe."""
    for name in {script_of(name): name for name in RECORDED}.values():
        assert run_hook(script_of(name), payload(name), HOLDFAST_OFF="1") == (0, "", "")
    assert not state.exists()
    for script in EVERY:
        command, env = hook_command(script, HOLDFAST_OFF="1")
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env)
        assert process.stdin
        process.stdin.write(b"x" * 1_000_000)
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.parametrize(
    "off", [["PostToolUse", "SubagentStart", "PreCompact", "PreToolUse"], ["*"], ["P*", "SubagentStart"]], ids=str
)
def test_hooks_off(off: list[str], run_hook: Make, payload: Make, state: Path) -> None:
    """A hook that is switched off in config.json says nothing, on the hot road and on the ordinary one."""
    state.mkdir(parents=True)
    (state / "config.json").write_text(json.dumps({"hooks.off": off}))
    run_hook("session_start", payload("SessionStart.startup"))
    big = {"stdout": "line of output\n" * 3_000, "stderr": "", "interrupted": False, "isImage": False}
    for name, changes in (
        ("PostToolUse.Bash", {"tool_response": big}),
        ("SubagentStart", {}),
        ("PreCompact.auto", {}),
        ("PreToolUse.Agent", {"tool_input": {"prompt": "x"}}),
    ):
        assert run_hook(script_of(name), payload(name, **changes)) == (0, "", ""), name


@pytest.mark.parametrize("name", RECORDED)
def test_state_folder_cannot_be_made(name: str, run_hook: Make, payload: Make, project: Path) -> None:
    """A file stands where the folder should be: exit 0, and nothing that a reader would miss was taken away."""
    (project / ".claude").write_text("a file")
    done = run_hook(script_of(name), payload(name))
    assert (done.code, done.err) == (0, "")
    if not name.startswith(("StatusLine", "PreToolUse")):
        assert done.out == ""


BROKEN_CONFIG = {
    "torn": b'{"handoff": ',
    "list": b"[1]",
    "not utf-8": b"\xff\xfe",
    "wrong values": b'{"handoff": {"limit": "many"}, "hooks.off": "all", "x": 1}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("data", BROKEN_CONFIG.values(), ids=list(BROKEN_CONFIG))
def test_broken_config_is_told_and_replaced(data: bytes, run_hook: Make, payload: Make, state: Path) -> None:
    """The defaults serve; the user is told the file at the start; nothing reaches the model."""
    state.mkdir(parents=True)
    (state / "config.json").write_bytes(data)
    done = run_hook("session_start", payload("SessionStart.startup"))
    assert str(state / "config.json") in done.reply["systemMessage"]
    assert "hookSpecificOutput" not in done.reply
    assert "at most 500 tokens" in run_hook("subagent_start", payload("SubagentStart")).specific["additionalContext"]
    assert faults(state) == ""


@pytest.mark.parametrize(
    "tail",
    [b"", b'{"type": "assistant", "message": {"usage"', b"\x00\xff\n", b"[" * 70_000 + b"\n"],
    ids=["missing", "torn", "binary", "deep"],
)
def test_transcript_missing_or_torn(tail: bytes, run_hook: Make, payload: Make, transcript: Any, state: Path) -> None:
    """What can be read is read, the rest is passed over."""
    if tail:
        transcript.user("Fix the login")
        with transcript.path.open("ab") as file:
            file.write(tail)
    for name in (
        "SessionStart.startup",
        "PostToolUse.Bash",
        "PostToolUse.Agent",
        "Stop",
        "PreCompact.auto",
        "SessionStart.compact",
        "PostCompact.auto",
        "SessionEnd",
    ):
        done = run_hook(script_of(name), payload(name))
        assert (done.code, done.err) == (0, "")
    assert faults(state) == ""
    if tail:
        assert "Fix the login" in run_hook("pre_compact", payload("PreCompact.auto")).out


def test_half_an_emoji_in_the_transcript(run_hook: Make, payload: Make, transcript: Any, state: Path) -> None:
    """A client that cuts strings by UTF-16 units writes lone surrogates; plain text is printed all the same."""
    transcript.user("Fix the login \ud83d")
    done = run_hook("pre_compact", payload("PreCompact.auto"), LC_ALL="C")
    assert (done.code, done.err) == (0, "")
    assert "Fix the login" in done.out
    assert faults(state) == ""


def test_large_input_and_transcript(run_hook: Make, payload: Make, transcript: Any, state: Path) -> None:
    """1 MB on stdin over a transcript of 5 MB: a digest with the error line, the whole on disk, the call counted."""
    row = json.dumps({"type": "user", "message": {"content": "x" * 10_000}}) + "\n"
    transcript.path.write_text(row * 500)
    transcript.assistant("now", tokens=80_000)
    run_hook("session_start", payload("SessionStart.startup"))
    text = (
        "all is well in this line\n" * 20_000 + "error: the one that matters\n" + "all is well in this line\n" * 20_000
    )
    response = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    done = run_hook("post_tool_use", payload("PostToolUse.Bash", tool_response=response))
    short = done.specific["updatedToolOutput"]["stdout"]
    assert "error: the one that matters" in short
    assert len(short) < 10_000
    whole = short.split("Whole result: ")[1].split("]")[0]
    assert Path(whole).read_text(encoding="utf-8") == text
    assert faults(state) == ""
    assert b" 00080000 b" in next(state.glob("sessions/*/calls.log")).read_bytes()


def test_everything_is_private(run_hook: Make, payload: Make, state: Path, transcript: Any) -> None:
    """Folders 0700 and files 0600: they hold whatever the user's tools printed."""
    transcript.user("x")
    for name in ("SessionStart.startup", "PostToolUse.Bash", "PreCompact.auto", "Stop", "SubagentStop.first"):
        run_hook(script_of(name), payload(name))
    run_hook("stop", b"[]")
    modes = {
        path.relative_to(state).as_posix(): oct(path.stat().st_mode & 0o777) for path in [state, *state.rglob("*")]
    }
    wrong = {name: mode for name, mode in modes.items() if mode != ("0o700" if (state / name).is_dir() else "0o600")}
    assert wrong == {}
    assert len(modes) > 10


def test_switching_off_holds_from_the_next_turn(run_hook: Make, payload: Make, state: Path) -> None:
    """The hot road learns of a changed configuration when the turn ends."""
    run_hook("session_start", payload("SessionStart.startup"))
    assert run_hook("subagent_start", payload("SubagentStart")).out
    (state / "config.json").write_text(json.dumps({"hooks": {"off": ["SubagentStart"]}}))
    run_hook("stop", payload("Stop"))
    assert run_hook("subagent_start", payload("SubagentStart")) == (0, "", "")


KEPT = ("gate", "state", "compacting", "last", "window", "orchestrator", "checkpoints/0001")
CONTENTS = ("", "{", "[]", "null", '{"v": 1}', '{"v": 99}', '{"v": 2, "whole": true}')


@pytest.mark.parametrize(
    ("files", "content"), [*((KEPT, content) for content in CONTENTS), *(((name,), "{") for name in KEPT)], ids=str
)
def test_damaged_state_heals(  # noqa: PLR0917 - fixtures and parameters are arguments
    files: tuple[str, ...], content: str, run_hook: Make, payload: Make, transcript: Any, state: Path
) -> None:
    """A file of the session that is torn or foreign disturbs nothing, and the next start works again."""
    transcript.user("Fix the login")
    run_hook("session_start", payload("SessionStart.startup"))
    session = next((state / "sessions").iterdir())
    for name in files:
        (session / f"{name}.json").write_text(content)
    for name in ("PostToolUse.Bash", "StatusLine", "Stop"):
        done = run_hook(script_of(name), payload(name))
        assert (done.code, done.err) == (0, "")
    (state / "logs" / "faults.log").unlink(missing_ok=True)
    for name in ("PostToolUse.Bash", "PreCompact.auto", "PostCompact.auto", "SubagentStart"):
        assert run_hook(script_of(name), payload(name)).code == 0
    assert faults(state) == ""
