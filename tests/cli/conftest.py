"""What the tests of the commands share: a command of the module's `COMMAND`, and what it says."""

from collections.abc import Callable
from typing import Any

import pytest

from holdfast.cli import main as cli

Make = Callable[..., Any]
Says = Callable[..., str]


@pytest.fixture
def says(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Says:
    """`says("list")`: what it prints, and it complains of nothing; with code 1 that, or the one line of a complaint."""

    def run(*arguments: str, code: int = 0) -> str:
        assert cli.main([*request.module.COMMAND, *arguments]) == code
        out, err = capsys.readouterr()
        assert err == "" or (code, err.count("\n"), out) == (1, 1, "")
        return out or err

    return run
