"""`holdfast status`: the gauge in full, for the session that was active last."""

import argparse
import time

from holdfast.cli.output import Output
from holdfast.errors import Fault
from holdfast.hot import paths
from holdfast.report import receipt, status
from holdfast.session import liveness
from holdfast.session.context import in_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--session", default="", metavar="ID", help="default: this one, else the newest")
    parser.add_argument("--receipt", action="store_true", help="what was put in and kept out, and what the hooks took")
    parser.add_argument("--line", action="store_true", help="only the /compact line for this moment")


def run(args: argparse.Namespace) -> Output:
    """Raises Fault when no session has run here with the pack."""
    state = paths.state_folder()
    folder = liveness.meant(state, args.session)
    if not folder:
        raise Fault("no session has run here yet", state, "Start Claude Code here, or see `holdfast doctor`")
    if args.receipt:
        bill = receipt.gather(in_folder(state, folder, time.time()))
        return Output(bill, receipt.lines(bill))
    facts = status.gather(state, folder, time.time())
    return Output(facts, facts.compact_line if args.line else status.lines(facts), whole=args.line)
