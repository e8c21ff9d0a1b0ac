"""The cases of `holdfast bench hooks`: payloads, a made-up transcript, and the state each case starts from."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.material import report, result, transcript
from holdfast.hot import call_log, paths, presence
from holdfast.hot.files import names_in, read_bytes
from holdfast.hot.jsonc import loads_object
from holdfast.hot.paths import InSession
from holdfast.install.environment import read_sidecar, real_interpreter
from holdfast.team.location import folder_of

HOOKS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "hooks")
COMMON = {"permission_mode": "default", "prompt_id": "bench"}
Case = tuple[Any, ...]


def cases(folder: str, data: str | None) -> list[Case]:
    """Rows for bench_hooks.Case: (name, command, stdin, target, before)."""
    path, python = data or transcript(f"{folder}/session.jsonl", 5_000_000), interpreter()
    make = Maker(folder, path, python)
    return [
        ("floor: python -I -S -E -c pass", [python, "-I", "-S", "-E", "-c", "pass"], b"", 0.0),
        *_tool_calls(make),
        *_other_hot(make),
        *_stops(make),
        *_compactions(make),
    ]


def interpreter() -> str:
    """The hooks' Python; HOLDFAST_SITE says from here on where its packages are."""
    baked = read_sidecar(f"{HOOKS}/interpreter")
    os.environ.setdefault("HOLDFAST_SITE", baked.site if baked and baked.site else _own_site())
    return baked.python if baked else real_interpreter()


def _own_site() -> str:
    return next((entry for entry in sys.path if entry.endswith("site-packages")), "")


class Maker:
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
            claims = f"{self.session(name)}/{InSession.CLAIMS}"
            shutil.rmtree(claims, ignore_errors=True)
            os.makedirs(claims, exist_ok=True)
            for entry in also:
                target = f"{self.session(name)}/{entry}"
                if os.path.exists(target):
                    os.unlink(target)

        return before

    def aged(self, name: str, made: int) -> Callable[[], None]:
        """A session with thresholds that has `made` calls behind it, set up at its first run."""

        def before() -> None:
            folder = self.session(name)
            if not os.path.exists(f"{folder}/{InSession.THRESHOLDS}"):
                _start(self, name)
            with open(f"{folder}/{InSession.CALLS}", "wb") as file:
                file.write(call_log.HEADER + call_log.line(0, 1_000, "Bash") * made)
            found = loads_object(read_bytes(f"{folder}/{InSession.THRESHOLDS}"))
            with open(f"{folder}/{InSession.THRESHOLDS}", "w", encoding="utf-8") as file:
                json.dump({**found, "next_check_call": made + 40, "next_zone_tokens": 0}, file)

        return before


def _start(make: Maker, name: str) -> None:
    import subprocess

    environment = {"PATH": os.environ.get("PATH", ""), "HOME": f"{make.folder}/home", "CLAUDE_PROJECT_DIR": make.folder}
    stdin = make.payload("SessionStart", name, source="startup")
    subprocess.run(make.command("session_start"), input=stdin, env=environment, check=True, capture_output=True)


SAID = b"Holdfast digest of "
LARGE = "2026-01-01 00:00:00 INFO request served in 12 ms\n" * 20_000 + "ERROR disk is full\n"
BASH = {
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_response": {"stdout": "README.md\n" * 20, "stderr": "", "interrupted": False, "isImage": False},
}
DIGESTED = {
    "log": 6.0,
    "line of numbers": 6.0,
    "minified code": 9.0,
    "list of files": 11.0,
    "table with a password column": 13.0,
    "diff": 14.0,
    "search hits": 14.0,
    "JSON": 16.0,
    "JSON, cut": 21.0,
}
"""Kind of a result of 1 MB -> how many starts of an interpreter its digest may take, a third more than measured."""
EDIT = {
    "tool_name": "Edit",
    "tool_input": {"file_path": "/p/a.py"},
    "tool_response": {"filePath": "/p/a.py", "originalFile": LARGE},
}


