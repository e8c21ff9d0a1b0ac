"""What all unit tests share: a guard around the real home and checkout, recorded payloads, real hook processes."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis
import hypothesis.configuration
import pytest

from holdfast.session import context as sessions
from holdfast.session.context import Session
from holdfast.session.event import Event, from_fields
from tests.browser import Browser
from tests.recorded import recorded

ROOT = Path(__file__).resolve().parents[1]
HOOKS = ROOT / "hooks"
PAYLOADS = ROOT / "tests" / "payloads"
REAL_HOME = Path(os.environ.get("HOME") or "/nonexistent")
LOGIN_HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)  # the same, unless HOME was moved
FORBIDDEN = (*(str(home / ".claude") for home in (REAL_HOME, LOGIN_HOME)), str(ROOT / ".claude" / "holdfast"))
CLIENT_VARIABLES = ("CLAUDE_", "HOLDFAST_", "CLAUDECODE")
NOW = 1_800_000_000.0

# A run says the same every time; --hypothesis-profile=deep explores. A busy machine is no failure: no deadline.
for profile, examples in {"quick": 8, "suite": 30, "deep": 1_000}.items():
    hypothesis.settings.register_profile(
        profile,
        deadline=None,
        max_examples=examples,
        database=None,
        derandomize=profile != "deep",
        suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture, hypothesis.HealthCheck.too_slow],
    )
hypothesis.settings.load_profile("suite")
hypothesis.configuration.set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "holdfast-hypothesis")


class Guard:
    """Raises when anything in this process opens or changes a file that belongs to the user."""

    events = frozenset(("open", "os.mkdir", "os.rename", "os.remove", "os.listdir", "os.link", "os.rmdir"))
    on = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.on and event in self.events:
            for path in arguments[:2]:
                self.look_at(path)

    def look_at(self, path: object) -> None:
        """Raise for a path in the user's own folders."""
        name = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
        if name and os.path.abspath(name).startswith(FORBIDDEN):
            raise AssertionError(f"a test touches {name}: tests work in tmp_path")


GUARD = Guard()
sys.addaudithook(GUARD)  # cannot be taken out again, so it is switched by `on`


@pytest.fixture
def sandbox_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where home and project stand; apart from tmp_path, which a test may list."""
    return tmp_path_factory.mktemp("sandbox")


@pytest.fixture(autouse=True)
def guarded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, sandbox_folder: Path) -> Iterator[None]:
    """Home and project are empty folders, nothing of the client's environment leaks in, the real ones are shut."""
    if {"e2e", "corpus"} & set(request.node.path.relative_to(ROOT).parts):
        yield  # they make homes of their own, or read data from where they are told
        return
    for name in list(os.environ):
        if name.startswith(CLIENT_VARIABLES):
            monkeypatch.delenv(name)
    home, project = sandbox_folder / "home", sandbox_folder / "project"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project))
    monkeypatch.setenv("COLUMNS", "1000")  # what commands say stands on one line, unless a test is about the screen
    monkeypatch.setattr(GUARD, "on", True)
    yield


@pytest.fixture
def project(sandbox_folder: Path) -> Path:
    """The project that hooks and commands work for."""
    return sandbox_folder / "project"


@pytest.fixture
def state(project: Path) -> Path:
    """The state folder of that project; it need not exist yet."""
    return project / ".claude" / "holdfast"


class Done(NamedTuple):
    """How a hook process ended."""

    code: int
    out: str
    err: str

    @property
    def reply(self) -> dict[str, Any]:
        """What was printed, as JSON; {} for nothing."""
        value = json.loads(self.out) if self.out else {}
        assert isinstance(value, dict)
        return value

    @property
    def specific(self) -> dict[str, Any]:
        """The part for the event."""
        value = self.reply.get("hookSpecificOutput", {})
        assert isinstance(value, dict)
        return value


Payload = Callable[..., dict[str, Any]]
RunHook = Callable[..., Done]
HookCommand = Callable[..., tuple[list[str], dict[str, str]]]


@pytest.fixture
def payload(project: Path, transcript: "Transcript") -> Payload:
    """`payload("PostToolUse.Bash", tool_name="Read")`: a recorded payload, its folders moved to the sandbox."""

    def load(name: str, **changes: Any) -> dict[str, Any]:
        data = recorded(name)
        moved = {"cwd": str(project), "transcript_path": str(transcript.path)}
        return {**data, **moved, **changes}

    return load


