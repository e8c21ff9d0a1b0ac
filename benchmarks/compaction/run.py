"""`holdfast bench duel`: what is told after a compaction beside the client's own summary, on recorded compactions.

Every compaction of every transcript below --data is an event: the text is made from the rows before it. Of the record's
facts (compaction/verify.py) it is counted what the summary has word for word, and what summary and text have
together; of labelled facts (--facts) what each of them holds by strings, case and blanks folded. A report: nothing is
aimed at. Beside them stands the time that a text takes, read from the start and with the state kept.
"""

import argparse
import json
import os
import time
from typing import Any, NamedTuple

from benchmarks.replay import sessions as recorded
from holdfast.cli.output import emit_json, emit_table
from holdfast.compaction import packet, verify
from holdfast.errors import BadInput
from holdfast.hot.files import read_from
from holdfast.text.identifiers import basename
from holdfast.transcript import rows as transcript
from holdfast.worklog import fold, model, reader
from holdfast.worklog import model as worklog

CHARS = 10_000


class Case(NamedTuple):
    """One compaction with the state of the work before it."""

    file: str
    number: int
    work: Any
    summary: str
    """The client's own."""


def run(args: argparse.Namespace) -> int:
    """Print the figures; 0."""
    if not args.data:
        raise BadInput("needs recorded sessions", "--data", "Give a folder of transcripts (.jsonl)")
    files = recorded.transcripts([args.data])
    cases = [case for file in files for case in cases_of(file)]
    if not cases:
        raise BadInput("no compaction in there", args.data, "Give transcripts with a compact_boundary")
    figures: dict[str, Any] = {"events": len(cases), "rows": _rows(cases), "seconds": _times(_largest(files))}
    if args.facts:
        figures["facts"] = facts_of(cases, args.facts)
    if args.json:
        emit_json(figures)
    else:
        _show(figures)
    return 0


def cases_of(file: str) -> list[Case]:
    """The compactions of one transcript."""
    rows = transcript.parse_chunk(read_from(file, 0, os.path.getsize(file)) + b"\n").rows
    bounds = [at for at, row in enumerate(rows) if transcript.is_boundary(row) and transcript.is_main(row)]
    found, done, work = [], 0, worklog.empty()
    for number, (bound, end) in enumerate(zip(bounds, [*bounds[1:], len(rows)], strict=False)):
        work = fold.fold(work, transcript.Chunk(rows[done:bound], 0, 0))
        said = ["\n".join(transcript.texts(row)).strip() for row in rows[bound:end] if row.get("isCompactSummary")]
        found.append(Case(os.path.basename(file), number, work, said[0] if said else ""))
        done = bound
    return found


def made(work: Any, summary: str = "", chars: int = CHARS) -> str:
    """The text as SessionStart(compact) injects it."""
    return packet.alone(work, chars, summary)[1]


def _rows(cases: list[Case]) -> list[dict[str, Any]]:
    """What each text has of the record's facts, over all events."""
    alone = [made(case.work) for case in cases]
    beside = [made(case.work, case.summary) for case in cases]
    summaries = [case.summary for case in cases]
    return [
        _row("client's own summary", cases, [[text] for text in summaries]),
        _row("told without a summary", cases, [[text] for text in alone]),
        _row("summary and what is told beside it", cases, [list(both) for both in zip(summaries, beside, strict=True)]),
    ]


def _row(name: str, cases: list[Case], texts: list[list[str]]) -> dict[str, Any]:
    found = [verify.validate(verify.facts(case.work), read) for case, read in zip(cases, texts, strict=True)]
    must = [verify.must(checked) for checked in found]
    sizes = sorted(sum(map(len, read)) for read in texts)
    return {
        "name": name,
        "median_chars": sizes[len(sizes) // 2],
        "facts": sum(map(len, found)),
        "held": sum(verify.counts(checked)["retained"] for checked in found),
        "must": sum(one["items"] for one in must),
        "must_held": sum(one["held"] for one in must),
    }


def facts_of(cases: list[Case], folder: str) -> list[dict[str, Any]]:
    """Labelled facts, per file; a label names its transcript and the number of the compaction."""
    rows: list[dict[str, Any]] = []
    for file in sorted(name for name in os.listdir(folder) if name.endswith(".json")):
        with open(f"{folder}/{file}", encoding="utf-8") as stream:
            label = json.load(stream)
        name, number = basename(label["transcript"]), label["compaction"]
        for case in (case for case in cases if case.file == name and case.number == number):
            beside = made(case.work, case.summary)
            texts = {"told": made(case.work), "summary": case.summary, "both": f"{case.summary}\n{beside}"}
            rows.append({"name": file, **{key: share_held(label["facts"], text) for key, text in texts.items()}})
    if not rows:
        raise BadInput("no label fits these transcripts", folder, "Labels name their transcript and compaction")
    means = {key: round(sum(row[key] for row in rows) / len(rows), 3) for key in ("told", "summary", "both")}
    return [*rows, {"name": "mean", **means}]


def share_held(facts: list[dict[str, Any]], text: str) -> float:
    """Share of labelled facts {must, importance} whose strings all occur, weighted by importance."""
    folded = " ".join(text.split()).lower()
    held = [fact for fact in facts if all(" ".join(part.split()).lower() in folded for part in fact["must"])]
    share: float = sum(fact["importance"] for fact in held) / sum(fact["importance"] for fact in facts)
    return round(share, 3)


def _largest(files: list[str]) -> str:
    return max(files, key=os.path.getsize)


def _times(file: str) -> dict[str, Any]:
    """Seconds of a text for a transcript: read from the start, and with its state kept."""
    start = time.perf_counter()
    work = reader.read_whole(file)
    made(work)
    cold = time.perf_counter() - start
    stored = json.dumps(work)
    start = time.perf_counter()
    made(model.load(json.loads(stored)))
    kept = time.perf_counter() - start
    sizes = {"bytes": os.path.getsize(file), "state_bytes": len(stored)}
    return {**sizes, "cold": round(cold, 6), "kept": round(kept, 6)}


def _show(figures: dict[str, Any]) -> None:
    print(f"{figures['events']} compactions; facts of the record that stand there word for word")
    head = ("", "characters", "facts", "held", "must stay", "held")
    keys = ("median_chars", "facts", "held", "must", "must_held")
    emit_table([head, *((row["name"], *(f"{row[key]:,}" for key in keys)) for row in figures["rows"])])
    if "facts" in figures:
        print("\nlabelled facts, by strings, weighted by importance")
        shares = [
            (row["name"], *(f"{row[key]:.3f}" for key in ("told", "summary", "both"))) for row in figures["facts"]
        ]
        emit_table([("", "told alone", "summary", "both"), *shares])
    took = figures["seconds"]
    print(
        f"\na text for {took['bytes']:,} bytes: {took['cold']} s from the start, {took['kept']} s with the state kept"
    )
