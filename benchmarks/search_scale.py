"""`holdfast bench index`: is the search index fast with many records, and cheap to add to?

Records are made up: words of Zipf's frequencies, a title and about 400 characters of sentences, the size of a memory.
Questions are one to eight words of the same frequencies, so that common words come often. Nothing is kept.
"""

import argparse
import itertools
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.search.index import Record, SearchIndex

LIMITS = {
    "search_p50_ms": 10.0,
    "search_p99_ms": 50.0,
    "rebuild_per_s": 10_000.0,
    "add_one_ratio": 2.0,
    "disk_ratio": 3.0,
}
AT_LEAST = {"rebuild_per_s"}
SMALL = 1_000
"""Records of the index that adding one is compared with."""
QUESTIONS, ADDED = 300, 50
VOCABULARY = 20_000
WIDTH = 30


def run(args: argparse.Namespace) -> int:
    """Print a line per figure; 1 when a limit is missed."""
    if args.records < SMALL:
        raise BadInput(f"below {SMALL:,}", "--records", "Give more; 100000 is what the limits are for")
    made = Made()
    with tempfile.TemporaryDirectory(prefix="holdfast-index-") as folder:
        found = measure(folder, made, args.records)
    missed = [name for name, limit in LIMITS.items() if (found[name] >= limit) != (name in AT_LEAST)]
    if args.json:
        emit_json({"records": args.records, **found, "limits": LIMITS, "missed": missed})
    else:
        emit_table([("figure", "found", "limit"), *(_cells(name, found[name]) for name in LIMITS)])
        print(f"{args.records:,} records: {'MISSED: ' + ', '.join(missed) if missed else 'met'}")
    return int(bool(missed))


class Made:
    """Made-up records and questions, the same in every run."""

    def __init__(self) -> None:
        self._random = random.Random(5)  # noqa: S311 - no secret
        syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
        self._words = ["".join(self._random.choices(syllables, k=2 + i % 3)) for i in range(VOCABULARY)]
        self._weights = list(itertools.accumulate(1 / (i + 10) for i in range(VOCABULARY)))

    @property
    def vocabulary(self) -> list[str]:
        """All words that there are."""
        return self._words

    def words(self, number: int) -> str:
        """Words with spaces between."""
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=number))

    def record(self, number: int) -> Record:
        """One record."""
        text = "\n".join(f"{self.words(12)}." for _ in range(5))
        return f"{number:08}-made-up", self.words(6), text, f"2026-{1 + number % 12:02}-{1 + number % 28:02}"

    def question(self) -> str:
        """One question."""
        return self.words(self._random.randint(1, 8))


def measure(folder: str, made: Made, number: int) -> dict[str, float]:
    """All figures of an index of that many records."""
    records = [made.record(one) for one in range(number)]
    size = sum(len((title + text).encode()) for _, title, text, _ in records)
    path = os.path.join(folder, "index")
    with SearchIndex.open(os.path.join(folder, "small")) as index:
        index.add_many(records[:SMALL])
        small = _adding(index, made)
    with SearchIndex.open(path) as index:
        seconds = _timed(lambda: index.add_many(records, progress=bar(number)))
        questions = [made.question() for _ in range(QUESTIONS)]
        times = sorted(_timed(lambda text=text: index.search(text)) for text in questions)  # type: ignore[misc] # bound
        whole = _adding(index, made)
    return {
        "search_p50_ms": round(times[len(times) // 2] * 1_000, 2),
        "search_p99_ms": round(times[int(len(times) * 0.99)] * 1_000, 2),
        "rebuild_per_s": round(number / seconds),
        "add_one_ms": round(whole * 1_000, 3),
        "add_one_ratio": round(whole / small, 2),
        "disk_ratio": round(os.path.getsize(path) / size, 2),
    }


def _adding(index: SearchIndex, made: Made) -> float:
    """Seconds, in the middle, to add one record."""
    extra = [made.record(90_000_000 + one) for one in range(ADDED)]
    return sorted(_timed(lambda one=one: index.add_many([one])) for one in extra)[ADDED // 2]  # type: ignore[misc] # bound


def _timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def bar(total: int) -> Callable[[int], None]:
    """A progress bar on stderr."""

    def show(done: int) -> None:
        filled = WIDTH * done // total
        end = "\n" if done >= total else ""
        print(f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {done:,}/{total:,}", end=end, file=sys.stderr, flush=True)

    return show


def _cells(name: str, value: float) -> tuple[str, str, str]:
    return name, f"{value:,}", f"{'>=' if name in AT_LEAST else '<'} {LIMITS[name]:,}"
