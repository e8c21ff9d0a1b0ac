import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli import main as cli
from holdfast.session import folders
from tests.cli.conftest import Make
from tests.conftest import HOOKS

ID = "3a6f6312-20f0-4443-a77f-85e4c5ba5e54"


@pytest.fixture(autouse=True)
def session(run_hook: Make, payload: Make, transcript: Any) -> None:
    transcript.user("Fix \ud83d")
    transcript.did("Edit", file_path="/p/login\ud83d.py")
    run_hook("session_start", payload("SessionStart.startup"))
    run_hook("stop", payload("Stop"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("", "/compact keep"),
        ("--line", "/compact keep"),
        ("--json", '"session": "3a6f6312-20f0-4443-a77f-85e4c5ba5e54"'),
        ("--session 3a6f", "/compact keep"),
        ("--session 3a6f6312-20f0-4443-a77f-85e4c5ba5e54", "/compact keep"),
        ("--receipt", "SessionStart: 1 run,"),
        ("--receipt --json", '"event": "SessionStart"'),
    ],
)
def test_the_gauge_in_full(options: str, told: str, capfd: pytest.CaptureFixture[str]) -> None:
    """As JSON or as a table, whatever the transcript holds and however the session is named; the receipt too."""
    assert cli.main(["status", *options.split()]) == 0
    out = capfd.readouterr().out
    assert told in out
    assert options != "--line" or (out.startswith(told) and out.count("\n") == 1)


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [("", 0, "packages are missing"), ("--line", 0, "/compact keep"), ("--json", 1, "pydantic: this command needs")],
)
def test_without_packages_the_main_things_are_told(options: str, code: int, told: str) -> None:
    run = [sys.executable, "-B", "-S", "-m", "holdfast", "status", *options.split()]
    env = {**os.environ, "PYTHONPATH": str(HOOKS)}
    done = subprocess.run(run, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, told in (done.stderr if code else done.stdout), done.stderr.count("\n")) == (
        code,
        True,
        code,
    )
    assert options or re.search("zone .*\n *used .*\n *to compact */compact keep", done.stdout)


@pytest.mark.parametrize("command", ["status", "checkpoint list", "recall x"])
@pytest.mark.parametrize("named", ["../../x", "4", "\u202eX"])
def test_a_session_that_is_none_lists_those_that_are(
    command: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every command that takes one; what was typed stands on the line as text."""
    assert cli.main([*command.split(), "--session", named]) == 1
    said = capsys.readouterr().err
    assert "there is no session" in said
    assert said.endswith("The newest are: 3a6f6312-20f0-4443-a77f-85e4c5ba5e54\n")
    assert said.strip().isprintable()


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("command", ["handoff package --kind continuation", "checkpoint save", "recall login"])
def test_the_session_that_was_active_last_is_told_by_name(
    command: str, run_hook: Make, payload: Make, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a command makes of an older one does not make that the newest."""
    folders.set_back(str(state / "sessions" / ID), time.time() - 60)
    run_hook("stop", payload("Stop", session_id="77777777-aaaa"))
    cli.main([*command.split(), "--session", ID])
    capsys.readouterr()
    assert cli.main(["status"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["session", "77777777"]
