"""Readers' folders are made from recorded compactions, and their grades are counted."""

import json
from pathlib import Path

import pytest

from benchmarks import reading
from tests.benchmarks.rows import BOUNDARY, row


def test_from_a_session_to_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The summariser never sees what came later; what its summary has is not restored; shares are of characters."""
    monkeypatch.setattr(reading, "LEAST", 1)
    answer = row("assistant", [{"type": "text", "text": "I look at the parser."}])
    asked, later = "Use tabs in every file of the parser, please", "And now the later files"
    (tmp_path / "s.jsonl").write_bytes(row("user", asked) + answer + BOUNDARY + row("user", later))
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


def test_the_labelled_questions_reach_the_reader_without_their_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of a point counts half, by importance; the reader has the summary, what is restored, and the command."""
    data = tmp_path / "data"
    (data / "facts").mkdir(parents=True)
    (data / "s.jsonl").write_bytes(row("user", "Use tabs in the parser") + BOUNDARY)
    facts: list[dict[str, object]] = [
        {"id": f"f{n}", "question": f"Which {n}?", "answer": "tabs", "importance": n, "must": []} for n in (1, 3)
    ]
    labelled = {"transcript": "s.jsonl", "compaction": 0, "facts": facts}
    (data / "facts" / "one.json").write_text(json.dumps(labelled))
    (tmp_path / "request").write_text("Please summarise.")
    args = ["--data", str(data), "--request", str(tmp_path / "request")]
    assert reading.main(["ask", str(tmp_path / "out"), *args]) == 0
    place = tmp_path / "out" / "one"
    (place / "summary.txt").write_text("<summary>Tabs.</summary>")
    reading.restore(tmp_path / "out")
    given = {path.name: path.read_text() for path in (place / "reader").iterdir()}
    assert "Tabs." in given["window.txt"]
    assert "holdfast recall" in given["README.txt"]
    assert "answer" not in given["questions.json"]
    (place / "grader" / "graded.json").write_text(json.dumps({"f1": 0.5, "f3": 1}))
    assert reading.main(["tally", str(tmp_path / "out")]) == 1
    assert "right 0.875 of 2 questions" in capsys.readouterr().out
