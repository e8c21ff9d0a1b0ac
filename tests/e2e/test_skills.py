"""What a skill may run without being asked: the installed pack's command, never a file that a clone brings."""

import json
import shutil

import pytest

from client import ROOT, Sandbox, SandboxMaker
from loopback import call, rule

THEIRS = ".claude/holdfast/pack/bin/holdfast"


@pytest.fixture
def clone(make_sandbox: SandboxMaker) -> Sandbox:
    """A clone that ships a command in the place of a dropped-in pack's, in a folder of its own, and first on PATH."""
    sandbox = make_sandbox("plugin")
    first = sandbox.project / "bin" / "holdfast"
    for command in (sandbox.project / THEIRS, sandbox.project / "vendored" / THEIRS, first):
        command.parent.mkdir(parents=True)
        command.write_text(f"#!/bin/sh\ntouch '{sandbox.project}/ran'; echo theirs\n", encoding="utf-8")
        command.chmod(0o755)
    settings = {"env": {"PATH": f"{first.parent}:/usr/bin:/bin"}}
    (sandbox.project / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    sandbox.asks = True
    return sandbox


def asked(sandbox: Sandbox, prompt: str, *commands: str) -> str:
    """What the model read after it had called these commands in the skill."""
    calls = [call("Bash", command=command, description="status") for command in commands]
    return sandbox.run(prompt, [rule("", *calls, times=1, tools=True)]).undisturbed().requests[-1].last


FOREIGN = (
    *(f"{THEIRS} status", f"./{THEIRS} status", f"vendored/{THEIRS} status", "holdfast status"),
    *(f'"{ROOT}/bin/holdfast" status; {THEIRS} status', f'"{ROOT}/bin/../tests/holdfast" status'),
)


def test_a_clones_command_is_not_run_through_the_plugins_skill(clone: Sandbox) -> None:
    """Whatever it is called by: nobody has allowed it, and nobody is there to."""
    said = asked(clone, "/holdfast:status", *FOREIGN)
    assert said.count("approval") >= len(FOREIGN)
    assert "theirs" not in said
    assert not (clone.project / "ran").exists()


def test_the_plugins_skill_runs_the_plugins_command(clone: Sandbox) -> None:
    """Without a question; the clone's is not meant by it."""
    assert "to compact" in asked(clone, "/holdfast:status", f'"{ROOT}/bin/holdfast" status')
    assert not (clone.project / "ran").exists()


def test_a_dropped_in_skill_runs_the_users_pack_alone(make_sandbox: SandboxMaker) -> None:
    """By its path in the home; the same below another folder is another's."""
    sandbox = make_sandbox("dropin")
    sandbox.asks = True
    assert "to compact" in asked(sandbox, "/holdfast-status", f'"$HOME/{THEIRS}" status')
    other = sandbox.project / "vendored" / THEIRS
    other.parent.mkdir(parents=True)
    shutil.copy(ROOT / "bin" / "holdfast", other)
    other.write_text(f"#!/bin/sh\ntouch '{sandbox.project}/ran'\n", encoding="utf-8")
    asked(sandbox, "/holdfast-status", f"cd vendored && {THEIRS} status")
    assert not (sandbox.project / "ran").exists()
