from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli import main as cli

Make = Callable[..., Any]


def test_every_command_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a command: the help with all of them, exit 2."""
    assert cli.main([]) == 2
    out = capsys.readouterr().out
    assert [name for name in cli.COMMANDS if name not in out] == []


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str], state: Path) -> None:
    """What, where and what to do, on stderr; exit 1."""
    assert cli.main(["status"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (
        captured.err == f"holdfast: {state}: no session has run here yet. "
        "Start Claude Code in this project, or see `holdfast doctor`\n"
    )
