from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.worklog import model, reader
from holdfast.worklog.model import Worklog
from tests.worklog.states import lines, user


def wishes(count: int) -> bytes:
    return lines(*(user(f"wish {number}") for number in range(count)))


def heard(work: Worklog) -> list[str]:
    return [prompt["text"] for prompt in work["prompts"]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece that holds a few rows."""
    monkeypatch.setattr(reader, "PIECE", 300)


@pytest.mark.parametrize("count", [3, 10])
def test_a_usual_growth_is_read_whole(path: Path, count: int) -> None:
    path.write_bytes(wishes(count))
    work = reader.grown(str(path), model.empty(), path.stat().st_size)
    assert heard(work) == [f"wish {number}" for number in range(count)]
    assert work["offset"] == path.stat().st_size


def test_of_very_much_the_beginning_and_the_end_are_read(path: Path) -> None:
    """The first and the newest prompts are there, each row whole."""
    path.write_bytes(wishes(100))
    size = path.stat().st_size
    work = reader.grown(str(path), model.empty(), size)
    texts = heard(work)
    assert (texts[0], texts[-1]) == ("wish 0", "wish 99")
    assert "wish 50" not in texts
    assert (work["skipped"], work["offset"]) == (0, size)
    path.write_bytes(wishes(101))
    assert heard(reader.grown(str(path), work, path.stat().st_size)) == [*texts, "wish 100"]


def test_one_row_larger_than_the_end_leaves_the_state_usable(path: Path) -> None:
    """There is no row to read in the end; the beginning counts."""
    path.write_bytes(wishes(3) + lines(user("x" * 5_000)))
    work = reader.grown(str(path), model.empty(), path.stat().st_size)
    assert (work["prompts"][0]["text"], work["offset"]) == ("wish 0", path.stat().st_size)


def test_a_whole_file_is_read_in_pieces(path: Path) -> None:
    """Lines longer than a piece too; a state that is given is brought up to date; a half-written line waits."""
    long = lines(user("word " * 400))
    path.write_bytes(wishes(1) + long + wishes(1)[:9])
    work = reader.read_whole(str(path))
    assert [text[:4] for text in heard(work)] == ["wish", "word"]
    path.write_bytes(wishes(1) + long + wishes(1))
    assert reader.read_whole(str(path), work) == reader.read_whole(str(path))


@pytest.mark.parametrize(("end", "texts"), [(-1, ["wish 0", "wish 1"]), (-9, ["wish 0"])])
def test_a_last_row_without_a_line_break_counts_when_it_is_whole(path: Path, end: int, texts: list[str]) -> None:
    """A copied transcript may end so; half a row is left for the next reading."""
    path.write_bytes(wishes(2)[:end])
    work = reader.read_whole(str(path))
    assert heard(work) == texts
    path.write_bytes(wishes(3))
    assert heard(reader.read_whole(str(path), work)) == ["wish 0", "wish 1", "wish 2"]


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match=r"/nowhere\.jsonl: no such transcript"):
        reader.read_whole("/nowhere.jsonl")
