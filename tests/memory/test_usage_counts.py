import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

from holdfast.memory import cache as memory_cache
from holdfast.memory import usage_counts
from holdfast.memory.usage_counts import Use

ONE, TWO = "1a2b3c4d-1111-4111-8111-111111111111", "2a2b3c4d-1111-4111-8111-111111111111"


def test_uses_are_counted_and_added_up(tmp_path: Path) -> None:
    """The same before and after adding up; what is noted later is added to it."""
    cache = str(tmp_path / "cache")
    assert usage_counts.load(cache) == {}
    usage_counts.note(cache, [ONE, TWO, ONE], 1_000.9)
    usage_counts.note(cache, [], 2_000)
    expected = {ONE: Use(2, 1_000), TWO: Use(1, 1_000)}
    assert usage_counts.load(cache) == expected
    usage_counts.fold(cache)
    assert usage_counts.load(cache) == expected
    assert not list((tmp_path / "cache").glob("access.*.log"))
    usage_counts.note(cache, [ONE], 3_000)
    usage_counts.fold(cache)
    assert usage_counts.load(cache) == {**expected, ONE: Use(3, 3_000)}


def test_what_is_forgotten_is_nowhere(tmp_path: Path) -> None:
    """Neither in the counts nor in the log."""
    usage_counts.note(str(tmp_path), [ONE, TWO], 1_000)
    usage_counts.fold(str(tmp_path), {ONE})
    assert usage_counts.load(str(tmp_path)) == {TWO: Use(1, 1_000)}
    assert not [path for path in tmp_path.iterdir() if ONE in path.read_text()]


def test_a_process_killed_while_adding_up_counts_nothing_twice(tmp_path: Path) -> None:
    """The counts name the logs that are in them; one that is still there is not added again."""
    cache = str(tmp_path)
    usage_counts.note(cache, [ONE], 1_000)
    os.rename(tmp_path / memory_cache.USED, tmp_path / "access.1f.log")
    assert usage_counts.load(cache) == {ONE: Use(1, 1_000)}
    saved = (tmp_path / "access.1f.log").read_text()
    usage_counts.fold(cache)
    (tmp_path / "access.1f.log").write_text(saved)
    assert usage_counts.load(cache) == {ONE: Use(1, 1_000)}
    usage_counts.fold(cache)
    usage_counts.fold(cache)
    assert usage_counts.load(cache) == {ONE: Use(1, 1_000)}


def test_damage_is_passed_over(tmp_path: Path) -> None:
    """A torn line, a foreign file of counts."""
    (tmp_path / memory_cache.USED).write_text(f"{ONE} 10\n{ONE}\n{TWO} x\n{ONE} 1")
    (tmp_path / memory_cache.COUNTS).write_text('{"v": 1, "counts": {"a": 1, "b": [1, "x"]}, "done": []}')
    assert usage_counts.load(str(tmp_path)) == {ONE: Use(2, 10)}
    (tmp_path / memory_cache.COUNTS).write_text("[]")
    assert usage_counts.load(str(tmp_path)) == {ONE: Use(2, 10)}


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.memory import usage_counts as accesses
for number in range(200):
    accesses.note(sys.argv[2], [sys.argv[3]], number)
"""


def test_several_processes_note_at_once(tmp_path: Path) -> None:
    """Nothing is lost without a lock."""
    hooks = str(Path(__file__).resolve().parents[2] / "hooks")
    running = [subprocess.Popen([sys.executable, "-c", WRITER, hooks, str(tmp_path), ONE]) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert usage_counts.load(str(tmp_path)) == {ONE: Use(800, 199)}


def test_since_when_is_counted(tmp_path: Path) -> None:
    """From the first adding up on, and as long as the counts are there; a clock that went ahead is put right."""
    cache = str(tmp_path)
    usage_counts.note(cache, [ONE], 1_000)
    assert usage_counts.since(cache) == math.inf
    before = time.time()
    usage_counts.fold(cache)
    since = usage_counts.since(cache)
    assert before <= since <= time.time()
    usage_counts.fold(cache)
    assert usage_counts.since(cache) == since
    whole = json.loads((tmp_path / memory_cache.COUNTS).read_text())
    (tmp_path / memory_cache.COUNTS).write_text(json.dumps({**whole, "since": since + 1e6}))
    usage_counts.fold(cache)
    assert usage_counts.since(cache) <= time.time()
    (tmp_path / memory_cache.COUNTS).write_text(json.dumps({**whole, "since": "1"}))
    assert usage_counts.since(cache) == math.inf
