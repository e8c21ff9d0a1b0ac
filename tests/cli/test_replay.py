import json
from pathlib import Path

import pytest

from holdfast.cli.main import main

ROWS = [
    {
        "type": "assistant",
        "message": {
            "id": "1",
            "model": "claude-opus-4-5",
            "usage": {"input_tokens": 1000},
            "content": [{"type": "tool_use", "id": "c", "name": "Task", "input": {"prompt": "p"}}],
        },
    },
    {
        "type": "user",
        "message": {
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c",
                    "content": "\n".join(f"- `readSession{n}` fails in src/p{n}.py." for n in range(90)),
                }
            ]
        },
    },
    {
        "type": "assistant",
        "message": {
            "id": "2",
            "usage": {"input_tokens": 9000},
            "content": [{"type": "text", "text": "Fix readSession1."}],
        },
    },
    {"type": "system", "subtype": "compact_boundary"},
]


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """One session with one report and one compaction."""
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_people_get_lines(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder is as good as a file, and the text says how tokens were counted."""
    assert main(["replay", str(transcript.parent)]) == 0
    shown = capsys.readouterr().out
    assert "tokens by cl100k" in shown
    assert "over the limit 1 -> 0" in shown


@pytest.mark.parametrize(("name", "message"), [("gone", "no such file"), ("empty.jsonl", "holds no transcript rows")])
def test_bad_input_is_one_line(tmp_path: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What, where, what to do; exit 1."""
    (tmp_path / "empty.jsonl").write_text("")
    assert main(["replay", str(tmp_path / name)]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
