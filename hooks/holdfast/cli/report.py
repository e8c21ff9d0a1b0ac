"""`holdfast report`: the figures of `holdfast stats` and one session's window as a page to look at."""

import argparse
import os
import time
import webbrowser

from holdfast.cli.output import Output
from holdfast.cli.stats import add_choice, chosen
from holdfast.errors import BadInput, Fault
from holdfast.hot import paths, provenance
from holdfast.hot.files import read_text, write_atomic
from holdfast.ledger import hooks as ledger
from holdfast.report import page, trace
from holdfast.report.schema import Statistics, Trace, Written
from holdfast.session import liveness
from holdfast.session.context import stamp
from holdfast.text.lines import one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_choice(parser)
    parser.add_argument("--output", default="", metavar="FILE", help="default: ~/.claude/holdfast/ledger/report.html")
    parser.add_argument("--session", default="", metavar="ID", help="whose window is drawn; default: the newest here")
    parser.add_argument("--open", action="store_true", help="open it in the browser")


def run(args: argparse.Namespace) -> Output:
    """Raises BadInput for an unknown session or folder, Fault for missing packages or an unknown home, OSError."""
    found, home = chosen(args), ledger.folder()
    if not args.output and not home:
        raise Fault("there is no home to put the page into", "HOME", "Name a file: --output FILE")
    path = os.path.abspath(args.output or f"{home}/report.html")
    if args.output and not os.path.isdir(os.path.dirname(path)):
        raise BadInput("there is no such folder", os.path.dirname(path), "Make it, or name another file: --output FILE")
    if os.path.lexists(path) and not read_text(path, 200).lstrip().startswith(page.BEGINS):
        raise BadInput("something else stands there already", path, "Name another file: --output FILE")
    facts = Written(path=path, stats=found, trace=_trace(args.session, found))
    text = page.page(facts, stamp(time.time()))
    if not args.output:
        provenance.private_folder(home)
    write_atomic(path, text)
    lines = [f"written: {path} ({len(text) // 1024:,} KB)"]
    if args.session and not facts.trace:
        lines.append(f"the files of session {args.session} are gone: its window is not drawn")
    if args.open and not webbrowser.open(f"file://{path}"):
        lines.append("no browser was found here; open the file in yours")
    return Output(facts, "\n".join(lines))


def _trace(named: str, found: Statistics) -> Trace | None:
    """Of the session that is named, by its id or the beginning of it, else the newest of the project or here."""
    now, state = time.time(), paths.state_folder()
    if not named and found.project:
        named = next((one.session for one in reversed(found.sessions) if one.files), "")
        if not named:
            return None
    elif not named:
        folder = liveness.meant(state)
        return trace.gather(state, folder, paths.project_folder(), now) if folder else None
    meant = [one for one in ledger.entries(state)[0] if one["session"].startswith(named)]
    if len(meant) != 1:
        known = ", ".join(one.session for one in found.sessions[-5:]) or "none yet"
        said = "several sessions begin so" if meant else "there is no such session"
        raise BadInput(said, one_line(named, 100), one_line(f"The newest are: {known}"))
    folder = ledger.folder_of(meant[0])
    return trace.gather(meant[0]["state"], folder, meant[0]["project"], now) if os.path.isdir(folder) else None
