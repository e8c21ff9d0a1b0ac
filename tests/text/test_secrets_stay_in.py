"""No secret that a session has seen stands in what can be committed, or is sent: the hooks as processes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from tests.text.secret_kinds import KEYS, MAKERS, NAMED

Make = Callable[..., Any]


def told(number: int, text: str, secret: str) -> tuple[str, str]:
    """A text and its secret, which no other one shares."""
    own = secret if len(secret) > 19 else f"{secret}x{number}"
    return text.replace(secret, own), own


SAID = {
    **{f"the key is {key} of ops": key.rpartition("/")[2] for key in (*KEYS.values(), *MAKERS.values())},
    **dict(told(number, *row) for number, row in enumerate(NAMED.items(), 100)),
}
BATCH = 24


def batches() -> Iterator[dict[str, str]]:
    """The kinds, some at a time: a session's state keeps the newest."""
    rows = list(SAID.items())
    for start in range(0, len(rows), BATCH):
        yield dict(rows[start : start + BATCH])


def work(transcript: Any, said: dict[str, str]) -> None:
    """A turn of a session that holds each in every place: words, calls, results, names, tasks, answers, commits."""
    for number, text in enumerate(said):
        line = " ".join(text.split())
        transcript.user(f"Look:\n{text}")
        transcript.user("x " * (1_990 - len(text) // 4) + line)  # where a long prompt is cut
        transcript.did("Bash", f"one\n{text}", command=f"make {number}\n{text}")
        transcript.did("Bash", f"Exit code 1\n{text}", failed=True, command=f"pytest {number} # {line}")
        transcript.did("Bash", f"[main 12{number:03d}f7] {line}", command=f'git commit -m "{line}"')
        if text.startswith("the key is ") and "/" not in text:
            transcript.did("Edit", file_path=f"/p/src/{line.split()[3]}.py")
        transcript.did("TodoWrite", todos=[{"content": f"{'do ' * 50}{line}", "status": "in_progress"}])
        question = {"questions": [{"question": f"Which of {line}?", "options": []}], "answers": {f"Of {line}?": line}}
        transcript.assistant(calls=((f"q{transcript.rows}", "AskUserQuestion", {"questions": []}),))
        transcript.result(f"q{transcript.rows - 1}", "answered", toolUseResult=question)
        transcript.assistant(f"DECISION: go on, {line}\nLesson: {line}\nBUG-{number}: {line}\n\n{text}", tokens=9_000)


def report(said: dict[str, str]) -> str:
    """An over-long report with all of them."""
    return "\n".join(
        ["Decision: PROCEED", *(f"## Critical {n}\n{text}\n{'word ' * 30}" for n, text in enumerate(said))]
    )


def leaked(said: dict[str, str], text: str) -> list[str]:
    """Which of the secrets stand in a text, as a whole or with their beginning."""
    return [where for where, secret in said.items() if secret[:24] in text]


def test_no_secret_is_committed_or_sent(
    run_hook: Make, payload: Make, transcript: Any, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(SAID) > 100
    found: dict[str, set[str]] = {}

    def look(place: str, text: str) -> None:
        found.setdefault(place, set()).update(leaked(SAID, text))

    def hook(name: str, sent: str, **changes: Any) -> None:
        look(f"stdout of {sent}", run_hook(name, payload(sent, **changes), DB_PASSWORD="Tr0ub4dor33").out)

    hook("session_start", "SessionStart.startup")
    for number, said in enumerate(batches()):
        work(transcript, said)
        everything = "\n".join(said)
        hook("user_prompt_submit", "UserPromptSubmit", prompt=everything)
        large = "all is well\n" * 3_000
        shown = {"stdout": f"{everything}\n{large}\nerror: {everything}\n{large}\n{everything}", "stderr": ""}
        hook("post_tool_use", "PostToolUse.Bash", tool_response=shown)
        agent = {"agent_id": f"a{number}", "last_assistant_message": report(said)}
        for _ in range(3):
            hook("subagent_stop", "SubagentStop.first", **agent)
        response = payload("PostToolUse.Agent")["tool_response"]
        response.update(agentId=f"a{number}", content=[{"type": "text", "text": report(said)}], prompt=everything)
        inputs = {"description": next(iter(said)), "prompt": everything, "subagent_type": "general-purpose"}
        hook("post_tool_use", "PostToolUse.Agent", tool_response=response, tool_input=inputs)
        hook("subagent_start", "SubagentStart")
        hook("stop", "Stop", last_assistant_message=everything)
        hook("pre_compact", "PreCompact.manual", custom_instructions=everything)
        hook("session_start", "SessionStart.compact")
        hook("post_compact", "PostCompact.manual", compact_summary=f"Summary.\n{everything}")
        transcript.boundary()
    for command in (["status"], ["status", "--receipt"], ["checkpoint", "show"], ["compactions"], ["recall", "key"]):
        for arguments in (command, [*command, "--json"]):
            main(arguments)
            look(" ".join(arguments), capsys.readouterr().out)
    hook("session_end", "SessionEnd")
    hook("session_start", "SessionStart.startup", session_id="next")
    for path in state.rglob("*"):
        if path.is_file() and path.parent.name != "archive":  # whole results: ignored, and not told again
            look(str(path.relative_to(state)), path.read_text(errors="replace"))
    assert list(state.glob("memory/*/*.md")), "the memory has records"
    assert (state / "logs" / "progress.md").is_file()
    assert {place: names for place, names in found.items() if names} == {}
