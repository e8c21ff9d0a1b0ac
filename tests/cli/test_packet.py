import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main

ROWS: list[dict[str, Any]] = [
    {"type": "user", "message": {"content": "Move the login to tokens.\nRULE: never touch the migrations."}},
    {
        "type": "assistant",
        "message": {
            "content": [
                {"type": "text", "text": "DECISION: keep `loadSession` for a week, because old cookies live on."},
                {"type": "tool_use", "id": "e", "name": "Edit", "input": {"file_path": "/p/src/login.py"}},
            ]
        },
    },
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "e", "content": "ok"}]}},
]


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS) + "{torn\n")
    return path


def test_it_prints_what_a_session_would_get(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The frame, the sections, and on stderr how many lines were skipped."""
    assert main(["packet", "--transcript", str(transcript)]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Holdfast: state of this work")
    assert "- rule (user): never touch the migrations." in told.out
    assert "keep `loadSession` for a week" in told.out
    assert "login.py" in told.out
    assert "1 line of" in told.err


@pytest.mark.parametrize("chars", [500, 10_000])
def test_it_keeps_to_the_characters_asked_for(transcript: Path, chars: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON form tells the size, frame included."""
    main(["packet", "--transcript", str(transcript), "--max-chars", str(chars), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["characters"] <= chars, told["skipped"]) == (True, 1)


def test_a_summary_makes_it_smaller(transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = tmp_path / "summary.txt"
    summary.write_text('RULE R1: "never touch the migrations."\nNEXT N1: the tests.')
    main(["packet", "--transcript", str(transcript)])
    whole = capsys.readouterr().out
    main(["packet", "--transcript", str(transcript), "--summary", str(summary)])
    beside = capsys.readouterr().out
    assert len(beside) < len(whole)
    assert "- rule (user)" not in beside


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--transcript", "/nowhere.jsonl"], "no such transcript", id="no file"),
        pytest.param(["--transcript", "{}", "--max-chars", "20"], "500 or more", id="no room"),
        pytest.param(["--transcript", "{}", "--summary", "/nowhere.txt"], "/nowhere.txt", id="no summary"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], words: str, transcript: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["packet", *(part.format(transcript) for part in arguments)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert words in told[-1]


def test_what_the_summariser_would_be_asked(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packet", "--transcript", str(transcript), "--instructions"]) == 0
    assert "- marked as rule by the user: never touch the migrations." in capsys.readouterr().out