@pytest.fixture
def hook_command(project: Path) -> HookCommand:
    """The command line and environment that hooks/run would start a hook with."""

    def build(name: str, *options: str, **env: str) -> tuple[list[str], dict[str, str]]:
        python = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
        base = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ["HOME"], "CLAUDE_PROJECT_DIR": str(project)}
        base["NO_COLOR"] = "1"  # what a test reads has no codes of a terminal, so that none of a foreign name hides
        if sys.pycache_prefix:  # -E makes Python deaf to the variable that says so
            options = (*options, "-X", f"pycache_prefix={sys.pycache_prefix}")
        return [python, "-S", "-E", "-s", *options, str(HOOKS / f"{name}.py")], {**base, **env}

    return build


@pytest.fixture
def run_hook(hook_command: HookCommand, project: Path) -> RunHook:
    """`run_hook("post_tool_use", payload(...), HOLDFAST_OFF="1")`: the hook as a process of its own."""

    def run(name: str, sent: Mapping[str, Any] | bytes, **env: str) -> Done:
        command, environment = hook_command(name, **env)
        data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        done = subprocess.run(
            command, input=data, env=environment, cwd=project, capture_output=True, timeout=60, check=False
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


class Transcript:
    """Writes a transcript row by row, in the client's shapes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0

    def row(self, **fields: Any) -> None:
        """One row as it is given."""
        self.rows += 1
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"uuid": f"u-{self.rows}", "timestamp": f"t-{self.rows}", **fields}) + "\n")

    def user(self, text: str, **fields: Any) -> None:
        """What the user typed."""
        self.row(type="user", message={"role": "user", "content": text}, **fields)

    def assistant(
        self, text: str = "", tokens: int = 0, calls: tuple[tuple[str, str, dict[str, Any]], ...] = (), **fields: Any
    ) -> None:
        """An answer with its usage and its calls as (id, tool, input)."""
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        content += [{"type": "tool_use", "id": i, "name": name, "input": inputs} for i, name, inputs in calls]
        message = {
            "id": f"m-{self.rows}",
            "model": fields.pop("model", "claude-sonnet-4-5"),
            "content": content,
            "usage": {"input_tokens": tokens},
        }
        self.row(type="assistant", message=message, **fields)

    def result(self, call: str, text: str, failed: bool = False, **fields: Any) -> None:
        """The result of a call."""
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
        self.row(type="user", message={"role": "user", "content": [block]}, **fields)

    def did(self, tool: str, text: str = "ok", failed: bool = False, **inputs: Any) -> None:
        """A call and its result."""
        call = f"toolu_{self.rows}"
        self.assistant(calls=((call, tool, inputs),))
        self.result(call, text, failed)

    def boundary(self, before: int = 160_000, after: int = 20_000, trigger: str = "auto") -> None:
        """A compaction."""
        data = {"trigger": trigger, "preTokens": before, "postTokens": after}
        self.row(type="system", subtype="compact_boundary", compactMetadata=data)


@pytest.fixture
def transcript(sandbox_folder: Path) -> Transcript:
    """An empty transcript; the file is there from the first row on."""
    return Transcript(sandbox_folder / "transcript.jsonl")


def over() -> str:
    """The id of a process that is over: of a client that was killed."""
    process = subprocess.Popen([sys.executable, "-S", "-c", ""])
    process.wait()
    return str(process.pid)


EventOf = Callable[..., Event]
SessionOf = Callable[..., Session]


@pytest.fixture
def event_of(payload: Payload) -> EventOf:
    """`event_of("Stop")`: a recorded payload as an event."""

    def build(name: str, **changes: Any) -> Event:
        return from_fields(payload(name, **changes), name.split(".", maxsplit=1)[0])

    return build


@pytest.fixture
def session_of() -> SessionOf:
    """`session_of(event)`: the session as a handler gets it."""

    def build(event: Event, now: float = NOW, call: int = 0) -> Session:
        return sessions.open_session(event, now, call)

    return build


@pytest.fixture
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Skips where there is none."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip("no browser is here: install Debian's package chromium")
    made = Browser(program, tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Any]:
    """A PostgreSQL of its own for all tests of a process (benchmarks/server/instance.py); skipped without one."""
    from benchmarks.server import instance

    if not instance.binaries():
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    with instance.running(fsync="off") as one:
        yield one
