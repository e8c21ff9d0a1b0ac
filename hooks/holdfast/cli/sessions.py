"""`holdfast sessions`: the sessions that are known, of this project or of all."""

import argparse
import time
from collections import Counter

from holdfast.cli.output import Output, aside, fitted
from holdfast.cli.stats import amount
from holdfast.hot import paths
from holdfast.ledger import hooks as ledger
from holdfast.report import stats
from holdfast.report.schema import ListedSession, Sessions
from holdfast.report.status import SHOWN
from holdfast.session.context import near_home
from holdfast.text.dates import seconds
from holdfast.text.lines import age, clip, ending, one_line
from holdfast.view.store import is_here, request

SIGNS = 8
"""Of an id, where no other begins so (`--session` takes a beginning)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--all", action="store_true", help="of all projects")
    parser.add_argument("--since", default="", metavar="7d", help="days or weeks (7d, 2w), or the first day, ISO")


def run(args: argparse.Namespace) -> Output:
    """Raises BadInput for what is no time."""
    state, here = paths.state_folder(), paths.project_folder()
    found = stats.gather(state, stats.first_day(args.since, time.time()))
    for problem in found.problems:
        aside(problem)
    entries = {(one["session"], one["project"]): one for one in ledger.entries(state)[0]}
    listed = [
        ListedSession(**one.model_dump(), request=request(entry) if entry and is_here(entry) else "")
        for one in found.sessions
        if args.all or one.project == here
        for entry in [entries.get((one.session, one.project))]
    ]
    answer = Sessions(project=None if args.all else here, sessions=listed, problems=found.problems)
    if not listed:
        when = " for that time" if args.since else ""
        return Output(
            answer, f"no session is known{when}" if args.all else f"no session is known here{when}; try --all"
        )
    alike = Counter(one.session[:SIGNS] for one in listed)
    rows = [
        (
            one.session[:SIGNS] if alike[one.session[:SIGNS]] == 1 else one.session,
            f"{age(time.time() - seconds(one.used))} ago",
            *(f"{one.turns:,}", f"{one.calls:,}", amount(one.kept_out)),
            "here" if one.files else "gone",
            *([ending(near_home(one.project), 24)] if args.all else []),
            clip(one_line(one.request), 100),
        )
        for one in reversed(listed)
    ]
    head = ["session", "used", "turns", "calls", "kept out", "files"]
    head += [*(["project"] if args.all else []), "asked first"]
    told = fitted([head, *rows], ("files", "calls", "kept out", "turns"))
    if any(one.kept_out < 0 for one in listed) and "kept out" in told[0]:
        told += ["", f"kept out: {SHOWN}."]
    return Output(answer, "\n".join(told))
