import json
from pathlib import Path

import pytest

from holdfast.cli.main import main
from tests.worklog import states

ROWS = [
    *states.user("Repair the login handling today"),
    *states.told("It is stale."),
    *states.edit("/p/login.py", "x"),
    *states.boundary(),
    *states.user("We repaired something.", isCompactSummary=True),
    *states.told("On."),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one session that has one compaction, and its labelled facts beside it."""
    for name in ("data", "facts"):
        (tmp_path / name).mkdir()
    (tmp_path / "data" / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    label = {"transcript": "x/s.jsonl", "compaction": 0, "facts": [{"must": ["login.py"], "importance": 3}]}
    (tmp_path / "facts" / "s__0.json").write_text(json.dumps(label))
    return tmp_path


def test_what_each_text_holds(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The client's summary, what is told without one, and both; labelled facts; seconds."""
    assert main(["bench", "duel", "--data", str(data / "data"), "--facts", str(data / "facts"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    held = [(row["must"], row["must_held"]) for row in told["rows"]]
    assert held == [(3, 0), (3, 3), (3, 3)]
    assert told["facts"][-1] == {"name": "mean", "told": 1.0, "summary": 0.0, "both": 1.0}
    assert told["seconds"]["bytes"] > 0
    main(["bench", "duel", "--data", str(data / "data"), "--facts", str(data / "facts")])
    assert capsys.readouterr().out.startswith("1 compactions; facts of the record")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--data: needs recorded sessions"),
        (["--data", "/nowhere"], "no such file or folder"),
        (["--data", "{}"], "no compaction in there"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1 with what is missing."""
    (tmp_path / "s.jsonl").write_text(json.dumps(ROWS[0]) + "\n")
    assert main(["bench", "duel", *(part.format(tmp_path) for part in arguments)]) == 1
    assert words in capsys.readouterr().err
