"""`holdfast bench growth`: does a grown transcript cost its growth?

--data is a folder with pieces of one session. They are put together in the order of their time, piece by piece, as
the session grew; after each the state is brought up to date from the one before and, for comparison, made from the
start. The two must be the same.
"""

import argparse
import os
import re
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.replay import sessions
from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.hot.files import read_from
from holdfast.worklog import reader
from holdfast.worklog.model import Worklog

_TIME = re.compile(rb'"timestamp":\s*"([^"]+)"')


def run(args: argparse.Namespace) -> int:
    """Print a line per piece; 1 when a grown state differs from the whole one."""
    if not args.data:
        raise BadInput("needs a session in pieces", "--data", "Give a folder with pieces of one transcript (.jsonl)")
    files = sorted(sessions.transcripts([args.data]), key=_begun)
    with tempfile.TemporaryDirectory(prefix="holdfast-growth-") as folder:
        rows = list(_grow(files, f"{folder}/session.jsonl"))
    if args.json:
        emit_json(rows)
    else:
        emit_table([("piece", "bytes so far", "read", "ms", "ms from the start", "same state"), *map(_cells, rows)])
    return 0 if all(row["same"] for row in rows) else 1


def _begun(file: str) -> bytes:
    found = _TIME.search(read_from(file, 0, 100_000))
    return found[1] if found else b""


def _grow(files: list[str], path: str) -> Iterator[dict[str, Any]]:
    work = None
    for file in files:
        with open(path, "ab") as session:
            session.write(read_from(file, 0, os.path.getsize(file)).rstrip(b"\n") + b"\n")
        before = work["offset"] if work else 0
        work, seconds = _timed(path, work)
        whole, all_seconds = _timed(path, None)
        yield {
            "name": os.path.basename(file),
            "bytes": os.path.getsize(path),
            "read": work["offset"] - before,
            "ms": round(seconds * 1_000, 1),
            "whole_ms": round(all_seconds * 1_000, 1),
            "same": work == whole,
        }


def _timed(file: str, work: Worklog | None) -> tuple[Worklog, float]:
    start = time.perf_counter()
    found = reader.read_whole(file, work)
    return found, time.perf_counter() - start


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    same = "yes" if row["same"] else "NO"
    return row["name"], f"{row['bytes']:,}", f"{row['read']:,}", f"{row['ms']}", f"{row['whole_ms']}", same
