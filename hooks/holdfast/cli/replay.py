"""`holdfast replay`: what the pack would have saved on recorded sessions; from a checkout only."""

import argparse

from holdfast.cli.bench import of_checkout


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a transcript (.jsonl) or a folder that holds some")
    parser.add_argument("--limit", type=int, default=500, help="tokens that a handoff may have (default 500)")
    parser.add_argument("--engine", action="store_true", help="also with a window's manager in the loop (minutes)")
    parser.add_argument("--policies", action="store_true", help="also each policy, strategy, baseline (many minutes)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth session for those two")


def run(args: argparse.Namespace) -> int:
    """Exit 0; raises BadInput for files that are not there or hold nothing."""
    code: int = of_checkout("benchmarks.replay.run").run(args)
    return code
