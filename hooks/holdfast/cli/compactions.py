"""`holdfast compactions`: what each compaction was, what came of it, and what of the facts survived."""

import argparse
import os

from holdfast.cli.bench import of_checkout
from holdfast.cli.output import Output, fitted
from holdfast.cli.stats import amount
from holdfast.compaction import hooks
from holdfast.compaction.schema import Compaction, whole
from holdfast.compaction.verify import VERDICTS
from holdfast.config import load
from holdfast.hot import paths
from holdfast.llm import ask
from holdfast.text.lines import one_line

HEAD = (
    *("time", "session", "trigger", "before", "after", "calls"),
    *("in summary", *VERDICTS, "must stay", "told", "hooks ms"),
)
MEANT = {
    "in summary": "facts found in the summary itself, of all facts of the window.",
    "must stay": "of the facts that must stay, those in the summary or in what was put back.",
}
LESS = ("hooks ms", "calls", "told", *VERDICTS, "in summary", "instructions", "trigger", "session")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--judge",
        metavar="MODEL",
        help="first have a model judge the last compaction: claude, claude:MODEL (the command), or a model of the API; "
        "from a checkout",
    )


def run(args: argparse.Namespace) -> Output:
    """An empty log is no fault. A judge that fails is one: nothing is listed then."""
    state = paths.state_folder()
    if args.judge:
        values, _ = load.load(state, dict(os.environ))
        of_checkout("benchmarks.compaction.judge").last(state, ask.chosen(args.judge, values))
    found = list(whole(hooks.log(state)))
    if not found:
        return Output(found, f"no compaction recorded yet ({state})")
    more = [name for name in ("judge", "instructions") if any(getattr(one, name) for one in found)]
    rows = ([one_line(cell, 100) for cell in _row(one, more)] for one in found)
    told = fitted([[*HEAD, *more], *rows], [name for name in LESS if name in (*HEAD, *more)])
    meant = [f"{name}: {words}" for name, words in MEANT.items() if name in told[0]]
    return Output(found, "\n".join([*told, "", *meant]))


def _row(one: Compaction, more: list[str]) -> tuple[str, ...]:
    """more: of the columns that stand only where there is something for them."""
    after = None if one.after_source == "summary" else one.tokens_after  # that of the window was not seen
    facts, must, judge = one.facts or {}, one.must or {}, one.judge or {}
    alone = one.facts_in_summary or {}
    return (
        one.time,
        one.session[:8] or "-",
        one.trigger,
        amount(one.tokens_before),
        "unknown" if after is None else amount(after),
        str(one.tool_calls),
        f"{alone.get('retained', 0)}/{sum(alone.values())}" if alone else "-",
        *(str(facts.get(name, "-")) for name in VERDICTS),
        f"{must.get('held', 0) + must.get('on_page', 0)}/{must.get('items', 0)}" if must else "-",
        "yes" if one.corrected else "waiting" if one.correction else "-",
        "-" if one.hooks_ms is None else str(one.hooks_ms),
        *([f"{judge.get('score')}/5 by {judge.get('model')}" if judge else "-"] if "judge" in more else []),
        *([one.instructions] if "instructions" in more else []),
    )
