"""Readers' folders are made from a recorded session, and their grades are counted."""

import json
from pathlib import Path

import pytest

from benchmarks import outcome
from tests.benchmarks.rows import BOUNDARY, row


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A session with two compactions and a long enough window before, between and behind them."""
    window = [row("user", f"Always use tabs, step {n}") for n in range(outcome.LEAST)]
    summary = row("user", "An older model's words.", isCompactSummary=True)
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "s.jsonl").write_bytes(b"".join([*window, BOUNDARY, summary, *window, BOUNDARY, summary, *window]))
    return folder


def play(folder: Path, name: str) -> None:
    """A reader of this compaction: both summaries."""
    for arm in outcome.ARMS:
        told = f"<analysis>x</analysis><summary>by {arm} of {name}</summary>"
        (folder / name / arm / "summary.txt").write_text(told)


def test_a_session_is_followed_through_both_windows(tmp_path: Path, data: Path) -> None:
    """The second window begins with the arm's own first summary; only b has our instructions and what we put back."""
    folder = tmp_path / "out"
    outcome.make(folder, data, "Please summarise.")
    assert "Always use tabs, step 0" in (folder / "01-1/b/before.txt").read_text()
    assert (folder / "01-1/a/request.txt").read_text() == "Please summarise."
    assert "RULE R1" in (folder / "01-1/b/request.txt").read_text()
    play(folder, "01-1")
    outcome.restore(folder)
    assert "SUMMARY: This session is being continued" in (folder / "01-2/a/before.txt").read_text()
    assert "by b of 01-1" in (folder / "01-2/b/before.txt").read_text()
    assert "An older model" not in (folder / "01-2/b/before.txt").read_text()
    assert "Holdfast" not in (folder / "01-1/go-a/window.txt").read_text()
    assert "no closing record" in (folder / "01-1/go-b/window.txt").read_text()


def test_faults_are_counted_by_arm(tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever letter the judge saw it under; half of a's faults is the target."""
    folder = tmp_path / "out"
    outcome.make(folder, data, "Please summarise.")
    for name in ("01-1", "01-2"):
        play(folder, name)
        outcome.restore(folder)
        for arm in outcome.ARMS:
            (folder / name / f"go-{arm}" / "next.txt").write_text(f"I am {arm}")
    outcome.blind(folder)
    for name in ("01-1", "01-2"):
        judge = folder / name / "judge"
        faults = {letter: {"redone": 4 if "a" in (judge / f"{letter}.txt").read_text()[-1] else 1} for letter in "AB"}
        (judge / "grades.json").write_text(json.dumps(faults))
    assert outcome.tally(folder) == 0
    assert "a: 8 faults in 2" in (told := capsys.readouterr().out)
    assert "b: 2 faults in 2" in told


def test_the_files_that_the_work_changed_are_there(tmp_path: Path) -> None:
    """Else each would count as gone since; none outside the project is made."""
    edits = [
        {"type": "tool_use", "id": str(n), "name": "Write", "input": {"file_path": path, "content": "1"}}
        for n, path in enumerate(("/work/src/a.py", "/work/../b.py"))
    ]
    results = [{"type": "tool_result", "tool_use_id": edit["id"], "content": "ok"} for edit in edits]
    (tmp_path / "record.jsonl").write_bytes(row("assistant", edits, cwd="/work") + row("user", results, cwd="/work"))
    place = outcome.hooks_at(tmp_path)
    assert (place.project / "src/a.py").is_file()
    assert not (place.root / "b.py").exists()
