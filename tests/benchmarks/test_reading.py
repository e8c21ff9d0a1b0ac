"""Readers' folders are made from recorded compactions, and their grades are counted."""

import json
from pathlib import Path

import pytest

from benchmarks import reading


def row(kind: str, content: object, **fields: object) -> bytes:
    """A row of a transcript."""
    return json.dumps({"type": kind, "message": {"role": kind, "content": content}, **fields}).encode() + b"\n"


def test_from_a_session_to_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The summariser never sees what came later; what its summary has is not restored; shares are of characters."""
    monkeypatch.setattr(reading, "LEAST", 1)
    boundary = json.dumps({"type": "system", "subtype": "compact_boundary", "content": "Compacted"}).encode() + b"\n"
    asked, later = "Use tabs in every file of the parser, please", "And now the later files"
    (tmp_path / "s.jsonl").write_bytes(row("user", asked) + boundary + row("user", later))
    out = tmp_path / "out"
    reading.make(out, tmp_path, "Please summarise.")
    (place,) = sorted(out.iterdir())
    assert later not in "".join(path.read_text() for path in place.glob("*.txt"))
    assert later in (place / "grader" / "session.txt").read_text().partition(reading.HERE)[2]
    assert asked in (place / "request.txt").read_text().partition("Additional Instructions:")[2]
    reading.restore(out)
    assert "not there yet" in capsys.readouterr().out
    (place / "summary.txt").write_text("<summary>They want spaces.\nNEXT N1: go on</summary>")
    reading.restore(out)
    told = (place / "grader" / "restored.txt").read_text()
    assert asked in told
    lines = [line for line in told.splitlines() if line.strip()]
    grades = {str(number): "U" if asked in line else "N" for number, line in enumerate(lines, 1)}
    (place / "grader" / "grades.json").write_text(json.dumps(grades))
    assert reading.main(["tally", str(out)]) == 1
    assert f"useful {len(asked) + 2}" in capsys.readouterr().out
