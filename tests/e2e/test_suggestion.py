"""Point 4: the suggestion comes at call 50, exactly once, though 8 calls run in parallel around it."""

import time
from pathlib import Path

import pytest

from client import Run, Sandbox, SandboxMaker
from loopback import Json, call, rule

GO = "GO-COUNT read the files"


def _reads(sandbox: Sandbox, batch: str, count: int) -> list[Json]:
    """Read calls, which the client runs in parallel."""
    calls = []
    for number in range(count):
        path = sandbox.project / f"{batch}{number}.ts"
        path.write_text(f"export const value{number} = {number};\n")
        calls.append({**call("Read", file_path=str(path)), "id": f"toolu_{batch}{number}"})
    return calls


@pytest.fixture(scope="module")
def sandbox(make_sandbox: SandboxMaker) -> Sandbox:
    """A sandbox with the pack dropped in."""
    return make_sandbox("dropin")


@pytest.fixture(scope="module")
def run(sandbox: Sandbox) -> Run:
    """46 calls, then 8 in parallel (47 to 54), then 8 more; each with its hook."""
    first, around, after = _reads(sandbox, "a", 46), _reads(sandbox, "b", 8), _reads(sandbox, "c", 8)
    rules = [
        rule(GO, *first, times=1, tools=True),
        rule("toolu_a45", *around, times=1),
        rule("toolu_b7", *after, times=1),
    ]
    run = sandbox.run(GO, rules).undisturbed()
    assert len(run.hooks("PostToolUse")) == 62
    return run


def test_the_user_sees_the_suggestion_once_and_the_model_does_not(run: Run) -> None:
    """One hook of the 62 speaks, with a /compact line to paste; the client shows it as a notice, in no request."""
    (told,) = [h.told for h in run.hooks("PostToolUse") if h.told]
    assert "50 tool calls" in told
    assert any(line.startswith("/compact ") for line in told.splitlines())
    shown = [e for e in run.events if e.get("subtype") == "informational" and "50 tool calls" in e["content"]]
    assert len(shown) == 1
    assert run.holding("50 tool calls") == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to see the processes")
def test_nothing_stays_running(sandbox: Sandbox, run: Run) -> None:
    """When the client has ended, no process that it or a hook has started is left."""
    assert run.events
    end = time.monotonic() + 5
    while sandbox.processes() and time.monotonic() < end:
        time.sleep(0.05)
    assert sandbox.processes() == []
