from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast import __version__
from holdfast.cli import main as cli

Make = Callable[..., Any]


def test_every_command_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a command: the help with all of them, exit 2."""
    assert cli.main([]) == 2
    out = capsys.readouterr().out
    assert [name for name in cli.COMMANDS if name not in out] == []


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """As the package says."""
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"holdfast {__version__}\n"


def test_an_unknown_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 and the commands that there are."""
    with pytest.raises(SystemExit) as end:
        cli.main(["nothing"])
    assert end.value.code == 2
    assert "status" in capsys.readouterr().err


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str], state: Path) -> None:
    """What, where and what to do, on stderr; exit 1."""
    assert cli.main(["status"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (
        captured.err == f"holdfast: {state}: no session has run here yet. "
        "Start Claude Code in this project, or see `holdfast doctor`\n"
    )
