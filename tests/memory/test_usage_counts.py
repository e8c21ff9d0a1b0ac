"""How often records were used: counted by any number of processes without a lock."""

import math
import subprocess
import sys
from pathlib import Path

from holdfast.memory import usage_counts
from holdfast.memory.cache import USED
from holdfast.memory.usage_counts import Use

ONE, TWO = "1a2b3c4d-1111-4111-8111-111111111111", "2a2b3c4d-1111-4111-8111-111111111111"


def test_uses_are_counted_and_added_up(tmp_path: Path) -> None:
    """The same before and after adding up; what is noted later is added to it; what is forgotten is nowhere."""
    cache = str(tmp_path / "cache")
    assert (usage_counts.load(cache), usage_counts.since(cache)) == ({}, math.inf)
    usage_counts.note(cache, [ONE, TWO, ONE], 1_000.9)
    expected = {ONE: Use(2, 1_000), TWO: Use(1, 1_000)}
    assert (usage_counts.load(cache), usage_counts.since(cache)) == (expected, math.inf)
    usage_counts.fold(cache, 1_500)
    usage_counts.note(cache, [ONE], 3_000)
    usage_counts.fold(cache, 4_000)
    assert usage_counts.load(cache) == {**expected, ONE: Use(3, 3_000)}
    assert usage_counts.since(cache) == 1_500
    usage_counts.fold(cache, 1_400, {ONE})  # a clock that went ahead is put right
    assert (usage_counts.load(cache), usage_counts.since(cache)) == ({TWO: Use(1, 1_000)}, 1_400)
    assert ONE not in (tmp_path / "cache" / USED).read_text()


def test_damage_is_passed_over(tmp_path: Path) -> None:
    """Torn lines, and what is no number."""
    (tmp_path / USED).write_text(f"{ONE} 10\n{ONE}\n{TWO} x\n{TWO} 1 2 3\n\n{ONE} 1")
    assert usage_counts.load(str(tmp_path)) == {ONE: Use(2, 10)}


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.memory import usage_counts
for number in range(200):
    usage_counts.note(sys.argv[2], [sys.argv[3]], number)
"""


def test_several_processes_note_at_once(tmp_path: Path) -> None:
    """Nothing is lost."""
    hooks = str(Path(__file__).resolve().parents[2] / "hooks")
    running = [subprocess.Popen([sys.executable, "-c", WRITER, hooks, str(tmp_path), ONE]) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert usage_counts.load(str(tmp_path)) == {ONE: Use(800, 199)}
