import json
from pathlib import Path

import pytest

from holdfast.worklog import fold, growth


def _rows(count: int) -> bytes:
    return b"".join(
        json.dumps({"type": "user", "message": {"content": f"wish {number}"}}).encode() + b"\n"
        for number in range(count)
    )


def test_a_usual_growth_is_read_whole(tmp_path: Path) -> None:
    """Nothing is left out."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(_rows(50))
    work = growth.folded(str(path), fold.empty(), path.stat().st_size)
    assert [prompt["text"] for prompt in work["prompts"]] == [f"wish {number}" for number in range(50)]
    assert (work["offset"], work["left_out"]) == (path.stat().st_size, 0)


def test_of_very_much_the_beginning_and_the_end_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The goal and the newest rows are there, each row whole, and the bytes between are counted."""
    monkeypatch.setattr(growth, "WHOLE", 2_000)
    monkeypatch.setattr(growth, "HEAD", 300)
    monkeypatch.setattr(growth, "TAIL", 700)
    path = tmp_path / "s.jsonl"
    path.write_bytes(_rows(100))
    size = path.stat().st_size
    work = growth.folded(str(path), fold.empty(), size)
    texts = [prompt["text"] for prompt in work["prompts"]]
    assert texts[0] == work["goal"] == "wish 0"
    assert texts[-1] == "wish 99"
    assert "wish 50" not in texts
    assert work["skipped"] == 0
    assert work["offset"] == size
    assert 0 < work["left_out"] < size - 900
    path.write_bytes(_rows(101))
    grown = growth.folded(str(path), work, path.stat().st_size)
    assert grown["prompts"][-1]["text"] == "wish 100"
    assert grown["left_out"] == work["left_out"]


def test_one_row_larger_than_the_end_leaves_the_state_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no row to read in the end; the beginning counts."""
    monkeypatch.setattr(growth, "WHOLE", 2_000)
    monkeypatch.setattr(growth, "HEAD", 300)
    monkeypatch.setattr(growth, "TAIL", 700)
    path = tmp_path / "s.jsonl"
    path.write_bytes(_rows(3) + json.dumps({"type": "user", "message": {"content": "x" * 5_000}}).encode() + b"\n")
    work = growth.folded(str(path), fold.empty(), path.stat().st_size)
    assert work["goal"] == "wish 0"
    assert work["offset"] == path.stat().st_size
