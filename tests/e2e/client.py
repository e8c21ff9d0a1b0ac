"""The real Claude Code client, isolated: own home, fake key, loopback API, no telemetry, no updates.

A `Sandbox` is one home and one project with the pack in it, as a plugin or dropped in. `Sandbox.run()` gives the
client one prompt under `-p` and returns what it sent to the model and what its hooks did.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

import pytest

from loopback import Json, Loopback, Request, Rule

VERSION = "2.1.329"
PACKAGE = "@anthropic-ai/claude-code-linux-x64"
KEY = "sk-ant-test-000000"
MODEL = "claude-sonnet-4-5"
PATIENCE = 120  # seconds for one run; a run takes two to four
ROOT = Path(__file__).resolve().parents[2]


def binary() -> Path | None:
    """The client to drive: HOLDFAST_CLIENT, else where scripts/check has put it, else nothing."""
    named = os.environ.get("HOLDFAST_CLIENT")
    if named:
        return Path(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = cache / "holdfast" / f"client-{VERSION}" / "node_modules" / PACKAGE / "claude"
    return found if found.exists() else None


class HookRun(NamedTuple):
    """One run of one hook, as the client reported it."""

    event: str
    name: str
    exit_code: int | None
    stdout: str
    stderr: str
    outcome: str

    @property
    def reply(self) -> Json:
        """Its JSON answer; empty when it printed none."""
        try:
            value = json.loads(self.stdout)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def context(self) -> str:
        """The text that it gave the model."""
        return str(self.reply.get("hookSpecificOutput", {}).get("additionalContext", ""))

    @property
    def told(self) -> str:
        """The text that it gave the user."""
        return str(self.reply.get("systemMessage", ""))


class Run(NamedTuple):
    """One run of the client: the requests it sent and the events it streamed."""

    requests: list[Request]
    events: list[Json]
    code: int
    stderr: str

    @property
    def session(self) -> str:
        """The id of the session."""
        return next((e["session_id"] for e in self.events if e.get("session_id")), "")

    @property
    def result(self) -> str:
        """The last answer, as the client reported it."""
        return next((str(e.get("result", "")) for e in reversed(self.events) if e.get("type") == "result"), "")

    @property
    def first(self) -> Request:
        """The first request of the conversation; the client's own small requests carry no tools."""
        return next(request for request in self.requests if request.body.get("tools"))

    def undisturbed(self) -> Self:
        """This run, which the pack has not disturbed: the client ended well, so did every hook, and none complained."""
        assert self.code == 0, self.stderr
        assert [h for h in self.hooks() if h.exit_code != 0 or h.outcome != "success" or h.stderr] == []
        return self

    def hooks(self, event: str = "") -> list[HookRun]:
        """The hooks that ran, those of one event when it is named."""
        rows = [e for e in self.events if e.get("subtype") == "hook_response"]
        return [_hook(row) for row in rows if not event or row.get("hook_event") == event]

    def holding(self, *needles: str, opening: str = "") -> list[Request]:
        """The requests whose texts hold all of these; `opening`: only of the conversation begun with it."""
        return [r for r in self.requests if opening in r.opening and all(n in r.text for n in needles)]


def _hook(row: Mapping[str, Any]) -> HookRun:
    texts = (str(row.get(key, "")) for key in ("stdout", "stderr", "outcome"))
    return HookRun(str(row.get("hook_event", "")), str(row.get("hook_name", "")), row.get("exit_code"), *texts)


class Sandbox:
    """A home and a project for the client, with the pack as a plugin or dropped into the project."""

    def __init__(self, root: Path, client: Path, plugin: Path | None = None) -> None:
        self.client, self.plugin, self.root = client, plugin, root
        self.home, self.project = root / "home", root / "project"
        self.home.mkdir(parents=True, exist_ok=True)
        self.project.mkdir(parents=True, exist_ok=True)
        self.extra: dict[str, str] = {}
        self.asks = False
        """Whether it asks before what is not allowed; under -p the answer is no."""

    @property
    def state(self) -> Path:
        """Where the pack keeps its files in this project."""
        return self.project / ".claude" / "holdfast"

    @property
    def pack(self) -> Path:
        """The user's pack, where it is dropped into a project."""
        return self.home / ".claude" / "holdfast" / "pack"

    def configure(self, settings: Json) -> None:
        """The user's own settings."""
        path = self.home / ".claude" / "holdfast" / "config.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))

    @property
    def plugin_data(self) -> Path:
        """The folder that the client gives the plugin for its own files."""
        return self.home / ".claude" / "plugins" / "data" / "holdfast-inline"

    def environment(self, url: str) -> dict[str, str]:
        """All that the client gets to know; nothing of the surrounding shell but PATH."""
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            **self.extra,
        }

    def command(self, *arguments: str) -> list[str]:
        """The client's command line."""
        plugin = ["--plugin-dir", str(self.plugin)] if self.plugin else []
        free = [] if self.asks else ["--dangerously-skip-permissions"]
        return [str(self.client), *arguments, *plugin, *free, "--model", MODEL]

    def files_named(self, text: str) -> list[str]:
        """What stands in the files of this sandbox that a text names by their full path."""
        names = {name.rstrip(".:") for name in re.findall(r"/[^\s`'\"()<>,;\[\]]+", text)}
        places = [Path(name) for name in sorted(names) if name.startswith(str(self.root))]
        return [place.read_text(errors="replace") for place in places if place.is_file()]

    def processes(self) -> list[str]:
        """The command lines of the processes that live in this sandbox's home."""
        home, found = f"HOME={self.home}".encode(), []
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if home in (place / "environ").read_bytes().split(b"\0"):
                    found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return found

    def holdfast(self, *arguments: str) -> Any:
        """What a command of the pack prints as JSON in this project, as the user would ask; None for nothing."""
        elsewhere = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else ["-B"]
        command = [sys.executable, *elsewhere, "-m", "holdfast", *arguments]  # compiled files: never in the checkout
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project)}
        env["PYTHONPATH"] = str(ROOT / "hooks")
        done = subprocess.run(command, cwd=self.project, env=env, capture_output=True, text=True, check=True)
        return json.loads(done.stdout or "null")

    def run(self, prompt: str, rules: Sequence[Rule] = (), *arguments: str) -> Run:
        """Give the client one prompt and wait for its end."""
        stream = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
        with Loopback(rules) as api:
            process = subprocess.Popen(
                self.command("-p", prompt, *stream, *arguments),
                cwd=self.project,
                env=self.environment(api.url),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            try:
                out, err = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
                err += f"\nended after {PATIENCE} s"
            return Run(api.requests, _events(out), process.returncode, err)


def _events(text: str) -> list[Json]:
    events = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            events.append(json.loads(line))
    return events


SandboxMaker = Callable[[str], Sandbox]


def missing(what: str) -> NoReturn:
    """Skip, or fail where HOLDFAST_REQUIRE_CLIENT=1 says that everything must be there."""
    if os.environ.get("HOLDFAST_REQUIRE_CLIENT") == "1":
        pytest.fail(what)
    pytest.skip(what)
