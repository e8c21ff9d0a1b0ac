"""Folders of recorded reports for those who read them are made, and their grades are counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import handoffs
from holdfast.errors import BadInput
from holdfast.handoff.outline import MARK
from tryout.recording import carried

ANSWER = """Decision: PROCEED: `OrderDesk.cancel` (inventory/orders.py) and `sweep` (inventory/sweep.py) are right; \
whichever comes second releases the same key again.
- inventory/reservations.py, `Reservations.release`: the second `held.pop(key)` raises. Use `self.held.pop(key, None)` \
and return when nothing is there. Keep `ship()` strict, leave inventory/store.py alone: others use its names.
- Open, check 172: `KeyError: 17 in inventory/reservations.py line 30: reservation 17 was released twice (BUG-217)`. \
The sweep stops there: later stale keys stay held until the next night.
- Add the test `ReleaseTwice.test_second_release_changes_nothing`, report line 83.
- check.sh prints a recorded run, after the fix too: go by the unit tests.
- Nothing here needs the KeyError; the service that runs the sweep was not seen.
- For later: what `sweep()` returns, an expiry. No file was changed.
Full report: """
"""A model's, upon the message that the first report of the session is sent back with."""
RIGHT: dict[str, Any] = {"decision": 1, "must": [6, 6], "misleading": [], "act": 2}


def test_from_a_session_to_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody who writes sees the outline, an outline is judged alone too, and each aim can be missed."""
    out = tmp_path / "out"
    with pytest.raises(BadInput, match="transcripts"):
        handoffs.main(["make", str(out)])
    assert handoffs.main(["make", str(out), "--data", str(carried(tmp_path / "data").parent)]) == 0
    first, second = places = sorted(path for path in out.iterdir() if (path / "reason.txt").is_file())
    for place in places:
        given = {path.name: path.read_text() for path in place.glob("*.txt")}
        assert given.keys() == {"task.txt", "report.txt", "reason.txt", "README.txt"}
        assert f"| {given['task.txt']}" in given["reason.txt"]
        kept = given["reason.txt"].rpartition("Full report: ")[2]
        assert Path(kept).read_text() == given["report.txt"]
        outline = (place / "judge" / "outline.txt").read_text()
        assert outline.startswith(MARK)
        assert kept in outline
    assert handoffs.main(["tally", str(out)]) == 1  # nothing is judged

    asked = (first / "reason.txt").read_text()
    (first / "answer.txt").write_text(ANSWER + asked.rpartition("Full report: ")[2])
    capsys.readouterr()
    assert handoffs.main(["judge", str(out)]) == 0
    assert capsys.readouterr().out == "01: both texts\n02: its answer is not there yet\n"
    seen = {path.name for path in (first / "judge").iterdir()}
    assert seen == {"README.txt", "task.txt", "report.txt", "answer.txt", "outline.txt"}
    assert not (second / "judge" / "answer.txt").exists()

    partly = {**RIGHT, "decision": 0.5, "must": [2, 6], "act": 1}
    told = tallied(out, {"answer": RIGHT, "outline": partly}, {"outline": partly})
    assert told == 0
    assert capsys.readouterr().out.splitlines() == [
        "answer: decision right in 1 of 1, 6 of 6 points there, 0 misleading, 0 act wrongly, 0 over 500 tokens",
        "outline: decision right in 1 of 2, 4 of 12 points there, 0 misleading, 0 act wrongly, 0 over 500 tokens",
    ]
    for name, fault in (
        *(("answer", {"decision": wrong}) for wrong in (0.5, -1)),
        *((name, fault) for name in handoffs.AIMS for fault in ({"misleading": ["x | y"]}, {"act": 0})),
    ):
        grades = {"answer": RIGHT, "outline": partly}
        grades[name] = {**grades[name], **fault}
        assert tallied(out, grades, {"outline": partly}) == 1, (name, fault)
    capsys.readouterr()
    (first / "judge" / "answer.txt").write_text((first / "report.txt").read_text())
    tallied(out, {"answer": RIGHT}, {})
    assert "1 over 500 tokens" in capsys.readouterr().out


def tallied(out: Path, *grades: dict[str, Any]) -> int:
    """With these grades of the reports."""
    for number, grade in enumerate(grades, 1):
        (out / f"{number:02}" / "judge" / "grade.json").write_text(json.dumps(grade))
    return handoffs.main(["tally", str(out)])
