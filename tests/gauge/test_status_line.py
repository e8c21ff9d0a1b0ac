import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.gauge import hooks as gauge
from holdfast.gauge import status_line
from holdfast.hot import thresholds

Make = Callable[..., Any]


@pytest.fixture
def folder(event_of: Make, session_of: Make) -> Path:
    return Path(session_of(event_of("Stop")).folder)


def fields(tokens: int, size: int = 200_000) -> dict[str, Any]:
    return {
        "context_window": {"total_input_tokens": tokens, "total_output_tokens": 0, "context_window_size": size},
        "model": {"id": "claude-x"},
    }


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize(
    ("tokens", "line", "code"),
    [
        (3_000, "holdfast ● green █░░░░░░░░░ 3k/167k 1 %", "32"),
        (84_000, "holdfast ▲ yellow █████░░░░░ 84k/167k 50 %", "33"),
        (130_000, "holdfast ▲▲ ORANGE ███████░░░ 130k/167k 77 %", "1;38;5;208"),
        (170_000, "holdfast ▲▲▲ RED: /compact now ██████████ 170k, past 167k", "1;97;41"),
        (167_300, "holdfast ▲▲▲ RED: /compact now ██████████ 167k/167k 100 %", "1;97;41"),
        (20, "holdfast ● green █░░░░░░░░░ 0k/167k 0 %", "32"),
    ],
)
def test_each_zone_is_louder(tokens: int, line: str, code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zone, bar, use, limit, share; coloured but for NO_COLOR and a dumb terminal; the size is left for hooks."""
    assert status_line.line(fields(tokens), str(folder), 0.0) == line
    assert json.loads((folder / "window.json").read_text()) == {"size": 200_000, "model": "claude-x"}
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm")
    coloured = f"holdfast \x1b[{code}m{line.removeprefix('holdfast ')}\x1b[0m"
    assert status_line.line(fields(tokens), str(folder), 0.0) == coloured
    monkeypatch.setenv("TERM", "dumb")
    assert status_line.line(fields(tokens), str(folder), 0.0) == line


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ([10_000, 20_000], ""),
        ([10_000, 20_000, 30_000], ""),
        ([1, 20_000, 40_000], "~6 turns left"),
        ([1, 2, 3], "~10 turns left"),
        ([1, 2, 30_000], "~8 turns left"),
        ([30_000, 36_000, 130_000], "<1 turn left"),
        ([1, 80_000, 166_999], "<1 turn left"),
        ("x", ""),
    ],
)
def test_turns_left(turns: Any, told: str, folder: Path) -> None:
    """By the last turns, two at least, and the running one, here to 36,000, where it has brought more; of what is
    farther than ten turns away nothing is told.
    """
    thresholds.save(str(folder / "thresholds.json"), {"turns": turns, "limit": 167_000})
    parts = status_line.line(fields(max(36_000, 0 if turns == "x" else turns[-1])), str(folder), 0.0).split(" · ")[1:]
    assert parts == [told] * bool(told)


@pytest.mark.parametrize(
    ("seconds", "told"), [(5, "just now"), (130, "2 min ago"), (7_300, "2 h ago"), (900_000, "10 d ago")]
)
def test_the_work(seconds: int, told: str, folder: Path) -> None:
    """Returns where there are any, and the age of the newest checkpoint in a unit that fits."""
    (folder / "handoffs" / "a.handoff.md").write_text("x")
    (folder / "checkpoints" / "0001.json").write_text("{}")
    now = (folder / "checkpoints" / "0001.json").stat().st_mtime
    line = status_line.line(fields(40_000), str(folder), now + seconds)
    assert line.endswith(f" 23 % · 1 handoff · checkpoint {told}")


def test_what_has_no_room_on_a_screen_of_80_is_left_out_whole(folder: Path) -> None:
    """The client would cut the line in the middle of a word."""
    thresholds.save(str(folder / "thresholds.json"), {"turns": [30_000, 100_000, 158_000], "limit": 167_000})
    (folder / "checkpoints" / "0001.json").write_text("{}")
    line = status_line.line(fields(158_000), str(folder), (folder / "checkpoints" / "0001.json").stat().st_mtime)
    assert line == "holdfast ▲▲▲ RED: /compact now █████████░ 158k/167k 94 % · <1 turn left"


@pytest.mark.parametrize(
    ("sent", "start"),
    [
        ({}, "holdfast: size known after the next answer"),
        (fields(0), "holdfast: size known after the next answer"),
        (fields(5_000, 0), "holdfast · 5k used, limit unknown"),
        (fields(300_000), "holdfast · 300k used, limit unknown"),
        ({"context_window": None, "model": None}, "holdfast: size known after the next answer"),
        ({"context_window": {"total_input_tokens": "x"}}, "holdfast: size known after the next answer"),
    ],
    ids=["nothing", "first", "no size", "contradicted", "nulls", "odd"],
)
def test_what_is_not_known_is_said(sent: dict[str, Any], start: str, folder: Path) -> None:
    assert status_line.line(sent, str(folder), 0.0).startswith(start)


def test_the_users_own_limit_and_preset_hold(event_of: Make, session_of: Make, state: Path) -> None:
    event = event_of("Stop")
    session_of(event)
    (state / "config.json").write_text('{"window": {"limit": 100000}, "pressure": {"preset": "capacity"}}')
    session = session_of(event)
    gauge.compile_thresholds(session, gauge.read(event, session))
    assert status_line.line(fields(78_000), session.folder, 0.0).startswith("holdfast ● green ███████░░░ 78k/100k 78 %")


def test_without_a_folder_the_line_is_shown(tmp_path: Path) -> None:
    assert status_line.line(fields(84_000), str(tmp_path / "none"), 0.0).startswith("holdfast ▲ yellow")
    assert not (tmp_path / "none").exists()