def _tool_calls(make: Maker) -> list[Case]:
    hot, run = make.command("post_tool_use"), [f"{HOOKS}/run", "post_tool_use"]
    young, old = make.aged("young", 9), make.aged("old", 9_999)

    def forget() -> None:
        """Nothing has been seen or kept, so the large result is digested once more."""
        young()
        for name in (InSession.ARCHIVE, InSession.SEEN):
            shutil.rmtree(f"{make.session('young')}/{name}", ignore_errors=True)
            os.makedirs(f"{make.session('young')}/{name}")

    def called(session: str, fields: dict[str, Any]) -> bytes:
        return make.payload("PostToolUse", session, tool_use_id="t", **fields)

    def read(text: str) -> bytes:
        return called("young", {"tool_name": "mcp__logs__read", "tool_input": {}, "tool_response": [_block(text)]})

    return [
        ("PostToolUse, call 10", hot, called("young", BASH), 1.15, young),
        ("PostToolUse, call 10,000", hot, called("old", BASH), 1.15, old),
        ("PostToolUse through hooks/run", run, called("young", BASH), 1.3, young),
        ("PostToolUse, 1 MB left", hot, called("young", EDIT), 2.5, young),
        ("PostToolUse, 1 MB: lines alike", hot, read(LARGE), 2.5, forget, {}, SAID),
        *(
            (f"PostToolUse, 1 MB: {kind}", hot, read(result(kind, 1_000_000)), most, forget, {}, SAID)
            for kind, most in DIGESTED.items()
        ),
    ]


def _block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _other_hot(make: Maker) -> list[Case]:
    young = make.aged("young", 9)
    window = {"context_window_size": 200_000, "total_input_tokens": 50_000}
    prompt = make.payload("UserPromptSubmit", "young", prompt="go on")
    start = make.payload("SubagentStart", "young", agent_id="a", agent_type="Explore")
    team = folder_of(make.folder)

    def alone() -> None:
        young()
        for name in names_in(f"{team}/{presence.AGENTS}"):
            if name != presence.name_of("young"):
                os.unlink(f"{team}/{presence.AGENTS}/{name}")

    def company() -> None:
        alone()
        presence.sign(team, make.session("young"), "other", "Explore")

    edit = make.payload("PreToolUse", "young", **{**EDIT, "tool_response": None})
    delegation = {"tool_name": "Agent", "tool_input": {"prompt": "Find the parser.", "run_in_background": False}}
    status = make.payload("Status", "young", context_window=window)
    return [
        ("UserPromptSubmit", make.command("user_prompt_submit"), prompt, 1.15, young),
        ("PreToolUse of an edit, alone", make.command("pre_tool_use"), edit, 1.3, alone),
        ("PreToolUse of an edit, in company", make.command("pre_tool_use"), edit, 8.0, company),
        (
            "PreToolUse of Agent",
            make.command("pre_tool_use"),
            make.payload("PreToolUse", "young", **delegation),
            0.0,
            young,
        ),
        ("SubagentStart", make.command("subagent_start"), start, 1.15, alone),
        ("status line", make.command("status_line"), status, 0.0, young),
    ]


def _stops(make: Maker) -> list[Case]:
    hook = make.command("subagent_stop")
    first, near = make.fresh_claims("first"), make.fresh_claims("near")

    def stop(session: str, tokens: int) -> bytes:
        text = report(tokens)
        return make.payload("SubagentStop", session, agent_id="a1", agent_type="Explore", last_assistant_message=text)

    def asked_twice() -> None:
        make.fresh_claims("third")()
        for number in (1, 2):
            open(f"{make.session('third')}/{InSession.CLAIMS}/ask-a1-{number}", "w", encoding="utf-8").close()

    for name in ("first", "near", "third"):
        _start(make, name)
    return [
        ("SubagentStop, 7,000 tokens, estimated", hook, stop("first", 7_000), 6.0, first),
        ("SubagentStop, near the limit, counted", hook, stop("near", 500), 25.0, near),
        ("SubagentStop, 7,000 tokens, outline", hook, stop("third", 7_000), 6.0, asked_twice),
    ]


def _compactions(make: Maker) -> list[Case]:
    """State kept: the worklog knows the transcript. Cold: it is forgotten before each run."""
    kept, cold = make.fresh_claims("kept"), make.fresh_claims("cold", InSession.STATE)
    before, after = make.command("pre_compact"), make.command("session_start")

    def compact(session: str) -> bytes:
        return make.payload("PreCompact", session, trigger="auto", custom_instructions=None)

    def start(session: str) -> bytes:
        return make.payload("SessionStart", session, source="compact", model="claude-sonnet-4-5")

    for name in ("kept", "cold"):
        _start(make, name)
    done = make.payload("Stop", "kept", last_assistant_message="Done.")
    return [
        ("PreCompact, state kept", before, compact("kept"), 6.0, kept),
        ("PreCompact, cold, 5 MB", before, compact("cold"), 40.0, cold),
        ("SessionStart(compact), state kept", after, start("kept"), 7.0, kept),
        ("SessionStart(compact), cold, 5 MB", after, start("cold"), 40.0, cold),
        ("Stop", make.command("stop"), done, 15.0, None),
    ]
