"""The command line: `holdfast COMMAND …`. Each command is a module of this folder, loaded when it is called."""

import argparse
import importlib
import io
import sys

from holdfast import __version__
from holdfast.config import compile as compiled
from holdfast.errors import Fault, HoldfastError

COMMANDS = (
    "doctor",
    "status",
    "packet",
    "checkpoint",
    "memory",
    "knowledge",
    "show",
    "handoff",
    "replay",
    "config",
    "compactions",
    "bench",
    "install",
)


def main(argv: list[str] | None = None) -> int:
    """Run one command; its exit code. Errors are one line on stderr, exit 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # half an emoji from a transcript must not end a command
            stream.reconfigure(errors="replace")
    compiled.renew_older()
    arguments = sys.argv[1:] if argv is None else argv
    parser = _parser(arguments)
    parsed = parser.parse_args(arguments)
    if not getattr(parsed, "run", None):
        parser.print_help()
        return 2
    try:
        code: int = parsed.run(parsed)
        return code
    except HoldfastError as error:
        print(f"holdfast: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, e.g. `head`, has had enough
        sys.stderr.close()
        return 0
    except OSError as error:
        told = f"it cannot be read or written ({error.strerror or error})"
        print(f"holdfast: {Fault(told, str(error.filename or ''), 'See `holdfast doctor`')}", file=sys.stderr)
        return 1


def _parser(arguments: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="holdfast", description="Keeps long agent work whole.")
    parser.add_argument("--version", action="version", version=f"holdfast {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND")
    named = [name for name in arguments[:1] if name in COMMANDS]
    for name in named or COMMANDS:  # the one that is called; all of them for the help
        module = importlib.import_module(f"holdfast.cli.{name}")
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
