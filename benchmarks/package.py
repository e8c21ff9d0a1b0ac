"""`holdfast bench package`: do handoff packages hold their tokens and their reduction, and how long does one take?

--data is a transcript or a folder of them; without it a made-up session of 4 MB. Of each session one package of each
kind is made, as `holdfast handoff package` makes it; only the index of a search is kept, in the cache of the user.
"""

import argparse
import statistics
import tempfile
import time
from typing import Any

from benchmarks import material
from benchmarks.replay import sessions
from holdfast.cli.handoff_package import gathered, source_of
from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.package import page
from holdfast.package.kinds import KINDS, most, reduction

SIZE = 4_000_000
QUESTION = "What is still open, and what was tried for it?"


def run(args: argparse.Namespace) -> int:
    """Print a line per kind; 1 when a bound is not held."""
    with tempfile.TemporaryDirectory(prefix="holdfast-package-") as folder:
        data = [args.data] if args.data else [material.transcript(f"{folder}/session.jsonl", SIZE)]
        made = {kind: [one for file in sessions.transcripts(data) if (one := _made(file, kind))] for kind in KINDS}
    rows = [_row(kind, found) for kind, found in made.items()]
    if args.json:
        emit_json(rows)
    else:
        heads = (
            "kind",
            "packages",
            "tokens, least",
            "median",
            "most",
            "may have",
            "smaller, least %",
            "of",
            "s",
            "held",
        )
        emit_table([heads, *([str(value) for value in row.values()] for row in rows)])
    return int(any(row["held"] != "yes" for row in rows))


def _made(file: str, kind: str) -> tuple[page.Package, float] | None:
    """A package with the seconds that it took; None for a session of which there is too little."""
    begun = time.perf_counter()
    head = page.Head("HO-2026-11-22-001", kind, "a session", "whoever goes on", "now", "holdfast handoff received X")
    try:
        source = source_of("", file)
        found = gathered(source, time.time(), KINDS[kind].high, QUESTION if kind == "specialist" else "")
        return page.made(head, found, "new"), time.perf_counter() - begun
    except BadInput:
        return None


def _row(kind: str, found: list[tuple[page.Package, float]]) -> dict[str, Any]:
    bounds = KINDS[kind]
    sizes = [package.tokens for package, _ in found] or [0]
    left_out = [reduction(package.tokens, package.material) for package, _ in found] or [0]
    held = bool(found) and all(one.tokens <= most(bounds, one.material) for one, _ in found)
    return {
        "kind": kind,
        "packages": len(found),
        "least": min(sizes),
        "median": round(statistics.median(sizes)),
        "most": max(sizes),
        "may": f"{bounds.low}-{bounds.high}",
        "left_out": min(left_out),
        "asked": bounds.reduction,
        "seconds": round(statistics.median([seconds for _, seconds in found] or [0]), 2),
        "held": "yes" if held else "NO",
    }
