import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.session import liveness, worklog
from holdfast.session.event import from_fields

RULED = "Move the login to tokens.\nRULE: never touch the migrations."
DECISION = f"keep `loadSession` for a week, because old cookies live on{', wherever they were set' * 3}"
DECIDED = {"type": "text", "text": f"DECISION: {DECISION}."}
EDIT = {"type": "tool_use", "id": "e", "name": "Edit", "input": {"file_path": "/p/src/login.py"}}
ROWS: list[dict[str, Any]] = [
    {"type": "user", "message": {"content": RULED}},
    {"type": "assistant", "message": {"content": [DECIDED, EDIT]}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "e", "content": "ok"}]}},
]


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS) + "{torn\n")
    return path


def test_it_prints_what_a_session_would_get(
    transcript: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The frame, the sections in whole lines, and on stderr how many lines were skipped."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["packet", "--transcript", str(transcript)]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Holdfast's notes on this session")
    for part in ("- rule (user): never touch the migrations.", DECISION, "login.py"):
        assert part in told.out
    assert "1 line of" in told.err
    main(["packet", "--transcript", str(transcript), "--instructions"])
    assert "- marked as rule by the user: never touch the migrations." in capsys.readouterr().out


@pytest.mark.parametrize("chars", [500, 10_000])
def test_it_keeps_to_the_characters_asked_for(transcript: Path, chars: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON form tells the size, frame included."""
    main(["packet", "--transcript", str(transcript), "--max-chars", str(chars), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["characters"] <= chars, told["skipped"]) == (True, 1)


def test_what_the_clients_summary_says_is_left_out(
    transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = tmp_path / "summary.txt"
    summary.write_text('RULE R1: "never touch the migrations."\nNEXT N1: the tests.')
    main(["packet", "--transcript", str(transcript), "--summary", str(summary)])
    told = capsys.readouterr().out
    assert ("- rule (user)" in told, "beside the summary" in told) == (False, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--transcript /nowhere.jsonl", "no such transcript"),
        ("--transcript {} --max-chars 20", "500 or more"),
        ("--transcript {} --summary /nowhere.txt", "/nowhere.txt: cannot be read (No such file or directory)"),
    ],
    ids=["no file", "no room", "no summary"],
)
def test_bad_input_is_one_line(
    arguments: str, words: str, transcript: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["packet", *arguments.format(transcript).split()]) == 1
    assert words in capsys.readouterr().err.splitlines()[-1]


def test_what_only_the_client_knew_is_said(
    transcript: Path, session_of: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of what a program handed in; where the hooks have read it here, theirs is told."""
    row = {**ROWS[0], "entrypoint": "sdk-cli"}
    transcript.write_text(json.dumps(row) + "\n")
    main(["packet", "--transcript", str(transcript)])
    told = capsys.readouterr()
    assert "- rule (user): never touch" in told.out
    assert f"1 prompt of {transcript} came through a program: told as the user's here" in told.err
    event = from_fields({"session_id": "s", "transcript_path": str(transcript)}, "SessionStart")
    session = session_of(event)
    liveness.opened(event, session)
    worklog.fold(event, session)
    main(["packet", "--transcript", str(transcript)])
    told = capsys.readouterr()
    assert ("rule (user)" in told.out, "came through" in told.err) == (False, False)
