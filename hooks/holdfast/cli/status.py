"""`holdfast status`: the gauge in full, for the session that was active last."""

import argparse
import os
import time

from holdfast.cli.output import Output
from holdfast.compaction import instructions
from holdfast.errors import Fault
from holdfast.gauge import hooks as gauge
from holdfast.gauge import pressure
from holdfast.hot import paths
from holdfast.hot.paths import InSession
from holdfast.memory import hooks as memory
from holdfast.session import liveness, worklog
from holdfast.session.context import Session, in_folder
from holdfast.session.event import from_fields


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
    session = in_folder(state, folder, time.time())
    try:
        from holdfast.report import receipt, status
    except ModuleNotFoundError as error:
        if args.receipt or args.json or error.name != "pydantic":
            raise
        return _without_packages(session, args.line)
    if args.receipt:
        bill = receipt.gather(session)
        return Output(bill, receipt.lines(bill))
    facts = status.gather(state, folder, session.now)
    return Output(facts, facts.compact_line if args.line else status.lines(facts), whole=args.line)


def _without_packages(session: Session, only_line: bool) -> Output:
    """What the hooks themselves know."""
    transcript, name = str(session.read(InSession.LAST).get("transcript") or ""), os.path.basename(session.folder)
    event = from_fields({"transcript_path": transcript, "session_id": name}, "Stop")
    line = instructions.compact_line(worklog.fold(event, session, write=False), *memory.standing(session))
    reading = gauge.read(event, session, by_hooks=True)
    rows = [
        ("session", name[:8]),
        ("zone", f"{reading.zone}: {pressure.advice(reading.zone, session.config['pressure.preset'])}"),
        ("used", pressure.use(reading.tokens, reading.limit)),
        ("to compact", line),
        *(("problem", problem) for problem in session.problems),
        ("problem", "packages are missing, the rest is not known without them: see `holdfast doctor`"),
    ]
    return Output(dict(rows), line if only_line else rows, whole=only_line)
