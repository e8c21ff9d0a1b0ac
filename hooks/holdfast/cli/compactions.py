"""`holdfast compactions`: what each compaction was, what came of it, and what of the facts survived."""

import argparse
import os
from typing import Any

from holdfast.cli.output import Answer
from holdfast.compaction import store
from holdfast.compaction.verify import VERDICTS
from holdfast.config import load
from holdfast.gauge.pressure import short
from holdfast.hot import paths
from holdfast.hot.paths import InState

HELP = "list the compactions of this project"
HEAD = ("time", "trigger", "before", "after", "calls", *VERDICTS, "must stay", "told", "hooks ms", "instructions")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--judge",
        metavar="MODEL",
        help="first have a model judge the last compaction: claude, claude:MODEL (the command), or a model of the API",
    )


def run(args: argparse.Namespace) -> Answer:
    """An empty log is no fault. A judge that fails is one: nothing is listed then."""
    state = paths.state_folder()
    log = f"{state}/{InState.COMPACTIONS}"
    if args.judge:
        _judge(state, args.judge)
    rows = store.load(log)
    table = _judged(rows, [HEAD, *map(_row, rows)]) if rows else f"no compaction recorded yet ({log})"
    return Answer(rows, table)


def _judge(state: str, name: str) -> None:
    from holdfast.compaction import judge
    from holdfast.llm import ask

    values, _ = load.load(state, dict(os.environ))
    judge.last(state, ask.chosen(name, values))


def _judged(rows: list[dict[str, Any]], table: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The table with the judge's column, where a model has judged anything."""
    found = [row["judge"] if isinstance(row.get("judge"), dict) else {} for row in rows]
    if not any(found):
        return table
    cells = ["judge", *(f"{one.get('score')}/5 by {one.get('model')}" if one else "-" for one in found)]
    return [(*line[:-1], cell, line[-1]) for line, cell in zip(table, cells, strict=True)]


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    after, facts, must = row.get("tokens_after"), row.get("facts"), row.get("must")
    mark = "~" if row.get("after_source") == "summary" else ""  # only the summary was seen, not the whole window
    counts = facts if isinstance(facts, dict) else {}
    return (
        str(row.get("time")),
        str(row.get("trigger")),
        short(int(str(row.get("tokens_before") or 0))),
        f"{mark}{short(after)}" if isinstance(after, int) else "unknown",
        str(row.get("tool_calls")),
        *(str(counts.get(name, "-")) for name in VERDICTS),
        f"{must['held'] + must['on_page']}/{must['items']}" if isinstance(must, dict) else "-",
        "yes" if row.get("corrected") else "waiting" if row.get("correction") else "-",
        str(row.get("hooks_ms", "-")),
        str(row.get("instructions") or ""),
    )
