"""`scripts/install.py DIR`: puts the pack into the user's folder and its entries into a project; takes them out."""

import argparse
import contextlib
import os
from pathlib import Path

from holdfast.cli.output import Output, aside, fitted, runs, screen, tell
from holdfast.errors import BadInput, Fault, HoldfastError, refusal
from holdfast.hot.programs import settle
from holdfast.install import installer, pack
from holdfast.install.results import Failed, Installed, Uninstalled
from holdfast.text import secret_table
from holdfast.text.columns import wrapped
from holdfast.text.lines import one_line


def main(argv: list[str] | None = None) -> int:
    """`scripts/install.py`: the command on its own."""
    what = "put the pack into a project, or take it out again"
    parser = argparse.ArgumentParser(prog="scripts/install.py", description=what)
    add_arguments(parser)
    runs(parser, run)
    options = parser.parse_args(argv)
    settle(os.environ)
    try:
        return tell(run(options), options.json)
    except KeyboardInterrupt:
        aside("stopped. Run it again: it begins anew")
        return 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    told = "the project's folder; without one the pack alone is put in place, or updated"
    parser.add_argument("dir", nargs="?", help=told)
    whom = parser.add_mutually_exclusive_group()
    local = "for you alone (the default, unless it is shared already)"
    whom.add_argument("--local", dest="shared", action="store_false", default=None, help=local)
    whom.add_argument("--shared", action="store_true", default=None, help="for all who have the project")
    parser.add_argument("--uninstall", action="store_true", help="take out exactly what was put in")
    parser.add_argument("--purge", action="store_true", help="with --uninstall: everything recorded too")
    parser.add_argument("--env", default="", help="folder of an environment to use; it is made where there is none")


def run(options: argparse.Namespace) -> Output:
    """Installs or uninstalls; exit 1 when it was not done, with the reason on stderr."""
    project = Path(options.dir).expanduser().resolve() if options.dir else None
    try:
        if options.purge and not options.uninstall:
            raise BadInput("--purge needs --uninstall", "", "Nothing was changed")
        if options.shared is not None and not project:
            raise BadInput("--shared and --local need the project's folder", "", "Nothing was changed")
        with contextlib.suppress(Fault):  # read before this very copy may go: what is printed needs them
            secret_table.load()
        if not options.uninstall:
            return answer(installer.install(project, options.env, options.shared))
        return answer(installer.uninstall(project, options.purge) if project else installer.remove_pack(options.purge))
    except (HoldfastError, OSError) as error:
        told = error if isinstance(error, HoldfastError) else _refused(error)
        what = one_line(told)
        aside(what, told.where)
        return Output(Failed(what), (), 1)


def _refused(error: OSError) -> Fault:
    where = str(error.filename2 or error.filename or pack.user_folder())
    todo = "See to that and run it again: it begins anew"
    return Fault(f"it cannot be written or read ({refusal(error)})", where, todo)


def answer(result: Installed | Uninstalled) -> Output:
    """The result, and in a few lines."""
    if isinstance(result, Uninstalled):
        place = " in .claude/holdfast" if result.project else ""
        them = "it" if len(result.kept) == 1 else "them"
        kept = f"; kept{place}: {', '.join(result.kept)} (--purge removes {them})" if result.kept else ""
        gone = f"; deleted{place}: {', '.join(result.deleted)}" if result.deleted else ""
        left = {
            "restored": "its settings are as they were before",
            "cleaned": "Holdfast's entries are out of its settings, all else stays",
            "removed": "its settings file held nothing else and is gone",
            "untouched": "its settings had no entry of Holdfast's",
        }
        whence = f"{result.project}; {left[result.settings]}" if result.project else "your home"
        head, rows = f"Holdfast is out of {whence}{gone}{kept}", []
    else:
        all_of = "for all your projects"
        head = f"Holdfast is in {result.project or f'{result.pack}, {all_of}'}"
        rows = list[tuple[str, str]]()
        if result.project:
            alone = result.settings.endswith(".local.json")
            own = "your own stays" if alone else "not set (it is each user's own); see docs/guide.md"
            rows += [
                ("  pack", f"{result.pack} ({all_of})"),
                ("  settings", f"{result.settings} ({'for you alone' if alone else 'for all who have the project'})"),
                ("  hooks", ", ".join(result.hooks)),
                ("  status line", "set" if result.status_line else own),
            ]
        rows += [
            ("  python", result.python),
            ("  packages", result.site_packages or "none: token counts are estimates"),
            ("  command", f"{result.pack}/bin/holdfast"),
            *([("  next", "start Claude Code anew in the project, then /holdfast-status")] if result.project else []),
        ]
    told = [*wrapped(head, screen()), *fitted(rows + [("  note:", note) for note in result.notes])]
    return Output(result, "\n".join(told), whole=True)
