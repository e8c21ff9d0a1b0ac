"""`holdfast bench engine`."""

import json

import pytest

from benchmarks import engine_speed
from holdfast.cli.main import main


def test_it_prints_each_figure_with_its_limit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On small sizes; the exit code says whether one was missed."""
    monkeypatch.setattr(engine_speed, "SIZES", (20, 40, 80))
    monkeypatch.setattr(engine_speed, "TURNS", 30)
    code = main(["bench", "engine", "--rounds", "1", "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert [figure["name"] for figure in figures] == [
        "deciding 20 blocks, ms",
        "deciding 40 blocks, ms",
        "deciding 80 blocks, ms",
        "growth of deciding, exponent",
        "turn 10, ms",
        "turn 30, ms",
        "import of holdfast.engine.manager / import of pydantic",
    ]
    assert all(figure["value"] is not None for figure in figures)
    assert code == int(any(figure["limit"] is not None and figure["value"] > figure["limit"] for figure in figures))
