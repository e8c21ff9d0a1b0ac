"""`holdfast bench hooks`: what each hook costs, as a multiple of starting the interpreter.

Every case is one real process with a real payload on stdin, started in interleaved rounds, so that a machine
whose speed drifts slows all of them alike. The floor is `python -I -S -E -c pass` of the interpreter that the
hooks run with. State is put back before each run where a hook works only once.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from benchmarks.hook_cost.cases import cases
from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput


class Case(NamedTuple):
    """One thing measured. `target` is the allowed multiple of the floor, 0 for none."""

    name: str
    command: list[str]
    stdin: bytes
    target: float = 0.0
    before: Callable[[], None] | None = None
    """Puts state back; not timed."""
    variables: Mapping[str, str] = {}
    """Of the environment, beside or in place of what every case has."""
    says: bytes = b""
    """What stands in its answer: one that does not say it has done something else."""


def run(args: argparse.Namespace) -> int:
    """Print the table; 1 when a target is missed."""
    if args.data and not os.path.isfile(args.data):
        raise BadInput("no such transcript", args.data, "Give a .jsonl file, or leave --data away")
    folder = tempfile.mkdtemp(prefix="holdfast-bench-")
    try:
        results = measure([Case(*case) for case in cases(folder, args.data)], folder, args.rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rows = [_row(result, results[0]["median_ms"]) for result in results]
    rows.append(_age_row(rows))
    missed = [row["name"] for row in rows if row["target"] and row["ratio"] > row["target"]]
    if args.json:
        emit_json({"rounds": args.rounds, "rows": rows, "missed": missed})
    else:
        emit_table([("case", "median ms", "p90 ms", "ratio", "target"), *map(_cells, rows)])
        print(f"missed: {', '.join(missed)}" if missed else "every target met")
    return 1 if missed else 0


def measure(todo: list[Case], folder: str, rounds: int) -> list[dict[str, Any]]:
    """Run every case once a round, in turn; the first round warms up and does not count."""
    times: dict[str, list[float]] = {case.name: [] for case in todo}
    for number in range(rounds + 1):
        for case in todo:
            milliseconds = taken(case, folder)
            if number:
                times[case.name].append(milliseconds)
    return [
        {
            "name": case.name,
            "target": case.target,
            "median_ms": statistics.median(times[case.name]),
            "p90_ms": sorted(times[case.name])[int(rounds * 0.9)],
        }
        for case in todo
    ]


def taken(case: Case, folder: str) -> float:
    """Milliseconds of one run. Raises BadInput when it failed: a failing hook is fast for nothing."""
    if case.before:
        case.before()
    start = time.perf_counter()
    process = begun(case, folder)
    answer, trouble = process.communicate(case.stdin)
    milliseconds = (time.perf_counter() - start) * 1_000
    if process.returncode or trouble:
        told = trouble.decode()[-300:]
        raise BadInput(f"ended with {process.returncode}: {told}", case.name, "Run `holdfast doctor`")
    if case.says not in answer:
        raise BadInput(f"did not say {case.says.decode()!r}", case.name, "Run `holdfast doctor`")
    return milliseconds


def begun(case: Case, folder: str) -> subprocess.Popen[bytes]:
    """Its process, in an environment that nothing of this one's comes into but the case's own variables."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": f"{folder}/home", "CLAUDE_PROJECT_DIR": folder}
    if os.environ.get("HOLDFAST_SITE"):
        environment["HOLDFAST_SITE"] = os.environ["HOLDFAST_SITE"]
    environment |= case.variables
    pipe = subprocess.PIPE
    return subprocess.Popen(case.command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)


def _row(result: dict[str, Any], floor: float) -> dict[str, Any]:
    return {
        "name": result["name"],
        "median_ms": round(result["median_ms"], 2),
        "p90_ms": round(result["p90_ms"], 2),
        "ratio": round(result["median_ms"] / floor, 3),
        "target": result["target"],
    }


def _age_row(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Call 10,000 against call 10."""
    by_name = {row["name"]: row for row in rows}
    young, old = by_name["PostToolUse, call 10"], by_name["PostToolUse, call 10,000"]
    ratio = round(old["median_ms"] / young["median_ms"], 3)
    return {"name": "call 10,000 / call 10", "median_ms": 0.0, "p90_ms": 0.0, "ratio": ratio, "target": 1.1}


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    target = f"<= {row['target']}" if row["target"] else ""
    return row["name"], f"{row['median_ms']:.2f}", f"{row['p90_ms']:.2f}", f"{row['ratio']:.2f}x", target
