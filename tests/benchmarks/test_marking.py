import json
from pathlib import Path

import pytest

from holdfast.cli.main import main


def test_what_agents_marked_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    """The replies that are kept: one recommendation has no mark, nothing is read that is not meant."""
    assert main(["bench", "marking", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    rows = {row["of"]: row for row in told["rows"]}
    assert {sort: (rows[sort]["found"], rows[sort]["asked"]) for sort in ("rule", "decision", "lesson", "none")} == {
        "rule": (12, 12),
        "decision": (11, 12),
        "lesson": (6, 6),
        "none": (0, 0),
    }
    assert (rows["all"]["false"], rows["rule"]["users"], rows["none"]["adds"]) == (0, 12, 0)


def test_misses_and_false_marks_are_exit_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And said, under the table."""
    user = "For once, no tests."
    replies = {"rule": "Done.", "none": "RULE: no tests"}
    data = [{"language": "en", "sort": sort, "user": user, "reply": reply} for sort, reply in replies.items()]
    (tmp_path / "some.json").write_text(json.dumps(data))
    assert main(["bench", "marking", "--data", str(tmp_path / "some.json")]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("targets: MISSED: recall of rules, decisions >= 0.9")
    assert main(["bench", "marking", "--data", str(tmp_path / "none.json")]) == 1
