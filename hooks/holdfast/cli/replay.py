"""`holdfast replay`: what the pack would have saved on recorded sessions."""

import argparse
from collections.abc import Iterator
from typing import Any

from holdfast.cli import replay_engine
from holdfast.cli.output import emit_json, emit_table
from holdfast.models import tokenizer
from holdfast.runtime import recorded
from holdfast.runtime.replay import Options, replay

NAME, HELP = "replay", "what the pack would have saved on recorded sessions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a transcript (.jsonl) or a folder that holds some")
    parser.add_argument("--limit", type=int, default=500, help="tokens that a handoff may have (default 500)")
    parser.add_argument(
        "--engine", action="store_true", help="also with a window's manager in the loop (a minute or two)"
    )
    parser.add_argument(
        "--policies", action="store_true", help="also each policy, strategy and baseline (many minutes)"
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="of the sessions, only each Nth for those two"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 0; raises BadInput for files that are not there or hold nothing."""
    files = recorded.transcripts(args.files)
    source = tokenizer.count("x").source
    figures = replay(_sessions(files), Options(args.limit, tokenizer.counter()))
    figures["sessions"], figures["counted_by"] = len(files), source
    if args.engine or args.policies:
        figures.update(replay_engine.figures(files, max(1, args.every), args.policies))
    if args.json:
        emit_json(figures)
    else:
        emit_table(_lines(figures))
        replay_engine.show(figures)
    return 0


def _sessions(files: list[str]) -> Iterator[recorded.Session]:
    """One at a time: a session may have 50 MB."""
    for file in files:
        yield recorded.read_session(file)


def _lines(figures: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    handoffs, results, calls = figures["handoffs"], figures["results"], figures["calls_before_limit"]
    yield "sessions", f"{figures['sessions']} (tokens by {figures['counted_by']})"
    yield (
        "handoffs",
        (
            f"{handoffs['count']}: {handoffs['tokens_before']:,} -> {handoffs['tokens_after']:,} tokens, "
            f"over the limit {handoffs['over_limit_before']} -> {handoffs['over_limit_after']}"
        ),
    )
    if handoffs["recall"] is not None:
        yield "names used later", f"{handoffs['recall']:.1%} of {handoffs['names_used_afterwards']} still to be had"
    if handoffs["recall_only_the_report_held"] is not None:
        yield (
            "only in reports",
            (
                f"{handoffs['recall_only_the_report_held']:.1%} of "
                f"{handoffs['names_only_the_report_held']} in the handoff"
            ),
        )
    yield (
        "tool results",
        (
            f"{results['digested']} of {results['count']} digested: {results['tokens_before']:,} -> "
            f"{results['tokens_after']:,} tokens"
        ),
    )
    yield "calls before limit", f"{calls['before']} -> {calls['after']} (mean of {calls['windows']} windows)"
    yield "saved", f"{figures['saved_share']:.1%} of what the windows took in"
