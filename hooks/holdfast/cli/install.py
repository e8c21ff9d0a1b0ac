"""`scripts/install.py --project DIR`: puts the pack into a project, and takes it out again."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput, HoldfastError
from holdfast.install import installer

HELP = "put the pack into a project, or take it out again"


def main(argv: list[str] | None = None) -> int:
    """`scripts/install.py`: the command on its own."""
    parser = argparse.ArgumentParser(prog="scripts/install.py", description=HELP)
    add_arguments(parser)
    return run(parser.parse_args(argv))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--project", default=os.getcwd(), help="the project's folder (default: here)")
    parser.add_argument("--uninstall", action="store_true", help="take out exactly what was put in")
    parser.add_argument("--purge", action="store_true", help="with --uninstall: everything recorded too")
    parser.add_argument("--env", help="folder of an environment to use instead of one in the project")
    parser.add_argument("--json", action="store_true", help="the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Installs or uninstalls; prints what it did; 0 when it was done."""
    project = Path(options.project).expanduser().resolve()
    try:
        if not project.is_dir():
            raise BadInput("there is no such folder", str(project), "Give an existing project folder")
        if options.uninstall:
            result = installer.uninstall(project, options.purge)
        else:
            result = installer.install(project, options.env)
    except (HoldfastError, OSError) as error:
        what = f"{error.filename or ''}: {error.strerror}" if isinstance(error, OSError) else str(error)
        if options.json:
            emit_json({"done": "failed", "error": what})
        print(f"holdfast: {what}", file=sys.stderr)
        return 1
    emit_json(result) if options.json else tell(result)
    return 0


def tell(result: dict[str, Any]) -> None:
    """Prints the result in a few lines."""
    if result["done"] == "uninstalled":
        kept = f"; kept: {', '.join(result['kept'])} (--purge removes them)" if result["kept"] else ""
        print(f"Holdfast is out of {result['project']}; settings {result['settings']}{kept}")
        rows = []
    else:
        print(f"Holdfast is in {result['project']} ({result['lines']:,} lines of Python)")
        rows = [
            ("  hooks", ", ".join(result["hooks"])),
            ("  settings", result["settings"]),
            ("  python", result["python"]),
            ("  packages", result["site_packages"] or "none: token counts are estimates"),
            ("  status", "in the status line" if result["status_line"] else "your own status line stays"),
        ]
    emit_table(rows + [("  note:", note) for note in result["notes"]])
