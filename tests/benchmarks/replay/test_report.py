"""`holdfast replay --engine` and `--policies`."""

import json
from pathlib import Path

import pytest

from benchmarks.replay.ways import WAYS
from holdfast.cli.main import main
from tests.benchmarks.replay.test_api_messages import prompt
from tests.benchmarks.replay.test_managed import worked
from tests.benchmarks.replay.test_sessions import BOUNDARY, said, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One session with a compaction, one without."""
    rows = [*worked(30), {**BOUNDARY, "compactMetadata": {"preTokens": 33_000}}]
    write(tmp_path / "long.jsonl", [*rows, prompt("On."), said("Done.", 15_000, "last")])
    write(tmp_path / "short.jsonl", rows[:9])
    return tmp_path


def test_the_engine_s_figures_stand_beside_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two limits of the one session that has one, and what is extrapolated; the other keys stay as they are."""
    assert main(["replay", str(folder), "--engine", "--json"]) == 0
    out, err = capsys.readouterr()
    figures = json.loads(out)
    assert {"handoffs", "results", "calls_before_limit", "saved_share", "sessions", "counted_by"} <= set(figures)
    assert "policies" not in figures
    engine = figures["engine"]
    assert engine["sessions"] == 1
    assert engine["recorded"]["calls"]["before"] == 30
    assert engine["tight"]["calls"]["after"] >= engine["tight"]["calls"]["before"] > 0
    assert engine["extrapolated_calls"] > 30
    assert engine["recorded"]["model_calls"] == 0
    assert "recorded limit, 1 sessions" in err


def test_people_get_a_table_of_all_ways(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each at both limits, with its columns."""
    assert main(["replay", str(folder), "--policies"]) == 0
    shown = capsys.readouterr().out
    for way in WAYS:
        assert shown.count(f"\n{way}  ") == 2
    assert "cache read" in shown
    assert "names used later" in shown
