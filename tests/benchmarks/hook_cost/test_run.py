"""`holdfast bench hooks` measures every case with real processes and fails on a hook that fails."""

import argparse
import json
from pathlib import Path

import pytest

from benchmarks import material
from benchmarks.hook_cost import cases, run
from holdfast.cli import bench
from holdfast.errors import BadInput


def test_one_round_of_everything(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every case of the list appears with its ratio; no figure is judged here, machines differ."""
    monkeypatch.setattr(material, "transcript", lambda path, size: _small(path))
    monkeypatch.setattr(cases, "transcript", lambda path, size: _small(path))
    bench.run(argparse.Namespace(name="hooks", data=None, rounds=1, records=None, json=True))
    told = json.loads(capsys.readouterr().out)
    names = [row["name"] for row in told["rows"]]
    assert names[0].startswith("floor")
    assert "PostToolUse through hooks/run" in names
    assert "SessionStart(compact), cold, 5 MB" in names
    assert all(row["ratio"] > 0 for row in told["rows"])


_WRITE = material.transcript


def _small(path: str) -> str:
    return _WRITE(path, 20_000)


def test_a_hook_that_fails_is_not_measured(tmp_path: Path) -> None:
    """A case that ends with an error stops the run and names itself."""
    case = run.Case("broken", ["sh", "-c", "cat >/dev/null; echo no >&2; exit 4"], b"")
    with pytest.raises(BadInput, match="broken: ended with 4: no"):
        run.measure([case], str(tmp_path), 1)


def test_one_that_does_something_else_is_not_measured(tmp_path: Path) -> None:
    """A case that is to say something, and is silent."""
    case = run.Case("silent", ["cat"], b"", says=b"remembered")
    with pytest.raises(BadInput, match="silent: did not say 'remembered'"):
        run.taken(case, str(tmp_path))
