"""A home and a project for one case, in which the hooks' real processes run as the client starts them."""

import contextlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAYLOADS = ROOT / "tests" / "payloads"
PATIENCE = 20.0  # seconds, as hooks.json gives at most
AT_ONCE = 5.0  # seconds of the processor that a hook may take of what a clone brings
MODEL = "claude-sonnet-4-5"


class Ran(NamedTuple):
    """One process: how it ended, what it printed."""

    what: str
    code: int
    out: str
    err: str
    seconds: float
    """Of the processor: what a busy machine does not change."""
    waited: float
    """By the clock."""

    @property
    def command(self) -> bool:
        """Whether a person has called it, and no client."""
        return self.what.startswith("holdfast ")

    @property
    def reply(self) -> dict[str, Any]:
        """What it printed, as JSON; {} for a plain text or nothing."""
        with contextlib.suppress(ValueError):
            value = json.loads(self.out)
            return value if isinstance(value, dict) else {}
        return {}

    @property
    def context(self) -> str:
        """What the model is told."""
        return str(self.reply.get("hookSpecificOutput", {}).get("additionalContext") or "")

    @property
    def told(self) -> list[str]:
        """Every text that it hands to the user or the model."""
        return list(_texts(self.reply)) if self.reply else [self.out]

    @property
    def lines(self) -> list[str]:
        """Their lines, however a reader might break them."""
        return [line for text in self.told for line in re.split(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)]

    def wrong(self) -> str:
        """What a session would have been disturbed by; "" for nothing."""
        if self.command:  # it may refuse, in a line
            return f"{self.what}: {self.err[-80:]!r}" if "Traceback" in self.err else ""
        if self.code:
            return f"{self.what}: ended with {self.code}"
        if self.err:
            return f"{self.what}: printed on stderr: {self.err[:80]!r}"
        if self.seconds > AT_ONCE or self.waited > 2 * AT_ONCE:
            return f"{self.what}: took {self.seconds:.1f} s, {self.waited:.1f} by the clock"
        bad = self.out.startswith("{") and not self.reply
        return f"{self.what}: printed broken JSON" if bad else ""


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict | list):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from _texts(inner)


