"""The command line: `holdfast COMMAND …`. Each command is a module of this folder, loaded when it is called."""

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from holdfast import __version__
from holdfast.cli import output
from holdfast.config import compile as compiled
from holdfast.errors import Fault, HoldfastError
from holdfast.hot.paths import project_folder, state_folder
from holdfast.hot.programs import settle
from holdfast.session.context import refuse_leading_out

COMMANDS = {
    "status": "how full the window is, what was kept out, what to do",
    "stats": "what was kept out, put in and spent, by day, project and session",
    "sessions": "the sessions of this project, or of all",
    "report": "the figures of stats as a page with plots: one file, readable offline",
    "view": "a page on this machine alone: sessions, and the memory to change",
    "checkpoint": "save the state of the work, show it, take it up again",
    "recall": "what was said and done in a session, before its compactions too",
    "memory": "what is remembered: add, search, read, set aside, remove",
    "server": "a team's PostgreSQL: schema, members, push and pull",
    "knowledge": "documents of the project in four levels: build, check, update",
    "team": "who else is at work here, and who owns what",
    "show": "a document, a part of it or a file by its marker (§2.1, 4.path), or the index",
    "packet": "the text that is put back after a compaction",
    "compactions": "the compactions of this project",
    "handoff": "check a handoff against the rules, make a package for the next agent",
    "mcp": "recall, memory, team and handoff check for other agents: a server over stdio",
    "config": "the settings: show, explain, change, check",
    "doctor": "check interpreter, packages, wiring and write access; fire each hook once",
    "install": "put the pack into a project, or take it out",
    "replay": "what recorded sessions would have saved (from a checkout)",
    "bench": "the project's own measurements (from a checkout)",
}
"""Command -> what it is for."""
MEANT = {
    "uninstall": "install DIR --uninstall",
    "package": "handoff package",
    "remember": "memory add",
    "forget": "memory forget",
    "memory remove": "memory forget",
    "memory delete": "memory forget",
    "restore": "checkpoint resume",
}
"""What people type -> the command that does it."""


def main(argv: list[str] | None = None) -> int:
    """Run one command; its exit code. Errors are one line on stderr, exit 1; Ctrl-C is 130."""
    try:
        try:
            return _ran(sys.argv[1:] if argv is None else argv)
        except SystemExit:  # of a help, which is not printed yet
            sys.stdout.flush()
            raise
    except (UnicodeEncodeError, OverflowError) as error:  # a name that is no text, a number that no table holds
        output.aside(f"an argument cannot be used: {error}. Give a shorter number, or words in UTF-8")
        return 1
    except KeyboardInterrupt:
        return 130
    except ModuleNotFoundError as error:
        if not (told := without_package(error)):
            raise
        output.aside(told)
        return 1
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            output.drop()
            return 0
        told = unreadable(error)
        output.aside(told, told.where)
        return 1


def _ran(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # half an emoji from a transcript must not end a command
            stream.reconfigure(errors="replace")
    try:
        settle(os.environ)
    except OSError:
        output.aside("the current folder is gone. Change to another one")
        return 1
    compiled.renew_older()
    known = parser(arguments)
    parsed, unknown = known.parse_known_args(arguments)
    if unknown:
        known.prog = getattr(parsed, "called", known.prog)
        known.error(f"it takes no {' '.join(unknown)}")
    if not getattr(parsed, "run", None):
        known.print_help()
        return 2
    try:
        found = answer(arguments[0], parsed)
        code: int = found if isinstance(found, int) else output.tell(found, parsed.json)
        return code
    except HoldfastError as error:
        output.aside(error, error.where)
        return 1


def answer(command: str, parsed: argparse.Namespace) -> Any:
    """What a command answers to these arguments, or the exit code of one that has printed (a benchmark, a server)."""
    if command not in ("doctor", "install", "mcp"):  # they tell of it, or mend it, or ask for each call
        refuse_leading_out(project_folder(), state_folder())
    return parsed.run(parsed)


def without_package(error: ModuleNotFoundError) -> Fault | None:
    """Which package is not here, and what brings it; None where a module of ours is missing."""
    name = (error.name or "").partition(".")[0]
    todo = "Run `holdfast install` while online; a plugin sets itself up at a later start. See `holdfast doctor`"
    return None if name in ("", "holdfast") else Fault("this command needs a package that is not here", name, todo)


def unreadable(error: OSError) -> Fault:
    """What the system refuses, in our words."""
    told = f"it cannot be read or written ({error.strerror or error})"
    return Fault(told, str(error.filename or ""), "See `holdfast doctor`")


class OneLine(argparse.ArgumentParser):
    """Says in one line what is wrong and which help tells more; its sub-commands' parsers are the same."""

    def error(self, message: str) -> NoReturn:
        """Ends with 2."""
        told = message.replace("invalid int value:", "a whole number is needed, not")
        told = told.replace("the following arguments are required:", "it needs")
        for action in self._actions:  # of a command with many, a usage does not list them
            named = "|".join(map(str, action.choices or ()))
            told = told.replace("it needs ACTION", f"it needs {named}") if action.metavar == "ACTION" else told
        stop = "" if told.endswith("?") else "."
        output.aside(f"{told}{stop} See `{self.prog} --help`", before=self.prog)
        self.exit(2)

    def _match_arguments_partial(self, actions: Sequence[argparse.Action], arg_strings_pattern: str) -> list[int]:
        """An argument that may be left out is not, as long as it may still come behind an option (Python 3.11)."""
        counts: list[int] = super()._match_arguments_partial(actions, arg_strings_pattern)
        while counts and not counts[-1] and "O" in arg_strings_pattern:
            counts.pop()
        return counts

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """With the nearest name instead of the whole list, where there is one."""
        if action.choices is None or value in action.choices:
            return
        names = [*map(str, action.choices)]
        meant = MEANT.get(f"{self.prog} {value}".removeprefix("holdfast "))
        near = [f"`holdfast {meant}`"] if meant else get_close_matches(str(value), names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        named = action if action.option_strings else None
        raise argparse.ArgumentError(named, f"there is no {value!r}; {hint}")


def parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for these arguments: of all commands only the one that is called is loaded."""
    made = OneLine(
        prog="holdfast",
        usage="holdfast COMMAND …",
        description="Keeps long agent work whole. `holdfast COMMAND --help` tells of one command.",
        epilog="\n".join(["commands:", *output.fitted((f"  {name}", short) for name, short in COMMANDS.items())]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    hidden = argparse.SUPPRESS  # as everywhere, so the page need not list them
    made.add_argument("-h", "--help", action="help", help=hidden)
    made.add_argument("--version", action="version", version=f"holdfast {__version__}", help=hidden)
    commands = made.add_subparsers(metavar="COMMAND", help=argparse.SUPPRESS, prog="holdfast")
    for name, what in COMMANDS.items():
        if name not in arguments[:1]:  # only the one that is called is loaded
            commands.add_parser(name)
            continue
        module = importlib.import_module(f"holdfast.cli.{name}")
        command = commands.add_parser(name, description=what)
        module.add_arguments(command)
        if hasattr(module, "run"):
            output.runs(command, module.run)
    return made
