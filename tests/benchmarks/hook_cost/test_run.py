"""`holdfast bench hooks` measures every case with real processes and fails on a hook that fails."""

import argparse
import json
from pathlib import Path

import pytest

from benchmarks import material
from benchmarks.hook_cost import cases, run
from holdfast.cli import bench
from holdfast.errors import BadInput
from holdfast.hot import usage_tail
from holdfast.hot.jsonc import loads_object
from holdfast.text.tokens import estimate


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


def test_a_case_has_its_own_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing of this process's, such as where its user's state is."""
    monkeypatch.setenv("HOLDFAST_DIR", "/somewhere")
    words = ["sh", "-c", 'echo "${HOLDFAST_DIR-none} $HOME $CLAUDE_PROJECT_DIR"']
    case = run.Case("shell", words, b"", variables={"CLAUDE_PROJECT_DIR": "/p"}, says=f"none {tmp_path} /p".encode())
    assert run.taken(case, str(tmp_path)) > 0


def test_a_missing_transcript_is_told() -> None:
    """--data must be a file."""
    with pytest.raises(BadInput, match="no such transcript"):
        run.run(argparse.Namespace(data="/nowhere/x.jsonl", rounds=1, json=False))


@pytest.mark.parametrize("tokens", [500, 7_000])
def test_a_report_has_the_size_asked_for(tokens: int) -> None:
    """Within a tenth, and the same text every time."""
    assert abs(estimate(material.report(tokens)) - tokens) <= tokens / 10
    assert material.report(tokens) == material.report(tokens)


def test_the_made_up_transcript_reads_like_a_real_one(tmp_path: Path) -> None:
    """Whole JSON rows, about the size asked for, and a usage at the end."""
    path = material.transcript(str(tmp_path / "t.jsonl"), 100_000)
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    assert all(loads_object(line) for line in lines)
    assert 100_000 <= Path(path).stat().st_size < 120_000
    assert usage_tail.sizes(usage_tail.read_tail(path))[0][0] > 20_000
