"""`holdfast bench recall`: does the search of a session's record find what is asked after a compaction, and how fast?

--facts is a folder with labelled facts (*.json: transcript, compaction, and facts with question and the strings that an
answer must hold), --data the one from which they name their transcripts. Each question is put as it stands, to the rows
before that compaction; it is found when all its strings stand in what is shown. For comparison, plain BM25 over parts
of 1,200 characters. Nothing of the data is kept.
"""

import argparse
import contextlib
import json
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.cli import recall as command
from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.recall import passages, store
from holdfast.transcript import rows

TARGET, SHOWN = 0.80, 5
COMMAND_SECONDS, INDEX_SECONDS = 0.150, 2.0
"""Median of a command with a warm index; the first index of 5 MB."""
SIZE = 5_000_000
TIMED = 15


class Case(NamedTuple):
    """Rows before a compaction, and what is asked of them."""

    name: str
    record: bytes
    facts: list[dict[str, Any]]


def run(args: argparse.Namespace) -> int:
    """Print the table; 1 when a figure is missed."""
    if not args.data or not args.facts:
        raise BadInput("needs transcripts and labelled facts", "--data, --facts", "Give both folders")
    found = cases(Path(args.data), Path(args.facts))
    with tempfile.TemporaryDirectory(prefix="holdfast-recall-") as folder:
        scored = [_scored(case, Path(folder) / str(number)) for number, case in enumerate(found)]
        timed = _timed(max(found, key=lambda case: len(case.record)).record, Path(folder))
    asked = sum(len(case.facts) for case in found)
    shares = {name: sum(row[name] for row in scored) / asked for name in scored[0]}
    missed = [name for name, ok in _met(shares, timed).items() if not ok]
    result = {"questions": asked, **shares, **timed, "missed": missed}
    if args.json:
        emit_json({name: round(value, 4) if isinstance(value, float) else value for name, value in result.items()})
    else:
        rows_of = [(name, f"{value:.3f}") for name, value in (shares | timed).items()]
        emit_table([(f"{asked} questions, {SHOWN} passages", "share, or seconds"), *rows_of])
        print(f"targets: {'MISSED: ' + ', '.join(missed) if missed else 'met'}")
    return int(bool(missed))


def _met(shares: dict[str, float], timed: dict[str, float]) -> dict[str, bool]:
    return {
        f"found >= {TARGET}": shares["found"] >= TARGET,
        f"command <= {COMMAND_SECONDS} s": timed["command"] <= COMMAND_SECONDS,
        f"first index of 5 MB <= {INDEX_SECONDS} s": timed["first index of 5 MB"] <= INDEX_SECONDS,
    }


def cases(data: Path, facts: Path) -> list[Case]:
    """Raises BadInput for a folder without labelled facts."""
    found = []
    for path in sorted(facts.glob("*.json")):
        labelled = json.loads(path.read_text(encoding="utf-8"))
        transcript = (data / labelled["transcript"]).read_bytes()
        found.append(Case(path.stem, b"".join(_before(transcript, labelled["compaction"])), labelled["facts"]))
    if not found:
        raise BadInput("no labelled facts in there", str(facts), "See the files of --facts")
    return found


def _before(transcript: bytes, compaction: int) -> Iterator[bytes]:
    """The rows before the boundary of this number."""
    seen = 0
    for line in transcript.splitlines(keepends=True):
        if any(rows.is_boundary(row) for row in rows.parse_chunk(line).rows):
            if seen == compaction:
                return
            seen += 1
        yield line


def _scored(case: Case, folder: Path) -> dict[str, int]:
    """Answers that are found, by this search in five passages and in ten, and by plain BM25 in five."""
    folder.mkdir()
    transcript, index = folder / "s.jsonl", str(folder / store.INDEX)
    transcript.write_bytes(case.record)
    of = store.sources(str(transcript))
    counts = {"found": 0, "in ten passages": 0, "plain BM25": 0}
    with contextlib.closing(_plain(case.record)) as plain:
        for fact in case.facts:
            question = str(fact["question"])
            counts["found"] += _holds(fact, command.told(store.ask(question, SHOWN, index, of)))
            counts["in ten passages"] += _holds(fact, command.told(store.ask(question, 2 * SHOWN, index, of)))
            words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
            best = plain.execute("SELECT text FROM parts WHERE parts MATCH ? ORDER BY rank LIMIT ?", (words, SHOWN))
            counts["plain BM25"] += _holds(fact, "\n".join(text for (text,) in best))
    return counts


def _plain(record: bytes) -> sqlite3.Connection:
    """SQLite's own ranking over parts of 1,200 characters."""
    opened = sqlite3.connect(":memory:")
    opened.execute("CREATE VIRTUAL TABLE parts USING fts5(text, tokenize = 'porter')")
    found = passages.of_rows(enumerate(rows.parse_chunk(record).rows, 1))
    texts = (piece.text for passage in found for piece in passage.pieces)
    parts = ((part,) for text in texts for part in passages.cut(text, 1_200))
    opened.executemany("INSERT INTO parts VALUES (?)", parts)
    return opened


def _holds(fact: dict[str, Any], told: str) -> bool:
    return all(_folded(must) in _folded(told) for must in fact["must"])


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).lower()


def _timed(record: bytes, folder: Path) -> dict[str, float]:
    """Seconds of the first index of some 5 MB, and of the command as a user has it, with that index."""
    transcript = folder / "long.jsonl"
    transcript.write_bytes(_of_size(record))
    began = time.perf_counter()
    store.ask("first", 1, str(folder / "first.index"), store.sources(str(transcript)))
    first = time.perf_counter() - began
    argv = [sys.executable, "-m", "holdfast", "recall", "why was it done", "--transcript", str(transcript)]
    paths = {"PYTHONPATH": str(Path(store.__file__).parents[2]), "XDG_CACHE_HOME": str(folder), "HOME": str(folder)}
    took = [_seconds(argv, paths) for _ in range(TIMED + 1)][1:]  # the first one makes the index
    return {"first index of 5 MB": first, "command": statistics.median(took)}


def _of_size(record: bytes) -> bytes:
    """As many times this record as make 5 MB, each copy's words its own, so that none is a repetition."""
    copies = [record.replace(b"the ", f"the{number} ".encode()) for number in range(SIZE // len(record) + 1)]
    whole = b"".join(copies)
    return whole[: whole.rfind(b"\n", 0, SIZE) + 1]


def _seconds(argv: list[str], paths: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(argv, env=paths, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began
