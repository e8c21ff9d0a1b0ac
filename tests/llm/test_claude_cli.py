import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.errors import Fault
from holdfast.llm.claude_cli import ClaudeCommand

SUCCESS = {"type": "result", "subtype": "success", "is_error": False, "stop_reason": "end_turn", "result": "yes"}
Fake = Callable[..., ClaudeCommand]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    """`fake(script)`: the adapter with a `claude` on the PATH that is this shell script."""

    def build(script: str, model: str = "", seconds: float = 30, **environment: str) -> ClaudeCommand:
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "claude").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / "claude").chmod(0o700)
        path = f"{folder}:{os.environ['PATH']}"
        return ClaudeCommand(model, {"PATH": path, "OUT": str(tmp_path), **environment}, seconds)

    return build


def printing(**changes: object) -> str:
    return f"cat >/dev/null; cat <<'END'\n{json.dumps({**SUCCESS, **changes})}\nEND"


def test_a_prompt_is_answered(fake: Fake, tmp_path: Path) -> None:
    """The prompt goes in by stdin, without hooks, tools and a session, in a folder of its own that is removed."""
    script = f'cat >"$OUT/prompt"; echo "$*" >"$OUT/options"; pwd >"$OUT/folder"; env >"$OUT/env"\n{printing()}'
    command = fake(script, "haiku", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="s", ANTHROPIC_API_KEY="k", HOLDFAST_DIR="d")
    assert command.ask("Which file?\n", 77) == "yes"
    assert command.name == "claude:haiku"
    assert (tmp_path / "prompt").read_text() == "Which file?\n"
    options = (tmp_path / "options").read_text()
    assert "-p --output-format json" in options
    assert "--model haiku" in options
    assert "--no-session-persistence" in options
    env = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines() if "=" in line)
    assert env["HOLDFAST_OFF"] == env["CLAUDE_CODE_SAFE_MODE"] == "1"
    assert env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "77"
    assert env["ANTHROPIC_API_KEY"] == "k"
    assert not {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "HOLDFAST_DIR"} & env.keys()
    folder = Path((tmp_path / "folder").read_text().strip())
    assert folder != Path.cwd()
    assert not folder.exists()


FAILURES: dict[str, tuple[str, str]] = {
    "not logged in": (printing(is_error=True, result="Please run /login") + "\nexit 1", "Please run /login"),
    "an error in words": ("echo 'unknown option --tools' >&2; exit 1", "unknown option"),
    "not JSON": ("echo yes", "yes"),
    "empty": (printing(result=" \n"), "empty"),
    "cut": (printing(stop_reason="max_tokens"), "cut at 9 tokens"),
    "turns used up": (printing(subtype="error_max_turns", result=""), "error_max_turns"),
    "exit code": (printing() + "\nexit 2", "reports an error"),
}


@pytest.mark.parametrize(("script", "said"), FAILURES.values(), ids=list(FAILURES))
def test_a_failure_is_a_fault_with_its_reason(fake: Fake, script: str, said: str) -> None:
    """Never an answer that was not given; a prompt that nobody reads is no fault of its own."""
    with pytest.raises(Fault, match=said):
        fake(script).ask("Which file? " * 20_000, 9)


def _has_ended(process: int) -> bool:
    """Whether it ends soon: on a busy machine the system takes a moment to carry out a kill."""
    state = Path(f"/proc/{process}/stat")
    for _ in range(100):
        try:
            if state.read_text().split()[2] in "ZX":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def test_a_slow_answer_is_given_up_and_nothing_stays_behind(fake: Fake, tmp_path: Path) -> None:
    with pytest.raises(Fault, match=r"2\.5 seconds"):
        fake('sleep 300 & echo $! >"$OUT/pid"; wait', seconds=2.5).ask("x", 9)
    child = int((tmp_path / "pid").read_text())
    assert _has_ended(child)


def test_a_command_that_cannot_start_is_told_of(fake: Fake, tmp_path: Path) -> None:
    command = fake("exit 0")
    (tmp_path / "bin" / "claude").write_bytes(b"\x7fELF broken")
    with pytest.raises(Fault, match="cannot be started"):
        command.ask("x", 9)