class Child(subprocess.Popen[bytes]):
    """A process that tells when it has ended what it took of the processor, with those that it waited for."""

    seconds = 0.0

    def wait(self, timeout: float | None = None) -> int:
        """As everywhere."""
        until = time.monotonic() + (PATIENCE if timeout is None else timeout)
        while self.returncode is None:
            ended, status, usage = os.wait4(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
                self.seconds = usage.ru_utime + usage.ru_stime
            elif time.monotonic() > until:
                raise subprocess.TimeoutExpired(self.args, timeout or PATIENCE)
            else:
                time.sleep(0.002)
        return self.returncode


class Place:
    """A home, a project and a plugin's data folder, all temporary."""

    def __init__(self, root: Path, compiled: Path) -> None:
        """compiled: where compiled files go, shared by all places."""
        self.root, self.home, self.project, self.data = root, root / "home", root / "project", root / "data"
        for folder in (self.home, self.project, self.data):
            folder.mkdir(parents=True)
        self.python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
        self.site = sysconfig.get_path("purelib")
        self.compiled = compiled
        self.baked(self.python)
        self.env: dict[str, str] = {}
        self.ran: list[Ran] = []
        self.dropped = False
        self.transcript = root / "transcript.jsonl"
        self._rows = 0

    def baked(self, python: str) -> None:
        """Let the hooks run with this interpreter."""
        (self.data / "interpreter").write_text(f"{python}\n{self.site}\n{self.compiled}\n")

    @property
    def state(self) -> Path:
        """The state folder of the project."""
        return self.project / ".claude" / "holdfast"

    @property
    def pack(self) -> Path:
        """The pack that an installation puts into the home."""
        return self.home / ".claude" / "holdfast" / "pack"

    @property
    def marker(self) -> Path:
        """A file that is made by whatever must not run."""
        return self.root / "it-ran"

    def program(self, path: Path, body: str = "") -> Path:
        """A shell script that leaves the marker."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch '{self.marker}'\n{body or 'exit 0'}\n")
        path.chmod(0o755)
        return path

    def environment(self) -> dict[str, str]:
        """What the client hands to a hook."""
        own = {"CLAUDE_PROJECT_DIR": str(self.project)}
        own |= {} if self.dropped else {"CLAUDE_PLUGIN_ROOT": str(ROOT), "CLAUDE_PLUGIN_DATA": str(self.data)}
        base = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.home), "LANG": "C.UTF-8", "TMPDIR": str(self.root)}
        return {**base, "CLAUDE_PID": str(os.getpid()), **own, **self.env}

    def install(self, *options: str) -> Ran:
        """Drop the pack into the project by the installer, with the packages that are here, or what the options say;
        hooks then run from its settings.
        """
        script, options = str(ROOT / "scripts" / "install.py"), options or ("--env", str(Path(self.site).parents[2]))
        ran = self.start("install", [self.python, "-B", script, str(self.project), "--shared", *options], b"")
        self.dropped = True
        return ran

    def holdfast(self, *arguments: str) -> Ran:
        """A command of the pack, in the project."""
        command = [self.python, "-B", "-P", "-s", "-m", "holdfast", *arguments]
        return self.start(f"holdfast {arguments[0]}", command, b"", PYTHONPATH=f"{ROOT / 'hooks'}:{self.site}")

    def row(self, **fields: Any) -> None:
        """A row of the transcript."""
        self._rows += 1
        row = {"uuid": f"u-{self._rows}", "timestamp": f"2026-11-22T10:00:{self._rows % 60:02}.000Z", **fields}
        with self.transcript.open("a") as file:
            file.write(json.dumps(row) + "\n")

    def user(self, text: str) -> None:
        """What the user typed."""
        self.row(type="user", message={"role": "user", "content": text})

    def says(self, text: str, tokens: int = 20_000) -> None:
        """An answer of the model."""
        self._answer([{"type": "text", "text": text}], tokens)

    def did(self, tool: str, result: str = "ok", failed: bool = False, **inputs: Any) -> None:
        """A call and its result."""
        call = f"toolu_{self._rows}"
        self._answer([{"type": "tool_use", "id": call, "name": tool, "input": inputs}], 20_000)
        block = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": failed}
        self.row(type="user", message={"role": "user", "content": [block]})

    def _answer(self, content: list[dict[str, Any]], tokens: int) -> None:
        usage = {"input_tokens": tokens, "output_tokens": 9}
        message = {"id": f"m-{self._rows}", "role": "assistant", "model": MODEL, "content": content, "usage": usage}
        self.row(type="assistant", message=message)

    def fire(self, name: str, **changes: Any) -> Ran:
        """A recorded event, by its hook; `command=` changes how it is started."""
        start: Callable[[list[str]], list[str]] = changes.pop("command", lambda command: command)
        sent = json.loads((PAYLOADS / f"{name}.json").read_text())
        sent |= {"cwd": str(self.project), "transcript_path": str(self.transcript), **changes}
        event = name.partition(".")[0]
        script = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()
        return self.start(name, start(self._command(event, script)), json.dumps(sent).encode())

    def _command(self, event: str, script: str) -> list[str]:
        if not self.dropped:
            return [str(ROOT / "hooks" / "run"), script]
        settings = json.loads((self.project / ".claude" / "settings.json").read_text())
        return ["/bin/sh", "-c", settings["hooks"][event][0]["hooks"][0]["command"]]

    def start(self, what: str, command: list[str], given: bytes, **env: str) -> Ran:
        """One process, remembered; one that does not end is killed."""
        began, pipe = time.monotonic(), subprocess.PIPE
        with Child(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env={**self.environment(), **env}, cwd=self.project
        ) as child:
            try:
                out, err = child.communicate(given, PATIENCE)
            except subprocess.TimeoutExpired as error:
                child.kill()
                out, err = error.stdout or b"", b""
        told, wrong = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        ran = Ran(what, child.returncode, told, wrong, child.seconds, time.monotonic() - began)
        self.ran.append(ran)
        return ran

    def session(self, *events: str, **changes: Any) -> list[Ran]:
        """Some events one after the other; the usual ones by default."""
        return [self.fire(event, **changes) for event in events or EVENTS]

    def committable(self) -> Iterator[Path]:
        """Files of the state folder that git would take."""
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=False, capture_output=True)
        listed = ["git", "ls-files", "-z", "--others", "--exclude-standard", ".claude"]
        done = subprocess.run(listed, cwd=self.project, check=False, capture_output=True)
        yield from (self.project / os.fsdecode(name) for name in done.stdout.split(b"\0") if name)


EVENTS = (
    *("SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash", "SubagentStart", "PreCompact.auto"),
    *("SessionStart.compact", "PostCompact.auto", "Stop", "SessionEnd"),
)


def files_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """All that a folder holds: name -> kind and mode, links, content; to tell that nothing was touched."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        info = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = (info.st_mode, info.st_nlink * path.is_file(), content)
    return found


GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@y.z", "-c", "commit.gpgSign=false")


def committed(folder: Path, subject: str = "first") -> None:
    """Makes a folder a repository, with all that it holds in one commit."""
    for command in (["init", "-q"], ["add", "-A", "."], ["commit", "-q", "--allow-empty", "-m", subject]):
        subprocess.run([*GIT, *command], cwd=folder, check=True, capture_output=True)


LATER = "22222222-0000-4000-8000-000000000002"
"""Another session."""


def returned(report: str) -> dict[str, Any]:
    """A sub-agent's result with this report."""
    recorded = json.loads((PAYLOADS / "PostToolUse.Agent.json").read_text())["tool_response"]
    return {**recorded, "content": [{"type": "text", "text": report}]}
