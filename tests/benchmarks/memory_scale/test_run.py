"""The benchmark of a large memory, small; its figures depend on the machine and are not judged here."""

import json
import os
import tempfile
from pathlib import Path

import pytest

from benchmarks.memory_scale import run
from benchmarks.memory_scale.cases import END, START, cases
from benchmarks.memory_scale.material import Project, write
from benchmarks.memory_scale.run import LIMITS, RATIO, Figure
from holdfast.cli.main import main

NOW = 1_800_000_000.0
SURE = ("files touched by adding one record", "memory maintain, killed and run again, steps left")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a memory of a few records."""
    made = Project(str(tmp_path), "python3")
    write(made.memory, 20, NOW, 10)
    return made


def test_one_round_of_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every figure, by the limits the exit code; nothing is left behind, and nobody's own memory is touched."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("HOLDFAST_DIR", str(tmp_path / "own"))
    monkeypatch.setattr(run, "KILLS", 6)
    code = main(["bench", "memory", "--records", "30", "--rounds", "1", "--json"])
    told = json.loads(capsys.readouterr().out)
    found = {row["name"]: row for row in told["rows"]}
    assert (told["records"], told["rounds"], len(found)) == (30, 1, len(told["rows"]))
    assert set(LIMITS) <= set(found)
    assert told["missed"] == [name for name in found if name in LIMITS and found[name]["found"] > LIMITS[name]]
    assert code == bool(told["missed"])
    assert [found[name]["found"] for name in SURE] == [0, 0]
    assert all(found[name]["few"] > 0 for name in (START, *(case.name for case in cases(Project(str(tmp_path), "")))))
    assert found[RATIO]["found"] == pytest.approx(found[START]["found"] / found[START]["few"], abs=0.01)
    assert not [name for name in os.listdir(tmp_path) if name.startswith("holdfast-") or name == "own"]


@pytest.mark.parametrize(("milliseconds", "code"), [(1_000.0, 0), (1_001.0, 1)], ids=["met", "too slow"])
def test_a_missed_limit_is_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], milliseconds: float, code: int
) -> None:
    """A line says which; a figure without a limit is never missed."""
    figures = [Figure(END, milliseconds, 90.0), Figure("memory list, ms", 1e9)]
    monkeypatch.setattr(run, "figures_of", lambda *_: figures)
    assert main(["bench", "memory"]) == code
    lines = capsys.readouterr().out.splitlines()
    assert [part.strip() for part in lines[1].split("  ") if part] == [END, "90.0", f"{milliseconds:,}", "<= 1,000.0"]
    assert lines[-1] == f"10,000 records: {f'MISSED: {END}' if code else 'met'}"
