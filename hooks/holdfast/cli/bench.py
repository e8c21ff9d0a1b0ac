"""`holdfast bench NAME`: the project's own measurements, as ratios within one run."""

import argparse
import importlib

NAME, HELP = "bench", "measure: hooks, engine, duel, growth, tokens, retrieval, index, memory"
BENCHMARKS = {
    "hooks": "holdfast.cli.bench_hooks",
    "duel": "holdfast.cli.bench_duel",
    "growth": "holdfast.cli.bench_growth",
    "engine": "holdfast.cli.bench_engine",
    "tokens": "holdfast.cli.bench_tokens",
    "retrieval": "holdfast.cli.bench_retrieval",
    "index": "holdfast.cli.bench_index",
    "memory": "holdfast.cli.bench_memory",
}
ROUNDS, RECORDS = {"memory": 7}, {"memory": 10_000}
"""Where they are other than 25 and 100,000."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("name", choices=sorted(BENCHMARKS))
    parser.add_argument("--data", metavar="PATH", help="hooks: a transcript; the others: a folder of them")
    parser.add_argument("--facts", metavar="DIR", help="duel: labelled facts to score the packet with")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 25; memory: 7)")
    parser.add_argument("--records", type=int, help="made-up records (index: default 100000; memory: 10000)")
    parser.add_argument("--embed", default="off", metavar="MODEL", help="retrieval: also with this one (wordllama)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """The benchmark's exit code: 1 when a figure is missed."""
    module = importlib.import_module(BENCHMARKS[args.name])
    if args.rounds is None:
        args.rounds = ROUNDS.get(args.name, 25)
    if args.records is None:
        args.records = RECORDS.get(args.name, 100_000)
    code: int = module.run(args)
    return code
