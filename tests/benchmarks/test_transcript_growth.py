import json
from pathlib import Path

import pytest

from holdfast.cli.main import main


def _row(text: str, time: str) -> str:
    return json.dumps({"type": "user", "timestamp": time, "message": {"content": text}}) + "\n"


def test_pieces_are_put_together_by_their_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each piece costs its own bytes, and the state is that of the whole."""
    (tmp_path / "a.jsonl").write_text(_row("then this", "2026-01-02T00:00:00Z"))
    (tmp_path / "b.jsonl").write_text(_row("first this", "2026-01-01T00:00:00Z"))
    assert main(["bench", "growth", "--data", str(tmp_path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == ["b.jsonl", "a.jsonl"]
    assert [row["read"] for row in rows] == [(tmp_path / name).stat().st_size for name in ("b.jsonl", "a.jsonl")]
    assert all(row["same"] for row in rows)
