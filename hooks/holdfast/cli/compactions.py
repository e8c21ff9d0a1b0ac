"""`holdfast compactions`: what each compaction was and what came of it."""

import argparse

from holdfast.cli.output import emit_json, emit_table
from holdfast.policy.pressure import short
from holdfast.store import compactions, paths

NAME, HELP = "compactions", "list the compactions of this project"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Always 0; an empty log is no fault."""
    log = f"{paths.state_folder()}/{paths.COMPACTIONS}"
    rows = compactions.load(log)
    if args.json:
        emit_json(rows)
    elif not rows:
        print(f"no compaction recorded yet ({log})")
    else:
        emit_table([("time", "trigger", "before", "after", "calls", "instructions"), *map(_row, rows)])
    return 0


def _row(row: dict[str, object]) -> tuple[str, ...]:
    after = row.get("tokens_after")
    mark = "~" if row.get("after_source") == "summary" else ""  # only the summary was seen, not the whole window
    return (
        str(row.get("time")),
        str(row.get("trigger")),
        short(int(str(row.get("tokens_before") or 0))),
        f"{mark}{short(after)}" if isinstance(after, int) else "unknown",
        str(row.get("tool_calls")),
        str(row.get("instructions") or ""),
    )
