"""`scripts/install.py --project DIR`: puts the pack into a project, and takes it out again."""

import argparse
import os
import sys
from pathlib import Path

from holdfast.cli.output import Answer, aligned, runs, tell
from holdfast.errors import BadInput, HoldfastError
from holdfast.install import installer
from holdfast.install.results import Failed, Installed, Uninstalled

HELP = "put the pack into a project, or take it out again"


def main(argv: list[str] | None = None) -> int:
    """`scripts/install.py`: the command on its own."""
    parser = argparse.ArgumentParser(prog="scripts/install.py", description=HELP)
    add_arguments(parser)
    runs(parser, run)
    options = parser.parse_args(argv)
    return tell(run(options), options.json)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--project", default=os.getcwd(), help="the project's folder (default: here)")
    parser.add_argument("--uninstall", action="store_true", help="take out exactly what was put in")
    parser.add_argument("--purge", action="store_true", help="with --uninstall: everything recorded too")
    parser.add_argument("--env", help="folder of an environment to use instead of one in the project")


def run(options: argparse.Namespace) -> Answer:
    """Installs or uninstalls; exit 1 when it was not done, with the reason on stderr."""
    project = Path(options.project).expanduser().resolve()
    try:
        if not project.is_dir():
            raise BadInput("there is no such folder", str(project), "Give an existing project folder")
        if options.uninstall:
            return answer(installer.uninstall(project, options.purge))
        return answer(installer.install(project, options.env))
    except (HoldfastError, OSError) as error:
        what = f"{error.filename or ''}: {error.strerror}" if isinstance(error, OSError) else str(error)
        print(f"holdfast: {what}", file=sys.stderr)
        return Answer(Failed(what), (), 1)


def answer(result: Installed | Uninstalled) -> Answer:
    """The result, and in a few lines."""
    if isinstance(result, Uninstalled):
        kept = f"; kept: {', '.join(result.kept)} (--purge removes them)" if result.kept else ""
        head, rows = f"Holdfast is out of {result.project}; settings {result.settings}{kept}", []
    else:
        head = f"Holdfast is in {result.project} ({result.lines:,} lines of Python)"
        rows = [
            ("  hooks", ", ".join(result.hooks)),
            ("  settings", result.settings),
            ("  python", result.python),
            ("  packages", result.site_packages or "none: token counts are estimates"),
            ("  status", "in the status line" if result.status_line else "your own status line stays"),
        ]
    return Answer(result, "\n".join([head, *aligned(rows + [("  note:", note) for note in result.notes])]))
