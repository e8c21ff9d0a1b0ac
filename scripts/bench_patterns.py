#!/usr/bin/env python3
"""How long do patterns and scanners take on a megabyte of what is worst for them?

    python scripts/bench_patterns.py [PART OF A NAME]

Each row: seconds of the processor for a megabyte of the worst text, how many times as long that takes as a quarter
(linear: 4), and how many times as long as one pass that counts a character. The tables' patterns are tried as they are
used, by the redaction of their worst texts. Rows above 0.2 s are shown, the slowest first. That the work is linear is
shown by counting, in tests/benchmarks/test_worst_cases.py; times are of this machine.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "hooks")]

from benchmarks import scanners, worst_cases  # noqa: E402 - the checkout is found first
from holdfast.text import redaction  # noqa: E402 - as above

Row = tuple[float, float, str, str]


def measured(work: Callable[[str], object], make: Callable[[int], str], size: int = 1_000_000) -> tuple[float, float]:
    """Seconds for `size` characters, and the ratio to a quarter; of what is slow projected from less of them."""
    part, before, taken = size // 1_024, 0.0, 0.0
    while part <= size and taken < 0.5:
        before, taken = taken, _seconds(work, make(part))
        part *= 4
    return taken * size / (part // 4), taken / max(before, 1e-6)


def _seconds(work: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    work(text)
    return time.process_time() - begun


def rows(part: str) -> Iterator[Row]:
    """The worst of each pattern and scanner."""
    for found in worst_cases.patterns():
        if part in found.name:
            used: Callable[[str], object] = found.pattern.match if found.anchored else found.pattern.findall
            used = redaction.redacted if found.name.startswith("_data") else used
            tried = [
                (_seconds(used, text), place) for place, text in enumerate(worst_cases.texts(found.pattern, 1_000))
            ]
            if tried:
                place = max(tried)[1]

                def make(size: int, at: int = place, pattern: object = found.pattern) -> str:
                    return next(t for n, t in enumerate(worst_cases.texts(pattern, size)) if n == at)  # type: ignore[arg-type]

                yield (*measured(used, make), found.name, make(60)[:30])
    for name, scan in scanners.scanners().items():
        if part in name:
            unit = max((_seconds(scan, unit * (20_000 // len(unit))), unit) for unit in scanners.UNITS)[1]
            yield (*measured(scan, lambda size, unit=unit: unit * (size // len(unit))), name, unit)  # type: ignore[misc]


def main(part: str = "") -> None:
    """Print the table."""
    found = sorted(rows(part), reverse=True)
    once = min(_seconds(lambda text: text.count("\x00"), "a" * 1_000_000) for _ in range(9))
    print(f"{'s/MB':>8} {'x4':>6} {'passes':>7}  what, its worst text; of {len(found)} those above 0.2 s")
    for seconds, ratio, name, text in found:
        if seconds > 0.2:
            print(f"{seconds:8.2f} {ratio:6.1f} {seconds / once:7.0f}  {name}  {text!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
