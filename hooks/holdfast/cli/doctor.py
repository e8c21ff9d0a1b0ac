"""`holdfast doctor`: is everything that the hooks need in place, and does each hook run?"""

import argparse

from holdfast.cli.output import Answer
from holdfast.install import doctor

HELP = "check interpreter, packages, wiring and write access; fire each hook once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has none of its own."""


def run(args: argparse.Namespace) -> Answer:
    """Exit 1 when something needs mending."""
    found = list(doctor.findings())
    fine = all(one.ok for one in found)
    rows = (("ok" if one.ok else "!!", one.name, one.what if one.ok else f"{one.what}. {one.todo}") for one in found)
    return Answer({"ok": fine, "findings": [one._asdict() for one in found]}, rows, 0 if fine else 1)
