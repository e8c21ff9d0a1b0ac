"""`holdfast config show|check|schema`: what is in force, what is wrong, what may be set."""

import argparse
import os

from holdfast.cli.output import emit_json, emit_table
from holdfast.config import load
from holdfast.hot import paths

NAME, HELP = "config", "show, check or describe the configuration"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("action", choices=("show", "check", "schema"))
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when a value is wrong."""
    values, problems = load.load(paths.state_folder(), os.environ)
    return {"show": _show, "check": _check, "schema": _schema}[args.action](args.json, values, problems)


def _show(as_json: bool, values: dict[str, object], problems: list[str]) -> int:
    if as_json:
        emit_json({"values": values, "problems": problems})
    else:
        emit_table((key, str(values[key]), shape["description"]) for key, shape in load.KEYS.items())
        print("\n".join(problems))
    return 1 if problems else 0


def _check(as_json: bool, values: dict[str, object], problems: list[str]) -> int:
    files = load.files(paths.state_folder(), os.environ)
    present = ", ".join(path for path in files if os.path.exists(path))
    if as_json:
        emit_json({"ok": not problems, "files": files, "problems": problems})
    else:
        print("\n".join(problems) or f"configuration is fine; read: {present or 'no file, only defaults'}")
    return 1 if problems else 0


def _schema(as_json: bool, values: dict[str, object], problems: list[str]) -> int:
    """As it is compiled of the model; a command has renewed it where it was older."""
    emit_json(load.SCHEMA)
    return 0
