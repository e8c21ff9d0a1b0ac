"""`holdfast doctor`: is everything that the hooks need in place, and does each hook run?"""

import argparse
import os

from holdfast.cli.output import Output, to_paste
from holdfast.install import doctor


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has none of its own."""


def run(args: argparse.Namespace) -> Output:
    """Exit 1 when something needs mending."""
    found = doctor.examined()
    home = os.environ.get("HOME", "") or "/"
    told = [(it, it.what.replace(f"{home}/", "~/") + f". {to_paste(it.todo)}" * (not it.ok)) for it in found.findings]
    marks = ["off" if it.off else "--" if it.unchecked else "ok" if it.ok else "!!" for it in found.findings]
    rows = [(mark, it.name, what) for mark, (it, what) in zip(marks, told, strict=True)]
    return Output(found, rows, 0 if found.ok else 1)
