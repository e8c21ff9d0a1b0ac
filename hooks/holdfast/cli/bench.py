"""`holdfast bench NAME`: the project's own measurements, as ratios within one run; from a checkout only."""

import argparse
import importlib
import sys
from pathlib import Path
from types import ModuleType

from holdfast.errors import Fault

BENCHMARKS = {
    "hooks": "benchmarks.hook_cost.run",
    "duel": "benchmarks.compaction.run",
    "growth": "benchmarks.transcript_growth",
    "engine": "benchmarks.engine_speed",
    "tokens": "benchmarks.token_estimates",
    "retrieval": "benchmarks.retrieval",
    "recall": "benchmarks.recall",
    "index": "benchmarks.search_scale",
    "memory": "benchmarks.memory_scale.run",
    "marking": "benchmarks.marking",
    "package": "benchmarks.package",
    "server": "benchmarks.server.run",
    "faults": "scripts.faults",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("name", choices=sorted(BENCHMARKS))
    parser.add_argument("--data", metavar="PATH", help="hooks: a transcript; marking: scenarios; the others: a folder")
    parser.add_argument("--facts", metavar="DIR", help="duel, recall: labelled facts")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 25; memory: 7)")
    made_up = "made-up records (index: default 100000; memory: 10000; server: 1000000)"
    parser.add_argument("--records", type=int, help=made_up)
    parser.add_argument("--agents", type=int, default=200, help="server: at work at once")
    parser.add_argument("--seconds", type=int, default=60, help="server: how long they work")


def run(args: argparse.Namespace) -> int:
    """The benchmark's exit code: 1 when a figure is missed."""
    module = of_checkout(BENCHMARKS[args.name])
    rounds, records = {"memory": (7, 10_000), "server": (1, 1_000_000)}.get(args.name, (25, 100_000))
    args.rounds = rounds if args.rounds is None else args.rounds
    args.records = records if args.records is None else args.records
    code: int = module.run(args)
    return code


def of_checkout(name: str) -> ModuleType:
    """A module of `benchmarks/`, which stands in a checkout beside `hooks/`. Raises Fault where there is none."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "benchmarks" / "__init__.py").is_file():
        todo = "Run this from a checkout: `PYTHONPATH=hooks python3 -m holdfast …`"
        raise Fault("what it needs is not part of the pack", str(root), todo)
    if str(root) not in sys.path:
        sys.path.append(str(root))
    return importlib.import_module(name)
