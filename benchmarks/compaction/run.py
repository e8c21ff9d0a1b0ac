"""`holdfast bench duel`: the packet against the client's own summary, on recorded compactions.

Every compaction of every transcript below --data is an event: the packet is made from the rows before it, and the
definitions in benchmarks/compaction/score.py say what it and the client's summary keep. Beside them stand two naive
packets, what
summary and packet hold together, what is left of a window's facts after two compactions, and the time that a packet
takes.
"""

import argparse
import json
import os
import time
from typing import Any, NamedTuple

from benchmarks.compaction import chain, report
from benchmarks.compaction import score as duel
from benchmarks.replay import sessions as recorded
from holdfast.cli import packet as command
from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.hot.files import read_from
from holdfast.text.identifiers import basename
from holdfast.transcript import rows as transcript
from holdfast.worklog import fold, reader

BUDGETS = (10_000, 5_000)
TARGETS = {
    10_000: {"edited": 1.0, "read": 0.98, "reused": 0.99, "identifiers": 0.85, "prompts": 0.97},
    5_000: {"edited": 0.99, "read": 0.85, "reused": 0.97, "identifiers": 0.75, "prompts": 0.94},
}
FACT_TARGETS = {"weighted": 0.80, "importance_3": 0.85}
COLD_SECONDS, KEPT_SECONDS = 0.5, 0.1
_FULL_SIZE = 5_000_000  # bytes that COLD_SECONDS are for; a smaller transcript is scaled up to it
_NAIVE_PROMPT = 400
_INDEX = "\n## Files and names\n"


class Case(NamedTuple):
    """One compaction with the state of the work before it."""

    file: str
    number: int
    event: duel.Event
    work: dict[str, Any]
    tail: str
    """The last characters of the conversation, as the naive packets use them."""


def run(args: argparse.Namespace) -> int:
    """Print the table; 1 when a target is missed."""
    if not args.data:
        raise BadInput("needs recorded sessions", "--data", "Give a folder of transcripts (.jsonl)")
    files = recorded.transcripts([args.data])
    cases = [case for file in files for case in cases_of(file)]
    if not cases:
        raise BadInput("no compaction in there", args.data, "Give transcripts with a compact_boundary")
    figures: dict[str, Any] = {"events": len(cases), "rows": _rows(cases)}
    if args.facts:
        figures["facts"] = facts_of(cases, args.facts)
    figures["chain"] = report.figures(sessions_of(cases))
    figures["seconds"] = _times(max(files, key=os.path.getsize))
    figures["missed"] = _missed(figures)
    if args.json:
        emit_json(figures)
    else:
        _show(figures)
    return 1 if figures["missed"] else 0


def cases_of(file: str) -> list[Case]:
    """The compactions of one transcript."""
    rows = transcript.parse_chunk(read_from(file, 0, os.path.getsize(file)) + b"\n").rows
    found, done, work = [], 0, fold.empty()
    for number, event in enumerate(duel.events(rows)):
        work = fold.fold(work, transcript.Chunk(rows[done : event.rows], 0, 0))
        done = event.rows
        found.append(Case(os.path.basename(file), number, event, work, _tail(rows[: event.rows])))
    return found


def _tail(rows: list[dict[str, Any]]) -> str:
    texts: list[str] = []
    for row in reversed(rows):
        texts += [text for text in (transcript.assistant_text(row), transcript.human_prompt(row)) if text]
        texts += [text for _, text, _ in transcript.tool_results(row)]
        if sum(map(len, texts)) > BUDGETS[0]:
            break
    return "\n".join(reversed(texts))[-BUDGETS[0] :]


def made(work: dict[str, Any], chars: int, summary: str = "") -> str:
    """The packet as SessionStart(compact) injects it."""
    return command.made(work, chars, summary)[1]


def _naive(case: Case) -> str:
    """Prompts, paths and the end of the conversation."""
    prompts = [" ".join(prompt.split())[:_NAIVE_PROMPT] for prompt in case.event.prompts]
    head = "\n".join([*prompts, *sorted(case.event.edited), *sorted(case.event.read)])[: BUDGETS[0]]
    return head + "\n" + case.tail[len(head) + 1 :]


def _rows(cases: list[Case]) -> list[dict[str, Any]]:
    found = [
        _row("client's own summary", [(case, case.event.summary) for case in cases]),
        _row("prompts, paths, tail", [(case, _naive(case)) for case in cases]),
        _row("last 10,000 characters", [(case, case.tail) for case in cases]),
    ]
    found += [_row(f"packet, {size:,}", [(case, made(case.work, size)) for case in cases], size) for size in BUDGETS]
    beside = [(case, made(case.work, BUDGETS[0], case.event.summary)) for case in cases]
    found.append(_row("packet beside the summary", beside))
    found.append(
        _row("summary and packet together", [(case, case.event.summary + "\n" + text) for case, text in beside])
    )
    return found


