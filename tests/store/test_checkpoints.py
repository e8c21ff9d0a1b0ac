import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.store import checkpoints

HOOKS = Path(__file__).resolve().parents[2] / "hooks"


def test_numbers_rise_and_the_newest_counts(tmp_path: Path) -> None:
    """Each has a number of its own; only the newest are kept, each in both forms."""
    folder = str(tmp_path / "c")
    saved = [checkpoints.save(folder, {"n": n}, f"# {n}") for n in range(checkpoints.KEPT + 5)]
    assert [data["number"] for data in saved] == list(range(1, checkpoints.KEPT + 6))
    assert checkpoints.newest(folder) == saved[-1]
    assert len(os.listdir(folder)) == 2 * checkpoints.KEPT
    assert Path(checkpoints.readable_path(folder, saved[-1])).read_text() == f"# {checkpoints.KEPT + 4}"


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"v": 1}', b'{"v": 9, "whole": true}'],
    ids=["empty", "torn", "list", "not whole", "version"],
)
def test_a_torn_checkpoint_is_passed_over(tmp_path: Path, data: bytes) -> None:
    """The newest whole one counts, and its number is not used again."""
    folder = str(tmp_path)
    first = checkpoints.save(folder, {"n": 1}, "")
    (tmp_path / "0002.json").write_bytes(data)
    (tmp_path / "notes.json").write_text("x")
    assert checkpoints.newest(folder) == first
    assert checkpoints.save(folder, {"n": 3}, "")["number"] == 3


def test_nothing_saved(tmp_path: Path) -> None:
    """No checkpoint, no path."""
    assert checkpoints.newest(str(tmp_path / "none")) == {}
    assert checkpoints.readable_path("/c", {}) == ""


def test_a_number_that_was_used_meanwhile_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that looked before another one saved takes the next number."""
    folder = str(tmp_path)
    first = checkpoints.save(folder, {"n": "first"}, "")
    seen = checkpoints._numbers
    monkeypatch.setattr(checkpoints, "_numbers", lambda folder: [])
    second = checkpoints.save(folder, {"n": "second"}, "")
    monkeypatch.setattr(checkpoints, "_numbers", seen)
    assert (first["number"], second["number"]) == (1, 2)
    assert sorted(os.listdir(folder)) == ["0001.json", "0001.md", "0002.json", "0002.md"]


def test_parallel_saves(tmp_path: Path) -> None:
    """Six processes, each with numbers of its own."""
    code = (
        "import sys; from holdfast.store import checkpoints as c\n"
        "for n in range(3): print(c.save(sys.argv[1], {}, 'x')['number'])"
    )
    command = [sys.executable, "-S", "-c", code, str(tmp_path)]
    started = [
        subprocess.Popen(command, env={"PYTHONPATH": str(HOOKS)}, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    numbers = [int(line) for process in started for line in process.communicate()[0].split()]
    assert len(numbers) == len(set(numbers)) == 18
    assert not list(tmp_path.glob("*.lock"))
