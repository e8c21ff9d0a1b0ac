"""`holdfast doctor`: is everything that the hooks need in place, and does each hook run?"""

import argparse

from holdfast.cli.output import emit_json, emit_table
from holdfast.install import doctor

HELP = "check interpreter, packages, wiring and write access; fire each hook once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when something needs mending."""
    found = list(doctor.findings())
    fine = all(one.ok for one in found)
    if args.json:
        emit_json({"ok": fine, "findings": [one._asdict() for one in found]})
    else:
        emit_table(
            ("ok" if one.ok else "!!", one.name, one.what if one.ok else f"{one.what}. {one.todo}") for one in found
        )
    return 0 if fine else 1
