import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.text.dates import iso
from tests.conftest import HOOKS, PAYLOADS

Make = Callable[..., Any]
RUN = "document.title='run'"
HOSTILE = f'<script>{RUN}</script><img src=x onerror="{RUN}"> \x1b[31m\u202egnp.exe {{{{7*7}}}}'
KEY = "sk-ant-api03-" + "Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9" * 3 + "AA"
LOG = "\n".join(f"check {number} of the store took {number % 90} ms ok" for number in range(900))
REPORT = "Decision: PROCEED\n" + "\n".join(
    f"## Finding {number}\nModule {number} retries twice. {HOSTILE}" for number in range(150)
)


@pytest.fixture
def session(payload: Make, run_hook: Make, transcript: Any) -> str:
    """Its name. It has a prompt, a digest, a handoff, a compaction with what was put back, checkpoints."""
    times = (iso(time.time() + number) for number in itertools.count(-1))
    run_hook("session_start", payload("SessionStart.startup"))
    transcript.user(f"Fix the login. {HOSTILE} password={KEY}", timestamp=next(times))
    sent = payload("PostToolUse.Bash", tool_response={"stdout": LOG, "stderr": "", "interrupted": False})
    reply = run_hook("post_tool_use", sent)
    shown = reply.specific["updatedToolOutput"]["stdout"]
    transcript.assistant(calls=(("c1", "Bash", {"command": "make check"}),), tokens=90_000)
    transcript.result("c1", shown, timestamp=next(times))
    transcript.assistant(calls=(("c2", "Read", {"file_path": "/p/app.log"}),))
    transcript.result("c2", f"     1\t{shown}", timestamp=next(times))
    agent = payload("SubagentStop.first", last_assistant_message=REPORT)
    assert run_hook("subagent_stop", agent).reply["decision"] == "block"
    recorded = json.loads((PAYLOADS / "PostToolUse.Agent.json").read_text("utf-8"))["tool_response"]
    back = {**recorded, "agentId": agent["agent_id"], "content": [{"type": "text", "text": REPORT}]}
    run_hook("post_tool_use", payload("PostToolUse.Agent", tool_response=back))
    run_hook("pre_compact", payload("PreCompact.auto"))
    put_back = run_hook("session_start", payload("SessionStart.compact")).specific["additionalContext"]
    run_hook("post_compact", payload("PostCompact.auto", compact_summary="We did things."))
    transcript.boundary()
    transcript.user("This session is being continued. We did things.", isCompactSummary=True, timestamp=next(times))
    added = {"type": "hook_additional_context", "hookEvent": "SessionStart", "content": [put_back]}
    transcript.row(type="attachment", attachment=added, timestamp=next(times))
    run_hook("stop", payload("Stop"))
    return str(sent["session_id"])


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Title -> id: two of the user's, one of an assistant's that is hostile."""
    made = {}
    for kind, title, by in (
        ("decision", "Adopt PostgreSQL", "user"),
        ("learning", "The importer wants tabs", "user"),
        ("issue", f"Login fails {HOSTILE}"[:100], "assistant"),
    ):
        text = f"{title} since the orders moved there. {HOSTILE}" if by == "assistant" else f"{title}, as was agreed."
        capsys.readouterr()
        assert main(["memory", "add", kind, title, "--text", text, "--by", by, "--tag", "store", "--json"]) == 0
        made[title] = json.loads(capsys.readouterr().out)["id"]
    return made


def _heeds_ctrl_c() -> None:
    """Tests that a shell runs in the background are started without it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Served:
    """`holdfast view` as a process of its own."""

    def __init__(self, project: Path, *options: str) -> None:
        command = [sys.executable, "-m", "holdfast", "view", *options]
        env = {**os.environ, "PYTHONPATH": str(HOOKS), "PYTHONUNBUFFERED": "1"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command,
            cwd=project,
            env=env,
            stdout=pipe,
            stderr=pipe,
            text=True,
            preexec_fn=_heeds_ctrl_c,  # noqa: PLW1509 - no threads yet
        )
        assert self.process.stdout
        self.said = ""
        while "Ctrl-C" not in self.said:
            line = self.process.stdout.readline()
            assert line, self.end()
            self.said += line
        self.address = self.said.split()[1]
        self.base = self.address.rstrip("/")
        self.port = self.address.split(":")[2].partition("/")[0]

    def end(self) -> tuple[int, str]:
        """Ctrl-C: its code and what else it said."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out + err


@pytest.fixture
def served(project: Path) -> Iterator[Served]:
    made = Served(project)
    yield made
    if made.process.poll() is None:
        made.end()
