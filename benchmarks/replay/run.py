"""What `holdfast replay` prints."""

import argparse
from collections.abc import Iterator
from typing import Any

from benchmarks.replay import report, sessions
from benchmarks.replay.savings import Options, replay
from holdfast.cli.output import emit_json, emit_table
from holdfast.gauge.pressure import percent
from holdfast.text import tokenizer


def run(args: argparse.Namespace) -> int:
    """Exit 0; raises BadInput for files that are not there or hold nothing."""
    files = sessions.transcripts(args.files)
    figures = replay(_sessions(files), Options(args.limit, tokenizer.counter()))
    figures["sessions"], figures["counted_by"] = len(files), tokenizer.count("x").source
    if args.engine or args.policies:
        figures.update(report.figures(files, max(1, args.every), args.policies))
    if args.json:
        emit_json(figures)
    else:
        emit_table(_lines(figures))
        report.show(figures)
    return 0


def _sessions(files: list[str]) -> Iterator[sessions.Session]:
    """One at a time: a session may have 50 MB."""
    for file in files:
        yield sessions.read_session(file)


def _lines(figures: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    handoffs, results, calls = figures["handoffs"], figures["results"], figures["calls_before_limit"]
    yield (
        "sessions",
        f"{figures['sessions']} (default settings; tokens as in `holdfast status`, limits by {figures['counted_by']})",
    )
    yield (
        "handoffs",
        (
            f"{handoffs['count']}: {handoffs['tokens_before']:,} -> {handoffs['tokens_after']:,} tokens, "
            f"over the limit {handoffs['over_limit_before']} -> {handoffs['over_limit_after']}; of each agent's last "
            "answer (`holdfast status`: of its first)"
        ),
    )
    if handoffs["already"]:
        yield "", f"recorded as outlines: {handoffs['already']}; what those kept out `holdfast status` has"
    if handoffs["recall"] is not None:
        yield (
            "names used later",
            f"{percent(handoffs['recall'], digits=1)} of {handoffs['names_used_afterwards']} still to be had",
        )
    if handoffs["recall_only_the_report_held"] is not None:
        yield (
            "only in reports",
            (
                f"{percent(handoffs['recall_only_the_report_held'], digits=1)} of "
                f"{handoffs['names_only_the_report_held']} in the handoff"
            ),
        )
    yield (
        "tool results",
        (
            f"{results['digested']} of {results['count']} digested: {results['tokens_before']:,} -> "
            f"{results['tokens_after']:,} tokens; of the main conversation (`holdfast status`: of sub-agents too)"
        ),
    )
    if results["already"]:
        yield "", f"recorded as digests: {results['already']}; what those kept out `holdfast status` has"
    yield "calls before limit", f"{calls['before']} -> {calls['after']} (mean of {calls['windows']} windows)"
    yield "saved", f"{percent(figures['saved_share'], digits=1)} of what the windows took in"
