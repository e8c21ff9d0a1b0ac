"""Is everything that the hooks need in place, and does each hook run? Works without any package.

Every hook is fired once, as the client would, in a throw-away project.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.config import load
from holdfast.hot import paths
from holdfast.hot.files import read_text
from holdfast.hot.jsonc import loads_object
from holdfast.install import environment, pack, settings

PACK = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTED_CLIENT = "2.1.329"
FAULTS_SHOWN = 3

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


class Finding(NamedTuple):
    """One thing looked at. `todo` says how to mend it when it is not fine."""

    name: str
    ok: bool
    what: str
    todo: str = ""


def findings() -> Iterator[Finding]:
    """Everything, in the order in which it is to be mended."""
    data = os.environ.get("CLAUDE_PLUGIN_DATA")
    baked = environment.read_sidecar(f"{data or PACK}/{environment.SIDECAR}")
    yield _interpreter(baked)
    yield _packages(baked)
    yield _wired()
    yield _writable()
    yield _client()
    yield from _state()
    yield Finding("size", True, f"{pack.lines(Path(PACK)):,} lines of Python in {PACK}")
    for name, milliseconds, trouble in fire_all(PACK, time.perf_counter):
        what = trouble or f"{milliseconds:.0f} ms"
        yield Finding(f"hook {name}", not trouble, what, "See the fault log and docs/guide.md")


def _interpreter(baked: environment.Baked | None) -> Finding:
    if baked and os.access(baked.python, os.X_OK):
        return Finding("interpreter", True, baked.python)
    what = f"none is baked in for the hooks (this is Python {sys.version.split()[0]})"
    todo = "Run scripts/install.py again, or start a session with the plugin once"
    return Finding("interpreter", False, what, todo)


def _packages(baked: environment.Baked | None) -> Finding:
    site = baked.site if baked else ""
    missing = environment.missing_packages(site)
    what = f"missing: {', '.join(missing)}; token counts are estimates" if missing else site
    return Finding("packages", not missing, what, "Run scripts/install.py again with a network")


def _wired() -> Finding:
    """Whether Claude Code knows the hooks: as a drop-in in this project, or as a plugin."""
    project, home = paths.project_folder(), os.environ.get("HOME", "")
    shared = f"{project}/.claude/settings.json"
    for path in (shared, f"{project}/.claude/settings.local.json", f"{home}/.claude/settings.json"):
        data = loads_object(read_text(path))
        if any(map(_is_ours, _hooks_of(data))):
            return Finding("hooks wired", True, f"drop-in, {path}")
        enabled = data.get("enabledPlugins")
        if isinstance(enabled, dict) and any(name.startswith("holdfast@") and on for name, on in enabled.items()):
            return Finding("hooks wired", True, f"plugin, {path}")
    todo = "Run scripts/install.py --project DIR, or /plugin install (see README)"
    return Finding("hooks wired", False, f"no entry in {shared} and no enabled plugin", todo)


def _hooks_of(data: dict[str, Any]) -> Iterator[object]:
    """Every hook of a settings file, whatever else stands in it."""
    events = data.get("hooks")
    for groups in events.values() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            yield from (group.get("hooks") or ()) if isinstance(group, dict) else ()


def _is_ours(hook: object) -> bool:
    """An installed entry, or a checkout's own that runs hooks/run beside it."""
    return settings.is_ours(hook) or (isinstance(hook, dict) and "HOLDFAST_RUN" in str(hook.get("command")))


def _writable() -> Finding:
    state = paths.state_folder()
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=state):
            return Finding("write access", True, state)
    except OSError as error:
        todo = "Make the folder writable, or set HOLDFAST_DIR"
        return Finding("write access", False, f"{state}: {error.strerror}", todo)


def _client() -> Finding:
    """The client's version; the pack was tested with one, others usually work."""
    path = os.environ.get("CLAUDE_CODE_EXECPATH") or shutil.which("claude")
    if not path:
        return Finding("client", True, f"claude is not on PATH; tested with {TESTED_CLIENT}")
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("client", False, f"{path} --version failed: {error}", "Check the installation of Claude Code")
    version = told.split()[0] if told.split() else "unknown"
    return Finding("client", True, f"{version}; tested with {TESTED_CLIENT}")


def _state() -> Iterator[Finding]:
    """The settings, and what hooks have kept to themselves."""
    state = paths.state_folder()
    _, problems = load.load(state, os.environ)
    yield Finding("configuration", not problems, "; ".join(problems) or "fine", "See `holdfast config schema`")
    log = f"{state}/{paths.FAULTS}"
    faults = read_text(log).splitlines()[-FAULTS_SHOWN:]
    yield Finding("fault log", not faults, " | ".join(faults) or "empty", f"Delete {log} when it is mended")


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
