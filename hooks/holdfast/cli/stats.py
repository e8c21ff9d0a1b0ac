"""`holdfast stats`: what the sessions of all projects saved and cost, by day, project and session."""

import argparse
import time
from collections.abc import Iterable, Sequence
from typing import Literal

from holdfast.cli.output import Output, Row, aside, fitted
from holdfast.errors import BadInput
from holdfast.gauge.pressure import short
from holdfast.hot import paths
from holdfast.memory import location, store
from holdfast.report import stats
from holdfast.report.schema import Money, Statistics, Totals
from holdfast.report.status import SHOWN
from holdfast.session.context import near_home, stamp
from holdfast.text.dates import seconds
from holdfast.text.lines import counted, ending

HEAD = ("sessions", "kept out", "put in", "asked", "compacted", "handoffs", "hooks", "spent")
FEW = 7
"""Rows of a table; --by shows all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_choice(parser)
    parser.add_argument("--team", action="store_true", help="of the team, by its server: people stand as projects")
    parser.add_argument("--by", choices=("day", "project", "session"), help="only this table, and all of it")


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Which sessions count."""
    parser.add_argument("--since", default="", metavar="7d", help="days or weeks (7d, 2w), or the first day, ISO")
    parser.add_argument("--project", default="", metavar="DIR", help="only this project: its folder, or its name")


def run(args: argparse.Namespace) -> Output:
    """Raises BadInput for what cannot be meant."""
    found = _of_team(args) if args.team else chosen(args)
    for problem in found.problems:
        aside(problem)
    if not found.total.sessions:
        return Output(found, "no session matches; figures come with the first turn")
    return Output(found, "\n".join(_lines(found, args.by)))


def chosen(args: argparse.Namespace) -> Statistics:
    """The figures that --since and --project ask for. Raises BadInput."""
    since, state = stats.first_day(args.since, time.time()), paths.state_folder()
    project = stats.folder_of(state, args.project) if args.project else ""
    own = location.folder_of() if project == paths.project_folder() else f"{project}/.claude/holdfast/memory"
    memories = [own] if project else location.all_folders()
    remembered = [stamp(seconds(one.time)) for folder in memories for one in store.Memory(folder).all()]
    return stats.gather(state, since, args.project, remembered)


def _of_team(args: argparse.Namespace) -> Statistics:
    from holdfast.cli import server  # only who has one pays for it

    if args.project:
        raise BadInput("the team's figures stand by people", "--project", "Leave it out")
    return stats.summed(server.entries(), stats.first_day(args.since, time.time()))


def _lines(found: Statistics, by: Literal["day", "project", "session"] | None) -> Iterable[str]:
    tables: dict[str, list[tuple[str, Totals]]] = {
        "day": [(one.day, one) for one in found.days],
        "project": [(ending(near_home(one.project), 24), one) for one in found.projects],
        "session": [(one.session[:8], one) for one in found.sessions],
    }
    rows: list[Row] = []
    for name in (by,) if by else tables:
        newest = tables[name][::-1]
        rows += [(f"by {name}", *HEAD), *((label, *_cells(one)) for label, one in newest[: None if by else FEW])]
        rows += [(f"{len(newest) - FEW} more: --by {name}", "")] * (len(newest) > FEW and not by) + [("", "")]
    less = ("hooks", "sessions", "compacted", "handoffs", "put in", "asked")
    shown = fitted([*rows, ("together", *_cells(found.total))], less)
    yield from [*shown, "", "kept out, put in, handoffs: tokens, estimated."]
    if found.total.extra_requests:
        yield "asked: extra requests, for sub-agents to cut their reports; spent includes them."
    if "  compacted" in shown[0]:
        yield "compacted: how often, and of the facts that must stay how many were kept."
    if any(one.digests.after > one.digests.before for one in (found.total, *found.sessions)):
        yield f"kept out: {SHOWN}."
    priced = f"list prices of {found.prices.as_of}, {found.prices.source}; no subscription's bill"
    yield f"money: at the API's {priced}."
    if lacking := found.total.agents_unknown:
        yield f"spent lacks what {counted(lacking, 'sub-agent')} cost: no transcript, or a torn one."
    if compacted := found.total.compactions.count:
        yield f"spent lacks the client's summariser, at {counted(compacted, 'compaction')}: no transcript has it."
    if found.total.money.unknown:
        models = ", ".join(one or "of a session whose model is not known" for one in found.total.money.unknown)
        yield f"price unknown: {models}."


def _cells(one: Totals) -> Sequence[str]:
    """Below HEAD."""
    facts, cut, money = one.compactions, one.handoffs, one.money
    return (
        str(one.sessions),
        amount(one.kept_out),
        amount(one.put_in),
        str(one.extra_requests),
        f"{facts.count} ({facts.kept}/{facts.must})" if facts.must else str(facts.count),
        f"{amount(cut.before)}→{amount(cut.after)}" if cut.count else "0",  # one word: it is not broken
        f"{one.hooks.ms / 1000:,.0f} s",
        dollars(money.spent, money),
    )


def amount(tokens: int) -> str:
    """`9,300`, and from there on `57k`."""
    return short(tokens) if tokens >= 10_000 else f"{tokens:,}"


def dollars(amount: float | None, money: Money) -> str:
    """`$1.20`, with a + where not all prices are known."""
    more = "+" if money.unknown else ""
    return "unknown" if amount is None else f"${amount:,.2f}{more}"
