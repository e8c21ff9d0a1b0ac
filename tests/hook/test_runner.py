import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook import runner
from holdfast.hook.on import stop
from holdfast.session import faults, hook_log

Make = Callable[..., Any]


class PanicException(BaseException):
    """As Rust's packages raise it."""


@pytest.mark.parametrize("kind", [RuntimeError, PanicException, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_fault_of_ours_is_logged_with_its_place(
    kind: type[BaseException], payload: Make, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise kind("first line\nsecond line")

    monkeypatch.setattr(stop, "handle", broken)
    assert runner.answer("Stop", json.dumps(payload("Stop")).encode()) == ""
    line = (state / "logs" / "faults.log").read_text()
    assert line.count("\n") == 1
    assert f"Stop {kind.__name__}: first line second line at test_runner.py:" in line
    assert "(Python 3." in line


def test_the_log_is_bounded(state: Path) -> None:
    for _ in range(faults.KEPT + 20):
        assert runner.answer("Stop", b"[]") == ""
    assert (state / "logs" / "faults.log").read_text().count("\n") == faults.KEPT


def test_what_a_warm_hook_took_is_noted(payload: Make, state: Path) -> None:
    assert runner.answer("PreCompact", json.dumps(payload("PreCompact.auto")).encode())
    (entry,) = hook_log.load(str(next((state / "sessions").iterdir())))
    assert (entry.event, entry.kind, entry.context) == ("PreCompact", "auto", 0)
    assert entry.plain > 100
    assert entry.ms > 0