def _row(name: str, texts: list[tuple[Case, str]], budget: int = 0) -> dict[str, Any]:
    score = duel.mean([duel.score(case.event, text) for case, text in texts])
    sizes = sorted(len(text) for _, text in texts)
    figures = {key: None if value is None else round(value, 3) for key, value in score._asdict().items()}
    return {"name": name, "budget": budget, "median_chars": sizes[len(sizes) // 2], "max_chars": sizes[-1], **figures}


def facts_of(cases: list[Case], folder: str) -> list[dict[str, Any]]:
    """Labelled facts, per file; a label names its transcript and the number of the compaction."""
    rows: list[dict[str, Any]] = []
    for file in sorted(name for name in os.listdir(folder) if name.endswith(".json")):
        with open(f"{folder}/{file}", encoding="utf-8") as stream:
            label = json.load(stream)
        name, number = basename(label["transcript"]), label["compaction"]
        for case in (case for case in cases if case.file == name and case.number == number):
            text = made(case.work, BUDGETS[0])
            texts = {"packet": text, "before_index": text.split(_INDEX)[0], "summary": case.event.summary}
            both = {key: duel.facts_held(label["facts"], text) for key, text in texts.items()}
            rows.append({"name": file, **{key: [round(share, 3) for share in pair] for key, pair in both.items()}})
    if not rows:
        raise BadInput("no label fits these transcripts", folder, "Labels name their transcript and compaction")
    means = {
        key: [round(sum(row[key][part] for row in rows) / len(rows), 3) for part in (0, 1)]
        for key in ("packet", "before_index", "summary")
    }
    return [*rows, {"name": "mean", **means}]


def sessions_of(cases: list[Case]) -> list[list[chain.Link]]:
    """The compactions session by session, each with the texts that may be read after it."""
    sessions: list[list[chain.Link]] = []
    for case in cases:
        if case.number == 0:
            sessions.append([])
        sessions[-1].append(_link(case))
    return sessions


def _link(case: Case) -> chain.Link:
    summary = case.event.summary
    alone, beside = made(case.work, BUDGETS[0]), made(case.work, BUDGETS[0], summary)
    return chain.Link(case.work, case.event.prompts, summary, alone, beside)


def _times(file: str) -> dict[str, Any]:
    """Seconds of a packet for the largest transcript: read from the start, and with its state kept."""
    start = time.perf_counter()
    work = reader.read_whole(file)
    made(work, BUDGETS[0])
    cold = time.perf_counter() - start
    stored = json.dumps(work)
    start = time.perf_counter()
    made(fold.load(json.loads(stored)), BUDGETS[0])
    kept = time.perf_counter() - start
    return {
        "bytes": os.path.getsize(file),
        "cold": round(cold, 3),
        "kept": round(kept, 3),
        "state_bytes": len(stored),
    }


def _missed(figures: dict[str, Any]) -> list[str]:
    found = [
        f"{row['name']}: {key} {row[key]} < {least}"
        for row in figures["rows"]
        for key, least in TARGETS.get(row["budget"], {}).items()
        if row[key] is not None and row[key] < least
    ]
    found += [
        f"{row['name']}: {row['max_chars']} characters"
        for row in figures["rows"]
        if 0 < row["budget"] < row["max_chars"]
    ]
    for share, (key, least) in zip(
        figures.get("facts", [{}])[-1].get("packet", []), FACT_TARGETS.items(), strict=False
    ):
        found += [f"facts, {key}: {share} < {least}"] if share < least else []
    seconds = figures["seconds"]
    scale = max(1.0, _FULL_SIZE / seconds["bytes"]) if seconds["bytes"] > _FULL_SIZE / 10 else 1.0
    found += (
        [f"cold: {seconds['cold']} s for {seconds['bytes']:,} bytes"] if seconds["cold"] * scale > COLD_SECONDS else []
    )
    return found + ([f"kept: {seconds['kept']} s"] if seconds["kept"] > KEPT_SECONDS else [])


_COLUMNS = ("edited", "read", "reused", "identifiers", "prompts", "reread", "precision")


def _show(figures: dict[str, Any]) -> None:
    print(f"{figures['events']} compactions; shares kept, mean of the events")
    head = ("", "median ch", *_COLUMNS)
    emit_table(
        [
            head,
            *(
                (row["name"], f"{row['median_chars']:,}", *(_cell(row[key]) for key in _COLUMNS))
                for row in figures["rows"]
            ),
        ]
    )
    if "facts" in figures:
        print("\nfacts held (weighted, importance 3)")
        lines = [
            (row["name"], *(_cell(share) for key in ("packet", "before_index", "summary") for share in row[key]))
            for row in figures["facts"]
        ]
        emit_table([("", "packet", "", "before its index", "", "summary", ""), *lines])
    if figures["chain"]:
        report.show(figures["chain"])
    seconds = figures["seconds"]
    print(
        f"\na packet for {seconds['bytes'] / 1e6:.1f} MB: {seconds['cold']} s read from the start, "
        f"{seconds['kept']} s with the state kept ({seconds['state_bytes']:,} bytes)"
    )
    print("missed: " + "; ".join(figures["missed"]) if figures["missed"] else "every target met")


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
