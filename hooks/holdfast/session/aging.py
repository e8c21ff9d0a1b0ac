"""What has had its time by the clock, and may it go now? The one place that decides, for whatever is aged out.

A clock may be wrong for a while, and what is deleted does not come back. So a thing goes only in a second run, at least
20 hours after the first one that found it due, and only by a clock that has run evenly in between: not back, not over
60 days at once, and as far as the machine's own counter since it was started. Otherwise all begins anew.
"""

import time
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.hot.files import read_bytes, read_text, write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.hot.provenance import bears, is_plain, marked
from holdfast.text.dates import DAY

BETWEEN = 20 * 3_600
"""Seconds between the two runs, at least."""


class Clock(NamedTuple):
    """A moment by the clock, and by the counter of a start of this machine; "" where it has none."""

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
        is_ours = bears(folder, known.get("made")) and _ran_evenly(Clock(*known["clock"]), clock)
        before = {name: float(first) for name, first in known["since"].items()} if is_ours else {}
    except (KeyError, TypeError, ValueError, AttributeError):  # of another version
        before = {}
    since = {name: before.get(name, now) for name in names}
    try:
        if note and (since or before):
            write_atomic(path, dumps({"made": marked(folder), "clock": clock, "since": since}))
    except OSError:
        return set()
    return {name for name, first in since.items() if now - first >= BETWEEN}


def counter() -> tuple[str, float]:
    """Which start of the machine this is, and the seconds since, sleep included; ("", 0) where it does not tell."""
    boot = read_text("/proc/sys/kernel/random/boot_id", 100).strip()
    return (boot, time.clock_gettime(time.CLOCK_BOOTTIME)) if boot else ("", 0.0)


def _ran_evenly(before: Clock, clock: Clock) -> bool:
    passed = clock.now - before.now
    is_one_start = before.boot == clock.boot != ""
    agrees = not is_one_start or abs(passed - (clock.counted - before.counted)) <= BETWEEN / 20
    return 0 <= passed <= 60 * DAY and agrees
