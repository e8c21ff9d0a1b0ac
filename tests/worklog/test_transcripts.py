import json
from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.worklog import transcripts


def _row(text: str) -> str:
    return json.dumps({"type": "user", "message": {"content": text}}) + "\n"


def test_only_the_growth_is_read(tmp_path: Path) -> None:
    """A state that is given is brought up to date from where it ended; the half-written last line waits."""
    path = tmp_path / "s.jsonl"
    path.write_text(_row("one") + _row("two")[:9])
    work = transcripts.work_of(str(path))
    assert [prompt["text"] for prompt in work["prompts"]] == ["one"]
    path.write_text(_row("one") + _row("two"))
    grown = transcripts.work_of(str(path), work)
    assert grown == transcripts.work_of(str(path))
    assert grown["offset"] == path.stat().st_size


def test_a_line_longer_than_a_piece_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces grow until a whole line fits."""
    monkeypatch.setattr(transcripts, "PIECE", 50)
    path = tmp_path / "s.jsonl"
    path.write_text(_row("a") + _row("word " * 200) + _row("z"))
    assert [prompt["text"][:4] for prompt in transcripts.work_of(str(path))["prompts"]] == ["a", "word", "z"]


def test_a_file_that_is_not_there_is_named() -> None:
    """One line: what, where, what to do."""
    with pytest.raises(BadInput, match=r"/nowhere\.jsonl: no such transcript"):
        transcripts.work_of("/nowhere.jsonl")
