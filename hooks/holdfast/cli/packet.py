"""`holdfast packet`: what a session is told when it comes out of a compaction, for any transcript."""

import argparse
import os
import sys
import time

from holdfast.checkpoint.sections import FULL
from holdfast.cli.output import Output, aside, read_named
from holdfast.compaction import instructions, packet
from holdfast.compaction.schema import Packet, Section
from holdfast.errors import BadInput
from holdfast.hot import paths
from holdfast.hot.files import size_of
from holdfast.hot.paths import InSession
from holdfast.session import worklog
from holdfast.session.context import in_folder
from holdfast.session.reply import utf16_length
from holdfast.text.lines import counted
from holdfast.worklog import reader
from holdfast.worklog.model import Worklog


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--transcript", required=True, metavar="FILE", help="a session's transcript (.jsonl)")
    parser.add_argument("--max-chars", type=int, default=FULL, metavar="N", help=f"default {FULL:,}")
    parser.add_argument("--summary", metavar="FILE", help="the client's own summary: what it says is left out")
    parser.add_argument("--instructions", action="store_true", help="what the summariser is asked to keep, instead")


def run(args: argparse.Namespace) -> Output:
    """Raises BadInput for a file that is not there and for a budget that nothing fits into."""
    if args.max_chars < 500:
        raise BadInput(f"{args.max_chars} characters hold no packet", "--max-chars", "Give 500 or more")
    work = read(args.transcript)
    summary = read_named(args.summary, "Give a text file") if args.summary else ""
    found, text = packet.alone(work, args.max_chars, summary)
    if args.instructions:
        found, text = [], instructions.for_summariser(work)
    parts = [Section(title=title, lines=lines) for title, lines in found]
    facts = Packet(text=text, characters=utf16_length(text), sections=parts, skipped=work["skipped"])
    return Output(facts, text, whole=not sys.stdout.isatty())


def read(transcript: str) -> Worklog:
    """The work of a transcript, as its hooks have read it where they ran here. What is not known any more is said.

    Raises BadInput.
    """
    state, name = paths.state_folder(), os.path.basename(transcript).removesuffix(".jsonl")
    session = in_folder(state, paths.session_folder(state, name), time.time())
    known, noted = worklog.kept(session), str(session.read(InSession.LAST).get("transcript"))
    is_its_own = os.path.realpath(noted) == os.path.realpath(transcript) and known["offset"] <= size_of(transcript)
    work = reader.read_whole(transcript, known if is_its_own else None)
    if not work["messages"]:
        raise BadInput("no conversation in there", transcript, "Give a transcript of a session (.jsonl)")
    if work["skipped"]:
        aside(f"{counted(work['skipped'], 'line')} of {transcript} could not be read", transcript)
    if work["handed_in"]:
        told = "told as the user's here; hooks take what stands in the client's command line, which no transcript has"
        aside(f"{counted(work['handed_in'], 'prompt')} of {transcript} came through a program: {told}", transcript)
    return work
