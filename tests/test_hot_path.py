"""The hot events' common case imports next to nothing, and no hook leaves anything running."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]
LARGE = "all is well in this line\n" * 4_000 + "error: one\n"
BIG = {"stdout": LARGE, "stderr": "", "interrupted": False, "isImage": False}

BARE = {"posix", "sys", "time", "_json", "__main__"}  # what is built in, or costs nothing


def _own(names: str) -> set[str]:
    return {"holdfast", *(f"holdfast.{name}" for name in names.split())}


LEAN = _own("hook hook.fast hot hot.call_log hot.files hot.jsonc hot.paths hot.presence hot.thresholds hot.usage_tail")
ENTERED = LEAN | {"holdfast.hot.provenance"}  # an agent without a sign yet; ignore files that a pull may have changed
DIGEST = {"_blake2", "itertools"} | _own(
    "digest digest.cleaning digest.content digest.found digest.hits digest.hooks digest.policy digest.source "
    "hot.fingerprint hot.patterns text text.lines text.secret_table text.tokens transcript transcript.tool_output"
)
OS = {"os", "stat", "_stat", "posixpath", "genericpath", "os.path", "_collections_abc", "abc", "_abc"}
GAUGE = _own("gauge gauge.limit gauge.pressure gauge.status_line")
WAKE = _own("handoff handoff.wakeup")

CASES = {
    "a call": ("post_tool_use", "PostToolUse.Bash", {}, LEAN),
    "a failed call": ("post_tool_use_failure", "PostToolUseFailure", {}, LEAN),
    "a sub-agent's call": ("post_tool_use", "PostToolUse.Grep.subagent", {"tool_response": {"content": "x"}}, ENTERED),
    "an edit": ("pre_tool_use", "PreToolUse.Edit", {}, LEAN),
    "a large result": ("post_tool_use", "PostToolUse.Bash", {"tool_response": BIG}, LEAN | DIGEST),
    "a prompt": ("user_prompt_submit", "UserPromptSubmit", {}, ENTERED),
    "a sub-agent starts": ("subagent_start", "SubagentStart", {}, ENTERED | {"holdfast.hot.patterns"}),
    "the status line": ("status_line", "StatusLine", {}, LEAN | OS | GAUGE),
    "the wake-up hook": ("handoff_wake", "UserPromptSubmit", {}, LEAN | OS | WAKE),
}


@pytest.fixture
def imported(hook_command: Make, tmp_path: Path) -> Callable[[str, dict[str, Any]], tuple[set[str], str]]:
    """Runs a hook and tells which modules it loaded beyond those of a bare interpreter, and what it printed."""

    def modules(text: str) -> set[str]:
        return {line.split("|")[-1].strip() for line in text.splitlines() if line.startswith("import time:")}

    def run(script: str, sent: dict[str, Any]) -> tuple[set[str], str]:
        command, env = hook_command(script, "-X", "importtime")
        empty = tmp_path / "empty.py"
        empty.write_text("")
        bare = subprocess.run([*command[:-1], str(empty)], env=env, capture_output=True, text=True, check=True)
        done = subprocess.run(command, env=env, input=json.dumps(sent), capture_output=True, text=True, check=True)
        return modules(done.stderr) - modules(bare.stderr), done.stdout

    return run


@pytest.mark.parametrize(("script", "name", "changes", "allowed"), CASES.values(), ids=list(CASES))
def test_what_the_common_case_imports(
    script: str,
    name: str,
    changes: dict[str, Any],
    allowed: set[str],
    imported: Make,
    payload: Make,
    run_hook: Make,
    transcript: Any,
) -> None:
    """Nothing but the lean modules: no os, re, json, typing, pathlib, and no handler."""
    transcript.assistant("x", tokens=20_000)
    assert run_hook("session_start", payload("SessionStart.startup")).code == 0
    loaded, out = imported(script, payload(name, **changes))
    assert loaded - BARE - allowed == set()
    assert any(module.startswith("holdfast.") for module in loaded), "the measure saw nothing"
    spoke = script in ("subagent_start", "status_line") or changes.get("tool_response") is BIG
    assert bool(out) is spoke


def test_what_a_prompt_imports_where_there_is_a_memory(
    imported: Make, payload: Make, run_hook: Make, state: Path
) -> None:
    """One lean module more, which tells that the prompt touches nothing."""
    folder = state / "memory" / "learnings"
    folder.mkdir(parents=True)
    lines = ["holdfast: 1", 'id: "12345678-1234-4123-8123-123456789abc"', 'kind: "learning"', 'title: "cobra hyena"']
    fields = [*lines, 'time: "2026-11-04T14:32:00Z"']
    text = "\n".join(["---", *fields, "---", "### Lesson", "", "the cobra importer gets the hyena flag", ""])
    (folder / "2026-11-04-cobra-12345678.md").write_text(text)
    assert "cobra" in run_hook("session_start", payload("SessionStart.startup")).out
    loaded, out = imported("user_prompt_submit", payload("UserPromptSubmit", prompt="add a button to the page"))
    assert loaded - BARE - ENTERED == {"holdfast.hot.prompt_match"}
    assert out == ""


def test_the_measure_sees_what_is_imported(imported: Make, payload: Make) -> None:
    """The ordinary road loads more, so the measure can fail."""
    loaded, _ = imported("stop", payload("Stop"))
    assert {"os", "re", "holdfast.hook.runner"} <= loaded


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("session_start", "SessionStart.startup"),
        ("post_tool_use", "PostToolUse.Bash"),
        ("post_tool_use", "PostToolUse.Agent"),
        ("pre_compact", "PreCompact.auto"),
        ("stop", "Stop"),
        ("subagent_stop", "SubagentStop.first"),
        ("status_line", "StatusLine"),
        ("user_prompt_submit", "UserPromptSubmit.task-notification"),
        ("handoff_wake", "UserPromptSubmit"),
        ("session_end", "SessionEnd"),
    ],
)
def test_nothing_stays_running(script: str, name: str, hook_command: Make, payload: Make) -> None:
    command, env = hook_command(script)
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=env,
        start_new_session=True,
    )
    process.communicate(json.dumps(payload(name)).encode(), timeout=30)
    left = [
        stat for stat in map(_stat, os.listdir("/proc")) if stat.get("session") == process.pid and stat["state"] != "Z"
    ]
    assert left == []


def _stat(pid: str) -> dict[str, Any]:
    try:
        fields = Path(f"/proc/{int(pid)}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (ValueError, OSError):
        return {}
    return {"state": fields[0], "session": int(fields[3])}
