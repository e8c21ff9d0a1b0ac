"""The cases of `holdfast bench hooks`: payloads, a made-up transcript, and the state each case starts from."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from typing import Any

from holdfast.cli.bench_story import report, transcript
from holdfast.core.jsonc import loads_object
from holdfast.store import calls, paths
from holdfast.store.environment import read_sidecar, real_interpreter
from holdfast.store.files import read_bytes

HOOKS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMON = {"permission_mode": "default", "prompt_id": "bench"}
Case = tuple[Any, ...]


def cases(folder: str, data: str | None) -> list[Case]:
    """Rows for bench_hooks.Case: (name, command, stdin, target, before)."""
    path = data or transcript(f"{folder}/session.jsonl", 5_000_000)
    baked = read_sidecar(f"{HOOKS}/interpreter")
    python = baked.python if baked else real_interpreter()
    os.environ.setdefault("HOLDFAST_SITE", baked.site if baked and baked.site else _own_site())
    make = _Maker(folder, path, python)
    return [
        ("floor: python -I -S -E -c pass", [python, "-I", "-S", "-E", "-c", "pass"], b"", 0.0),
        *_hot(make),
        *_warm(make),
    ]


def _own_site() -> str:
    return next((entry for entry in sys.path if entry.endswith("site-packages")), "")


class _Maker:
    """Builds cases over one project folder and transcript."""

    def __init__(self, folder: str, transcript_path: str, python: str) -> None:
        self.folder, self.transcript, self.python = folder, transcript_path, python

    def payload(self, event: str, session: str, **fields: Any) -> bytes:
        body = {
            "session_id": session,
            "transcript_path": self.transcript,
            "cwd": self.folder,
            **COMMON,
            "hook_event_name": event,
            **fields,
        }
        return json.dumps(body).encode() + b"\n"

    def command(self, script: str) -> list[str]:
        return [self.python, "-S", "-E", "-s", f"{HOOKS}/{script}.py"]

    def session(self, name: str) -> str:
        return paths.session_folder(f"{self.folder}/.claude/holdfast", name)

    def fresh_claims(self, name: str, *also: str) -> Callable[[], None]:
        """Forget what a hook did once, and the named files, so that it does it again."""

        def before() -> None:
            claims = f"{self.session(name)}/{paths.CLAIMS}"
            shutil.rmtree(claims, ignore_errors=True)
            os.makedirs(claims, exist_ok=True)
            for entry in also:
                target = f"{self.session(name)}/{entry}"
                if os.path.exists(target):
                    os.unlink(target)

        return before

    def aged(self, name: str, made: int) -> Callable[[], None]:
        """A session with a gate that has `made` calls behind it, set up at its first run."""

        def before() -> None:
            folder = self.session(name)
            if not os.path.exists(f"{folder}/{paths.GATE}"):
                _start(self, name)
            with open(f"{folder}/{paths.CALLS}", "wb") as file:
                file.write(calls.HEADER + calls.line(0, 1_000, "Bash") * made)
            gate = loads_object(read_bytes(f"{folder}/{paths.GATE}"))
            with open(f"{folder}/{paths.GATE}", "w", encoding="utf-8") as file:
                json.dump({**gate, "look": made + 40, "mark": 0}, file)

        return before


def _start(make: _Maker, name: str) -> None:
    import subprocess

    environment = {"PATH": os.environ.get("PATH", ""), "HOME": make.folder, "CLAUDE_PROJECT_DIR": make.folder}
    stdin = make.payload("SessionStart", name, source="startup")
    subprocess.run(make.command("session_start"), input=stdin, env=environment, check=True, capture_output=True)


def _hot(make: _Maker) -> list[Case]:
    bash = {
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": "t",
        "tool_response": {"stdout": "README.md\n" * 20, "stderr": "", "interrupted": False, "isImage": False},
    }
    large = "2026-01-01 00:00:00 INFO request served in 12 ms\n" * 20_000 + "ERROR disk is full\n"
    mcp = {
        "tool_name": "mcp__logs__read",
        "tool_input": {},
        "tool_use_id": "t",
        "tool_response": [{"type": "text", "text": large}],
    }
    edit = {
        "tool_name": "Edit",
        "tool_input": {"file_path": "/p/a.py"},
        "tool_use_id": "t",
        "tool_response": {"filePath": "/p/a.py", "originalFile": large},
    }
    hot = make.command("post_tool_use")
    young, old = make.aged("young", 9), make.aged("old", 9_999)

    def forget() -> None:
        young()
        shutil.rmtree(f"{make.session('young')}/{paths.ARCHIVE}", ignore_errors=True)
        shutil.rmtree(f"{make.session('young')}/{paths.SEEN}", ignore_errors=True)
        os.makedirs(f"{make.session('young')}/{paths.ARCHIVE}")
        os.makedirs(f"{make.session('young')}/{paths.SEEN}")

    return [
        ("PostToolUse, call 10", hot, make.payload("PostToolUse", "young", **bash), 1.15, young),
        ("PostToolUse, call 10,000", hot, make.payload("PostToolUse", "old", **bash), 1.15, old),
        (
            "PostToolUse through hooks/run",
            [f"{HOOKS}/run", "post_tool_use"],
            make.payload("PostToolUse", "young", **bash),
            1.3,
            young,
        ),
        ("PostToolUse, 1 MB result left", hot, make.payload("PostToolUse", "young", **edit), 2.5, young),
        ("PostToolUse, 1 MB result digested", hot, make.payload("PostToolUse", "young", **mcp), 2.5, forget),
        (
            "UserPromptSubmit",
            make.command("user_prompt_submit"),
            make.payload("UserPromptSubmit", "young", prompt="go on"),
            1.15,
            young,
        ),
        (
            "SubagentStart",
            make.command("subagent_start"),
            make.payload("SubagentStart", "young", agent_id="a", agent_type="Explore"),
            1.15,
            young,
        ),
        (
            "status line",
            make.command("status_line"),
            make.payload(
                "Status",
                "young",
                context_window={"context_window_size": 200_000, "total_input_tokens": 50_000},
            ),
            0.0,
            young,
        ),
    ]


def _warm(make: _Maker) -> list[Case]:
    def stop(session: str, text: str) -> bytes:
        return make.payload("SubagentStop", session, agent_id="a1", agent_type="Explore", last_assistant_message=text)

    def asked_twice() -> None:
        make.fresh_claims("third")()
        for number in (1, 2):
            open(f"{make.session('third')}/{paths.CLAIMS}/ask-a1-{number}", "w", encoding="utf-8").close()

    compact = {"trigger": "auto", "custom_instructions": None}
    start = {"source": "compact", "model": "claude-sonnet-4-5"}
    for name in ("first", "near", "third", "kept", "cold"):
        _start(make, name)
    return [
        (
            "SubagentStop, 7,000 tokens, estimated",
            make.command("subagent_stop"),
            stop("first", report(7_000)),
            10.0,
            make.fresh_claims("first"),
        ),
        (
            "SubagentStop, near the limit, counted",
            make.command("subagent_stop"),
            stop("near", report(500)),
            25.0,
            make.fresh_claims("near"),
        ),
        (
            "SubagentStop, 7,000 tokens, condensed",
            make.command("subagent_stop"),
            stop("third", report(7_000)),
            25.0,
            asked_twice,
        ),
        (
            "PreCompact, state kept",
            make.command("pre_compact"),
            make.payload("PreCompact", "kept", **compact),
            15.0,
            make.fresh_claims("kept"),
        ),
        (
            "PreCompact, cold, 5 MB",
            make.command("pre_compact"),
            make.payload("PreCompact", "cold", **compact),
            40.0,
            make.fresh_claims("cold", paths.STATE),
        ),
        (
            "SessionStart(compact), state kept",
            make.command("session_start"),
            make.payload("SessionStart", "kept", **start),
            15.0,
            make.fresh_claims("kept"),
        ),
        (
            "SessionStart(compact), cold, 5 MB",
            make.command("session_start"),
            make.payload("SessionStart", "cold", **start),
            40.0,
            make.fresh_claims("cold", paths.STATE),
        ),
        (
            "Stop",
            make.command("stop"),
            make.payload("Stop", "kept", last_assistant_message="Done."),
            15.0,
            None,
        ),
    ]
