import json
from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.worklog import model, reader


def wishes(count: int) -> bytes:
    """A transcript of so many prompts."""
    rows = ({"type": "user", "message": {"content": f"wish {number}"}} for number in range(count))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that a short transcript exceeds."""
    for name, size in (("WHOLE", 2_000), ("HEAD", 300), ("TAIL", 700), ("PIECE", 50)):
        monkeypatch.setattr(reader, name, size)


def test_a_usual_growth_is_read_whole(tmp_path: Path) -> None:
    """Nothing is left out."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(wishes(50))
    work = reader.grown(str(path), model.empty(), path.stat().st_size)
    assert [prompt["text"] for prompt in work["prompts"]] == [f"wish {number}" for number in range(50)]
    assert work["offset"] == path.stat().st_size


@pytest.mark.usefixtures("small")
def test_of_very_much_the_beginning_and_the_end_are_read(tmp_path: Path) -> None:
    """The first and the newest prompts are there, each row whole."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(wishes(100))
    size = path.stat().st_size
    work = reader.grown(str(path), model.empty(), size)
    texts = [prompt["text"] for prompt in work["prompts"]]
    assert (texts[0], texts[-1]) == ("wish 0", "wish 99")
    assert "wish 50" not in texts
    assert (work["skipped"], work["offset"]) == (0, size)
    path.write_bytes(wishes(101))
    grown = reader.grown(str(path), work, path.stat().st_size)
    assert (grown["prompts"][-1]["text"], len(grown["prompts"])) == ("wish 100", len(texts) + 1)


@pytest.mark.usefixtures("small")
def test_one_row_larger_than_the_end_leaves_the_state_usable(tmp_path: Path) -> None:
    """There is no row to read in the end; the beginning counts."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(wishes(3) + json.dumps({"type": "user", "message": {"content": "x" * 5_000}}).encode() + b"\n")
    work = reader.grown(str(path), model.empty(), path.stat().st_size)
    assert (work["prompts"][0]["text"], work["offset"]) == ("wish 0", path.stat().st_size)


@pytest.mark.usefixtures("small")
def test_a_whole_file_is_read_in_pieces(tmp_path: Path) -> None:
    """Lines longer than a piece too; a state that is given is brought up to date; a half-written line waits."""
    path, long = tmp_path / "s.jsonl", json.dumps({"type": "user", "message": {"content": "word " * 200}}).encode()
    path.write_bytes(wishes(1) + long + b"\n" + wishes(1)[:9])
    work = reader.read_whole(str(path))
    assert [prompt["text"][:4] for prompt in work["prompts"]] == ["wish", "word"]
    path.write_bytes(wishes(1) + long + b"\n" + wishes(1))
    assert reader.read_whole(str(path), work) == reader.read_whole(str(path))


@pytest.mark.parametrize(("end", "texts"), [(-1, ["wish 0", "wish 1"]), (-9, ["wish 0"])])
def test_a_last_row_without_a_line_break_counts_when_it_is_whole(tmp_path: Path, end: int, texts: list[str]) -> None:
    """A copied transcript may end so; half a row is left for the next reading."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(wishes(2)[:end])
    work = reader.read_whole(str(path))
    assert [prompt["text"] for prompt in work["prompts"]] == texts


def test_a_file_that_is_not_there_is_named() -> None:
    """One line: what, where, what to do."""
    with pytest.raises(BadInput, match=r"/nowhere\.jsonl: no such transcript"):
        reader.read_whole("/nowhere.jsonl")
