"""Runs a project's hooks as the client does: the commands of its settings, each a process, JSON on stdin."""

import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

SIMPLE_MATCHER = re.compile(r"[A-Za-z0-9_|, -]+")
TIMEOUT_S = 60
MATCHED_BY = {
    "PreToolUse": "tool_name",
    "PostToolUse": "tool_name",
    "PostToolUseFailure": "tool_name",
    "SessionStart": "source",
    "SubagentStart": "agent_type",
    "SubagentStop": "agent_type",
    "PreCompact": "trigger",
    "PostCompact": "trigger",
    "SessionEnd": "reason",
}


class Ran(NamedTuple):
    """One hook process: how long it took, what it answered, what was wrong with it."""

    event: str
    seconds: float
    reply: dict[str, Any]
    text: str
    fault: str


class Stage:
    """A project with hooks installed, and a transcript that grows while a session is played."""

    def __init__(self, project: Path, session: str, transcript: Path, folder: Path | None = None) -> None:
        """`folder` is where the session works, the project unless told otherwise."""
        self.project, self.session, self.transcript = project, session, transcript
        self.folder = folder or project
        self.hooks: dict[str, list[Any]] = {}
        for name in ("settings.json", "settings.local.json"):
            path = project / ".claude" / name
            loaded = json.loads(path.read_text(encoding="utf-8-sig") or "{}") if path.exists() else {}
            line = loaded.get("statusLine")
            lines = {"StatusLine": [{"hooks": [line]}]} if isinstance(line, dict) else {}
            for event, groups in {**loaded.get("hooks", {}), **lines}.items():
                self.hooks.setdefault(event, []).extend(groups)
        self.env = {
            name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "HOLDFAST", "PYTHON"))
        }
        self.env |= {"CLAUDE_PROJECT_DIR": str(project), "NO_COLOR": "1"}  # the receipt may go into a file
        self.env["CLAUDE_PLUGIN_OPTION_STATS_LEDGER"] = "false"  # what is played is none of the user's sessions

    def grow(self, line: bytes) -> None:
        """Appends what the client wrote."""
        with self.transcript.open("ab") as file:
            file.write(line)

    def fire(self, event: str, fields: dict[str, Any]) -> list[Ran]:
        """Runs every hook that the settings have for this event."""
        common = {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.folder),
        }
        given = {name: value for name, value in fields.items() if not name.startswith("_")}
        payload = (json.dumps({**common, "hook_event_name": event, **given}) + "\n").encode()
        subject = str(fields.get(MATCHED_BY.get(event, ""), ""))
        return [
            self._run(
                event + " (async)" * bool(hook.get("asyncRewake") or hook.get("async")),
                hook["command"],
                payload,
            )
            for group in self.hooks.get(event, [])
            if matches(group.get("matcher"), subject)
            for hook in group["hooks"]
            if hook.get("type", "command") == "command"
        ]

    def _run(self, event: str, command: str, payload: bytes) -> Ran:
        began = time.perf_counter()
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                input=payload,
                capture_output=True,
                cwd=self.folder,
                env=self.env,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran(event, float(TIMEOUT_S), {}, "", f"did not end within {TIMEOUT_S} s")
        took = time.perf_counter() - began
        text = done.stdout.decode("utf-8", "replace").strip()
        fault = f"ended with {done.returncode}" if done.returncode else ""
        fault = fault or done.stderr.decode("utf-8", "replace").strip()[:200]
        reply: Any = {}
        if text.startswith("{"):
            try:
                reply = json.loads(text)
            except ValueError:
                fault = "printed broken JSON"
        return Ran(event, took, reply if isinstance(reply, dict) else {}, text, fault)


def matches(matcher: str | None, subject: str) -> bool:
    """Whether a hook's matcher takes this tool, source, agent or trigger, by the client's rules."""
    if matcher in (None, "", "*"):
        return True
    if SIMPLE_MATCHER.fullmatch(matcher):
        return subject in [name.strip() for name in re.split(r"[|,]", matcher)]
    try:
        return re.search(matcher, subject) is not None
    except re.error:
        return False


def floor(python: str) -> float:
    """Seconds that a bare interpreter takes to start and end."""
    began = time.perf_counter()
    subprocess.run([python, "-I", "-S", "-E", "-c", "pass"], stdin=subprocess.DEVNULL, check=False)
    return time.perf_counter() - began
