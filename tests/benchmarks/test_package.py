import json
from pathlib import Path

import pytest

from benchmarks import material
from holdfast.cli.main import main


def test_each_kind_is_made_and_held_to_its_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a made-up session; one of which there is too little is no package, and none at all is a miss."""
    session = material.transcript(str(tmp_path / "session.jsonl"), 400_000)
    assert main(["bench", "package", "--data", session, "--json"]) == 0
    rows = {row["kind"]: row for row in json.loads(capsys.readouterr().out)}
    assert all(row["held"] == "yes" and row["left_out"] >= row["asked"] for row in rows.values())
    assert rows["specialist"]["most"] <= 10_000 < rows["emergency"]["most"] <= 15_000 < rows["continuation"]["most"]
    (tmp_path / "short.jsonl").write_text('{"type": "user", "message": {"role": "user", "content": "Hello."}}\n')
    assert main(["bench", "package", "--data", str(tmp_path / "short.jsonl")]) == 1
