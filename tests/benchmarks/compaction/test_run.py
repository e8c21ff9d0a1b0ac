import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main


def _rows() -> list[dict[str, Any]]:
    use = {
        "type": "tool_use",
        "id": "e",
        "name": "Edit",
        "input": {"file_path": "/p/login.py", "new_string": "loadSession"},
    }
    return [
        {"type": "user", "message": {"content": "Repair the login handling today"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "loadSession is stale."}, use]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "e", "content": "ok"}]}},
        {"type": "system", "subtype": "compact_boundary"},
        {"type": "user", "isCompactSummary": True, "message": {"content": "We repaired something."}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Now loadSession again."}]}},
    ]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one session that has one compaction, and its labelled facts beside it."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in _rows()))
    facts = tmp_path / "facts"
    facts.mkdir()
    label = {"transcript": "x/s.jsonl", "compaction": 0, "facts": [{"must": ["login.py"], "importance": 3}]}
    (facts / "s__0.json").write_text(json.dumps(label))
    return tmp_path


def test_every_contender_is_scored(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The client's summary, two naive texts, the packet at both sizes, and both together."""
    code = main(["bench", "duel", "--data", str(data / "data"), "--facts", str(data / "facts"), "--json"])
    told = json.loads(capsys.readouterr().out)
    rows = {row["name"]: row for row in told["rows"]}
    assert rows["client's own summary"]["edited"] == 0.0
    assert rows["packet, 10,000"]["edited"] == 1.0
    assert rows["packet, 5,000"]["max_chars"] <= 5_000
    assert rows["packet, 10,000"]["identifiers"] == 1.0
    assert told["facts"][-1] == {
        "name": "mean",
        "packet": [1.0, 1.0],
        "before_index": [1.0, 1.0],
        "summary": [0.0, 0.0],
    }
    assert told["seconds"]["cold"] > 0
    assert code == (1 if told["missed"] else 0)


def test_the_table_is_for_people(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per contender and the time at the end."""
    main(["bench", "duel", "--data", str(data / "data")])
    told = capsys.readouterr().out
    assert told.startswith("1 compactions; shares kept")
    assert "a packet for" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param([], "--data: needs recorded sessions", id="no data"),
        pytest.param(["--data", "/nowhere"], "no such file or folder", id="no folder"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1 with what is missing."""
    assert main(["bench", "duel", *arguments]) == 1
    assert words in capsys.readouterr().err


def test_sessions_without_a_compaction_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to compare."""
    (tmp_path / "s.jsonl").write_text(json.dumps(_rows()[0]) + "\n")
    assert main(["bench", "duel", "--data", str(tmp_path)]) == 1
    assert "no compaction in there" in capsys.readouterr().err
