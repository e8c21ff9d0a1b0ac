"""Fires every hook once, as the client would, in a throw-away project; used by `holdfast doctor`."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

# script -> what its payload says beside the fields that every event has
PAYLOADS: dict[str, dict[str, Any]] = {
    "session_start": {"hook_event_name": "SessionStart", "source": "startup"},
    "user_prompt_submit": {"hook_event_name": "UserPromptSubmit", "prompt": "hello"},
    "handoff_wake": {"hook_event_name": "UserPromptSubmit", "prompt": "hello"},
    "pre_tool_use": {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"prompt": "look"}},
    "post_tool_use": {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": False},
    },
    "subagent_start": {"hook_event_name": "SubagentStart", "agent_id": "a1", "agent_type": "Explore"},
    "subagent_stop": {
        "hook_event_name": "SubagentStop",
        "agent_id": "a1",
        "agent_type": "Explore",
        "stop_hook_active": False,
        "last_assistant_message": "Decision: PROCEED. Nothing found.",
    },
    "pre_compact": {"hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": None},
    "post_compact": {
        "hook_event_name": "PostCompact",
        "trigger": "manual",
        "compact_summary": "Nothing yet.",
    },
    "stop": {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "Done."},
    "session_end": {"hook_event_name": "SessionEnd", "reason": "other"},
    "status_line": {"context_window": {"context_window_size": 200_000, "total_input_tokens": 1_000}},
}
TIMEOUT = 30  # seconds


def fire_all(pack: str, clock: Callable[[], float]) -> Iterator[tuple[str, float, str]]:
    """(script, milliseconds, what went wrong or "") for each hook in turn."""
    with tempfile.TemporaryDirectory(prefix="holdfast-doctor-") as project:
        for script, fields in PAYLOADS.items():
            common = {"session_id": "doctor", "transcript_path": f"{project}/none.jsonl", "cwd": project}
            start = clock()
            trouble = _fire(f"{pack}/run", script, json.dumps({**common, **fields}), project)
            yield script, (clock() - start) * 1_000, trouble or _fault(project)


def _fire(run: str, script: str, stdin: str, project: str) -> str:
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": project}
    environment.pop("HOLDFAST_DIR", None)
    try:
        done = subprocess.run(
            [run, script],
            input=stdin,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"did not run: {error}"
    return f"ended with {done.returncode}: {done.stderr.strip()[:200]}" if done.returncode or done.stderr else ""


def _fault(project: str) -> str:
    """The first line that the hook left in the fault log."""
    path = f"{project}/.claude/holdfast/logs/faults.log"
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        text = file.readline().strip()
    os.unlink(path)
    return text
