"""`holdfast packet`: what a session is told when it comes out of a compaction, for any transcript."""

import argparse

from holdfast.checkpoint.sections import FULL
from holdfast.cli.output import Output, aside, read_named
from holdfast.compaction import instructions, packet
from holdfast.compaction.schema import Packet, Section
from holdfast.errors import BadInput
from holdfast.session.reply import utf16_length
from holdfast.text.lines import counted
from holdfast.worklog import reader


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
    work = reader.read_whole(args.transcript)
    if not work["messages"]:
        raise BadInput("no conversation in there", args.transcript, "Give a transcript of a session (.jsonl)")
    if work["skipped"]:
        aside(f"{counted(work['skipped'], 'line')} of {args.transcript} could not be read", args.transcript)
    summary = read_named(args.summary, "Give a text file") if args.summary else ""
    found, text = packet.alone(work, args.max_chars, summary)
    if args.instructions:
        found, text = [], instructions.for_summariser(work)
    parts = [Section(title=title, lines=lines) for title, lines in found]
    return Output(Packet(text=text, characters=utf16_length(text), sections=parts, skipped=work["skipped"]), text)
