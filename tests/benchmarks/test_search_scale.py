"""The benchmark of the index, small; its figures depend on the machine and are not judged here."""

import json
from pathlib import Path

import pytest

from benchmarks import search_scale
from benchmarks.search_scale import LIMITS, Made, measure
from holdfast.cli.main import main


def test_all_figures_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a progress bar on stderr; the size on disk does not depend on the machine."""
    found = measure(str(tmp_path), Made(), 1_000)
    assert set(LIMITS) <= set(found)
    assert all(value > 0 for value in found.values())
    assert found["disk_ratio"] < LIMITS["disk_ratio"]
    assert "1,000/1,000\n" in capsys.readouterr().err


@pytest.mark.parametrize(("rebuild", "code"), [(1e12, 0), (1.0, 1)], ids=["all met", "too slow"])
def test_a_missed_limit_is_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rebuild: float, code: int
) -> None:
    """Of a figure that must be at least so much, too."""
    figures = {**dict.fromkeys(LIMITS, 0.0), "rebuild_per_s": rebuild}
    monkeypatch.setattr(search_scale, "measure", lambda *_: figures)
    assert main(["bench", "index", "--records", "1000", "--json"]) == code
    assert json.loads(capsys.readouterr().out)["missed"] == ["rebuild_per_s"] * code
