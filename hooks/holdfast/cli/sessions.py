"""`holdfast sessions`: the sessions that are known, of this project or of all."""

import argparse
import time

from holdfast.cli.output import Answer, aside
from holdfast.cli.stats import amount, shown_folder
from holdfast.hot import paths
from holdfast.report import stats
from holdfast.report.schema import Sessions
from holdfast.text.dates import seconds
from holdfast.text.lines import age

HEAD = ("session", "used", "turns", "calls", "kept out", "compactions", "files", "project")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--all", action="store_true", help="of all projects")
    parser.add_argument("--since", default="", metavar="7d", help="days or weeks (7d, 2w), or the first day, ISO")


def run(args: argparse.Namespace) -> Answer:
    """Raises BadInput for what is no time."""
    since = stats.first_day(args.since, time.time()) if args.since else ""
    found, here = stats.gather(paths.state_folder(), since), paths.project_folder()
    for problem in found.problems:
        aside(problem)
    listed = [one for one in found.sessions if args.all or one.project == here]
    answer = Sessions(project=None if args.all else here, sessions=listed, problems=found.problems)
    if not listed:
        return Answer(answer, "no session is known" if args.all else "no session is known here; try --all")
    rows = [
        (
            one.session,
            f"{age(time.time() - seconds(one.used))} ago",
            *(str(one.turns), str(one.calls), amount(one.kept_out), str(one.compactions.count)),
            "here" if one.files else "gone",
            shown_folder(one.project),
        )
        for one in reversed(listed)
    ]
    return Answer(answer, [HEAD, *rows], less=("compactions", "turns", "files", "calls", "kept out"))
