import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.text.tokens import estimate

RESULT = "def check(session):\n    return session.valid\n"


def session(factor: float, turns: int) -> list[dict[str, Any]]:
    """A session in which every turn grows by `factor` times the estimate of its result."""
    rows: list[dict[str, Any]] = []
    size = 20_000
    for number in range(turns + 1):
        answer = {"id": f"m{number}", "model": "claude-opus-4-6", "content": []}
        rows.append({"type": "assistant", "message": {**answer, "usage": {"cache_read_input_tokens": size}}})
        said = RESULT * (10 + number % 7 * 20)
        rows.append({"type": "user", "message": {"content": [{"type": "tool_result", "content": said}]}})
        size += round(factor * estimate(said, "old"))
    return rows


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_what_a_session_teaches_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Texts that are a fifth longer than estimated: off by a sixth before, right afterwards."""
    written(tmp_path / "team" / "a.jsonl", session(1.2, 60))
    assert main(["bench", "tokens", "--data", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in told["rows"]] == ["team", "all"]
    row = told["rows"][-1]
    assert row["turns"] == 60
    assert row["text"][0] == pytest.approx(1 / 6, abs=0.001)
    assert row["calibrated"][0] < 0.01
    assert row["window"][1] < row["calibrated"][1]
    assert row["window_after_ten"][0] < 0.05
    assert not told["missed"]


def test_a_missed_target_is_exit_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And said, under the table."""
    written(tmp_path / "a.jsonl", session(2.0, 4))
    assert main(["bench", "tokens", "--data", str(tmp_path)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "target: median of calibrated below 5% over all: MISSED"
    assert [line.split()[0] for line in told[1:-1]] == ["sessions", tmp_path.name, "all"]


@pytest.mark.parametrize(
    ("rows", "words"),
    [(None, "--data: needs recorded sessions"), ([{"type": "user"}], "no session has two usages in one window")],
    ids=["no data", "no usages"],
)
def test_bad_input_is_one_line(
    rows: list[dict[str, Any]] | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1 with what is missing."""
    data = ["--data", str(written(tmp_path / "a.jsonl", rows).parent)] if rows else []
    assert main(["bench", "tokens", *data]) == 1
    assert words in capsys.readouterr().err
