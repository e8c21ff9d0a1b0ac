"""Sessions and agents at work in one project, played through the hooks in this process."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook import fast, runner
from holdfast.hot import files
from holdfast.hot.jsonc import loads_object
from holdfast.team.location import folder_of
from holdfast.team.store import SqliteStore

Json = dict[str, Any]


class Office:
    """A project with files and agents. A worker is `session` or `session/agent`."""

    def __init__(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project, self._patch = project, monkeypatch
        self.now = time.time()
        monkeypatch.setattr(time, "time", lambda: self.now)
        monkeypatch.setenv("CLAUDE_PID", str(os.getpid()))  # their client runs
        self.said: list[str | bytes] = []
        for module in (fast, files):
            monkeypatch.setattr(module, "say", self.said.append)

    @property
    def team(self) -> Path:
        return Path(folder_of(str(self.project)))

    def configure(self, **values: Any) -> None:
        path = Path(os.environ["HOME"]) / ".claude" / "holdfast" / "config.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({f"coordination.{name}": value for name, value in values.items()}))

    def send(self, event: str, worker: str, **fields: Any) -> Json:
        """One event; the reply."""
        session, _, agent = worker.partition("/")
        about = {"agent_id": agent, "agent_type": "Explore"} if agent else {}
        transcript = str(self.project.parent / f"{session}.jsonl")
        body = {"session_id": session, "cwd": str(self.project), "transcript_path": transcript, **about, **fields}
        raw = json.dumps({**body, "hook_event_name": event}).encode()
        self.said.clear()
        if event in fast.ROADS:
            fast.ROADS[event](event, raw, loads_object(raw))
        else:
            self.said.append(runner.answer(event, raw))
        own = self.team / "agents" / f"{session}~{agent}"
        if own.exists():  # the kernel's clock knows nothing of this one
            os.utime(own, (self.now, self.now))
        return loads_object(b"".join(one if isinstance(one, bytes) else one.encode() for one in self.said))

    def start(self, *workers: str) -> list[str]:
        """They start; what each is told of the others."""
        told = []
        for worker in workers:
            event = "SubagentStart" if "/" in worker else "SessionStart"
            reply = self.send(event, worker, source="startup")
            context = str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))
            told.append("".join(line for line in context.splitlines() if "at work in this project" in line))
        return told

    def file(self, name: str, text: str = "one\n") -> str:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def edit(self, worker: str, path: str, old: str = "one", tool: str = "Edit") -> Json:
        """A change from its hook before to its hook after; what the first one said."""
        inputs = {"file_path": path, "old_string": old, "new_string": f"{old}."}
        reply = self.send("PreToolUse", worker, tool_name=tool, tool_input=inputs)
        said = reply.get("hookSpecificOutput", {})
        if said.get("permissionDecision") != "deny":
            text = Path(path).read_text() if Path(path).exists() else ""
            Path(path).write_text(text.replace(old, f"{old}."))
            self.send("PostToolUse", worker, tool_name=tool, tool_input=inputs, tool_response={})
        return reply

    def read(self, worker: str, path: str) -> None:
        self.send("PostToolUse", worker, tool_name="Read", tool_input={"file_path": path}, tool_response={})

    def delegate(self, worker: str, prompt: str, call: str = "toolu_1") -> Json:
        """It gives a task to an agent; what is said."""
        inputs = {"prompt": prompt, "description": "payments", "subagent_type": "Explore", "run_in_background": False}
        return self.send("PreToolUse", worker, tool_name="Agent", tool_input=inputs, tool_use_id=call)

    def meta(self, worker: str, **facts: str) -> None:
        session, _, agent = worker.partition("/")
        folder = self.project.parent / session / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"agent-{agent}.meta.json").write_text(json.dumps({"description": "payments", **facts}))

    def ran(self, worker: str) -> Json:
        """It has run a command of a second; what is said."""
        done = {"tool_input": {"command": "make"}, "tool_response": {"stdout": ""}, "duration_ms": 1_000}
        return self.send("PostToolUse", worker, tool_name="Bash", **done)

    def deeds(self) -> list[tuple[str, str, str]]:
        """The audit, the oldest first: deed, agent, pattern."""
        with SqliteStore(str(self.team)) as store:
            return [(one.deed, one.agent, one.pattern) for one in reversed(store.audit(99))]

    def held(self) -> dict[str, str]:
        with SqliteStore(str(self.team)) as store:
            return {one.pattern: one.holder for one in store.holders(self.now)}


def context(reply: Json) -> str:
    return str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))


def denied(reply: Json) -> str:
    said = reply.get("hookSpecificOutput", {})
    return str(said.get("permissionDecisionReason", "")) if said.get("permissionDecision") == "deny" else ""


@pytest.fixture
def office(project: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    return Office(project, monkeypatch)
