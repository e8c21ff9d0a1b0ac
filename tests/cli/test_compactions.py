import json
from pathlib import Path

import pytest

from holdfast.cli import main as cli
from holdfast.store import compactions


def test_no_compaction(capsys: pytest.CaptureFixture[str]) -> None:
    """Said in words, and as an empty list."""
    assert cli.main(["compactions"]) == 0
    assert "no compaction recorded yet" in capsys.readouterr().out
    assert cli.main(["compactions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_records(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before, after, by which measure; unknown is said as such."""
    (state / "logs").mkdir(parents=True)
    log = str(state / "logs" / "compactions.jsonl")
    base = {"time": "t", "trigger": "auto", "tokens_before": 160_000, "tool_calls": 7, "instructions": None}
    compactions.add(log, {**base, "tokens_after": 20_000, "after_source": "client"})
    compactions.add(log, {**base, "tokens_after": 900, "after_source": "summary"})
    compactions.add(log, base)
    assert cli.main(["compactions"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[2:4] for row in rows] == [["before", "after"], ["160k", "20k"], ["160k", "~900"], ["160k", "unknown"]]
    assert cli.main(["compactions", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3
