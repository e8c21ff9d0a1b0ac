import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.gauge import hooks as gauge
from holdfast.gauge import status_line

Make = Callable[..., Any]


@pytest.fixture
def folder(event_of: Make, session_of: Make) -> Path:
    """A session's folder."""
    return Path(session_of(event_of("Stop")).folder)


def fields(tokens: int, size: int = 200_000) -> dict[str, Any]:
    """What the client sends."""
    return {
        "context_window": {"total_input_tokens": tokens, "total_output_tokens": 0, "context_window_size": size},
        "model": {"id": "claude-x"},
    }


def test_the_line(folder: Path) -> None:
    """Zone, use and limit, share, handoffs; and the window's size is left for the hooks."""
    assert status_line.line(fields(84_000), str(folder), 0.0) == "holdfast ◐ yellow 84k/167k 50% · 0 handoffs"
    assert json.loads((folder / "window.json").read_text()) == {"size": 200_000, "sizes": [84_000], "model": "claude-x"}


def test_turns_left_and_work(folder: Path) -> None:
    """The rate of the last sizes; returns and the age of the newest checkpoint."""
    (folder / "handoffs" / "a.handoff.md").write_text("x")
    (folder / "checkpoints" / "0001.json").write_text("{}")
    now = (folder / "checkpoints" / "0001.json").stat().st_mtime
    for tokens in (10_000, 20_000, 20_000, 30_000):
        assert "turns left" not in status_line.line(fields(tokens), str(folder), now)
    assert (
        status_line.line(fields(40_000), str(folder), now + 130)
        == "holdfast ● green 40k/167k 23% · ~12 turns left · 1 handoff · checkpoint 2 min ago"
    )


@pytest.mark.parametrize(
    ("sent", "start"),
    [
        ({}, "holdfast: size known after the next answer"),
        (fields(0), "holdfast: size known after the next answer"),
        (fields(5_000, 0), "holdfast · 5k used, limit unknown"),
        ({"context_window": None, "model": None}, "holdfast: size known after the next answer"),
        ({"context_window": {"total_input_tokens": "x"}}, "holdfast: size known after the next answer"),
    ],
    ids=["nothing", "first", "no size", "nulls", "odd"],
)
def test_what_is_not_known_is_said(sent: dict[str, Any], start: str, folder: Path) -> None:
    """Never a wrong percentage."""
    assert status_line.line(sent, str(folder), 0.0).startswith(start)


def test_the_users_own_limit_and_preset_hold(event_of: Make, session_of: Make, state: Path) -> None:
    """The line says what the hooks go by."""
    event = event_of("Stop")
    session_of(event)
    (state / "config.json").write_text('{"window": {"limit": 100000}, "pressure": {"preset": "capacity"}}')
    session = session_of(event)
    gauge.compile_thresholds(session, gauge.read(event, session))
    assert status_line.line(fields(78_000), session.folder, 0.0).startswith("holdfast ● green 78k/100k 78%")


def test_without_a_folder_the_line_is_shown(tmp_path: Path) -> None:
    """Nothing is written where no session has been made."""
    assert status_line.line(fields(84_000), str(tmp_path / "none"), 0.0).startswith("holdfast ◐ yellow")
    assert not (tmp_path / "none").exists()
