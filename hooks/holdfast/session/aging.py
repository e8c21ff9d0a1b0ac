"""What has had its time by the clock, and may it go now? The one place that decides, for whatever is aged out.

A clock may be wrong for a while, and what is deleted does not come back. So a thing goes only once every run of 20
hours has found it due, counted by the machine's own counter: the clock may say less, not more. Over a start of the
machine, which sets the counter back, it may add a third of that, so that things go where a machine is started every
day. What remains: a clock that is wrong at every run of 20 true hours, or jumps ahead anew at three starts.
"""

import time
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.hot.files import read_bytes, read_text, write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.hot.provenance import bears, is_plain, marked

DUE_FOR = 20 * 3_600
"""Seconds from the first run that finds a thing due to the one that lets it go, at least."""


class Clock(NamedTuple):
    """A moment by the clock, and by the counter of a start of this machine; boot: which start, "" where none tells."""

    now: float
    boot: str
    counted: float


def due(folder: str, names: Iterable[str], now: float, note: bool = True) -> set[str]:
    """Of the things in this folder that have had their time by the clock those that may go now.

    What was noted counts only where this machine has noted it; a disk that refuses keeps everything. note: False where
    this is no run, but a question.
    """
    path, clock = f"{folder}/going.json", Clock(now, *counter())
    known = loads_object(read_bytes(path)) if is_plain(path) else {}
    try:
        passed = _passed(Clock(*known["clock"]), clock)
        is_ours = bears(folder, known.get("made"))
        before = {name: float(seconds) + passed for name, seconds in known["due_for"].items()} if is_ours else {}
    except (KeyError, TypeError, ValueError, AttributeError):  # of another version
        before = {}
    due_for = {name: before.get(name, 0.0) for name in names}
    try:
        if note and (due_for or before):
            write_atomic(path, dumps({"made": marked(folder), "clock": clock, "due_for": due_for}))
    except OSError:
        return set()
    return {name for name, seconds in due_for.items() if seconds >= DUE_FOR}


def counter() -> tuple[str, float]:
    """Which start of the machine this is, "" where it does not tell, and the seconds since, sleep included."""
    boot = read_text("/proc/sys/kernel/random/boot_id", 100).strip()
    return boot, time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _passed(before: Clock, clock: Clock) -> float:
    """Seconds between two runs, as few as they may have been."""
    is_one_start = before.boot == clock.boot and before.counted <= clock.counted
    at_most = clock.counted - before.counted if is_one_start else clock.counted + DUE_FOR / 3
    return max(0.0, min(clock.now - before.now, at_most))
