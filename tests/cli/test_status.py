import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli import main as cli

Make = Callable[..., Any]


@pytest.fixture
def session(run_hook: Make, payload: Make, transcript: Any) -> None:
    """A session whose transcript holds half an emoji."""
    transcript.user("Fix \ud83d")
    transcript.did("Edit", file_path="/p/login\ud83d.py")
    run_hook("session_start", payload("SessionStart.startup"))
    run_hook("stop", payload("Stop"))


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(
    "options",
    [["--json"], [], ["--line"], ["--session", "../../x"], ["--session", "3a6f6312-20f0-4443-a77f-85e4c5ba5e54"]],
    ids=str,
)
def test_the_gauge_in_full(options: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """As JSON, as a table, or the one line; whatever the transcript holds."""
    assert cli.main(["status", *options]) == 0
    out = capfd.readouterr().out
    assert "/compact keep" in out
    if options == ["--json"]:
        facts = json.loads(out)
        assert {"zone", "used", "limit", "turns_left", "calls", "budgets", "last_checkpoint"} <= facts.keys()
        assert facts["session"] == "3a6f6312-20f0-4443-a77f-85e4c5ba5e54"
    if options == ["--line"]:
        assert out.count("\n") == 1


@pytest.mark.usefixtures("session")
def test_the_receipt(capfd: pytest.CaptureFixture[str]) -> None:
    """As a table and as JSON: what the hooks took is there after one turn."""
    assert cli.main(["status", "--receipt"]) == 0
    assert "SessionStart: 1 runs" in capfd.readouterr().out
    assert cli.main(["status", "--receipt", "--json"]) == 0
    facts = json.loads(capfd.readouterr().out)
    assert {"injected", "kept_out", "hooks", "usage", "steering", "compactions"} <= facts.keys()
    assert all(row["ms"] > 0 for row in facts["hooks"])


def test_no_session(state: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Exit 1, and nothing is made on disk."""
    assert cli.main(["status", "--json"]) == 1
    assert not state.exists()
