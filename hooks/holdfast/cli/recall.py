"""`holdfast recall`: what was said and done in a session, before its compactions too."""

import argparse
import itertools
import os

from holdfast.cli.output import AGENT, Output
from holdfast.errors import BadInput, Fault
from holdfast.hot import paths
from holdfast.hot.files import make_folder
from holdfast.hot.fingerprint import fingerprint
from holdfast.install.environment import cache_folder
from holdfast.recall import store
from holdfast.session import folders, liveness
from holdfast.text import quoting
from holdfast.text.lines import one_line

MOST = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help="a question, a name, a path, an exact string")
    parser.add_argument("--limit", type=int, default=5, metavar="N", help="passages; default 5, at most 50")
    parser.add_argument("--session", default="", metavar="ID", help="another session of this project")
    parser.add_argument("--project", action="store_true", help="all sessions of this project that were opened here")
    parser.add_argument("--transcript", default="", metavar="FILE", help="any session's transcript (.jsonl)")


def run(args: argparse.Namespace) -> Output:
    """Raises BadInput for a limit, a session or a file that is none, Fault where no session has run."""
    if not 0 < args.limit <= MOST:
        raise BadInput(f"{args.limit} passages", "--limit", f"Ask for 1 to {MOST}")
    query = " ".join(args.query)
    records = _records(args)
    found = [asked_of(query, args.limit, *record) for record in records]
    ranked = itertools.chain.from_iterable(itertools.zip_longest(*found))  # by place: scores of two records say nothing
    best = sorted(filter(None, ranked), key=lambda one: not store.holds(one, query.casefold()))[: args.limit]
    return Output(
        _facts(query, best) if args.json else None,
        told(best) or _nothing(records, not (args.project or args.session or args.transcript)),
    )


def _nothing(records: list[tuple[str, str]], is_own: bool) -> str:
    """Where it was looked for, and where else it may be for who has not said where to look."""
    which = os.path.basename(records[0][1] or records[0][0]).removesuffix(".jsonl")[:8]
    more = "; --project searches all sessions here" * is_own
    where = f"session {which}{more}" if len(records) == 1 else f"{len(records)} sessions"
    return f"nothing found in {where}; try a name, a path or other words"


def _facts(query: str, found: list[store.FoundPassage]) -> object:
    from holdfast.recall import schema  # pydantic takes as long as the search; only --json needs it

    return schema.Recalled(query=query, passages=[schema.passage(one) for one in found])


def asked_of(query: str, limit: int, transcript: str, folder: str) -> list[store.FoundPassage]:
    """Of one record; folder: of the session, "" where Holdfast has none; then the index stands in the user's cache."""
    place = folder
    if not folder:
        place = f"{cache_folder()}/recall/{fingerprint(os.path.realpath(transcript).encode())}"
        make_folder(place)
    with folders.unused(place):
        return store.ask(query, limit, f"{place}/{store.INDEX}", store.sources(transcript, folder))


def _records(args: argparse.Namespace) -> list[tuple[str, str]]:
    if args.transcript:
        if not os.path.isfile(args.transcript):
            raise BadInput("no such transcript", args.transcript, "Give a .jsonl file of Claude Code's")
        return [(args.transcript, "")]
    state = paths.state_folder()
    places = folders.listed(state) if args.project else [liveness.meant(state, args.session)]
    # a transcript that a clone names is nobody's of this machine
    found = ((str(liveness.noted(folder).get("transcript") or ""), folder) for folder in places if folder)
    there = [record for record in found if os.path.isfile(record[0])]
    if not there and args.session:
        raise BadInput("its transcript is gone", places[0], "Give a file: --transcript FILE")
    if not there:
        raise Fault("no session has run here yet", state, "Give a file: --transcript FILE")
    return there


def told(found: list[store.FoundPassage]) -> str:
    """The passages as they are printed: for an agent quoted as data."""
    text = "\n\n".join(f"{_head(answer)}\n{_body(answer)}" for answer in found)
    return quoting.page(text, "the record of this session", frame=quoting.RECORD) if os.environ.get(AGENT) else text


def _head(answer: store.FoundPassage) -> str:
    """How to read on: the row of the transcript, or the line of a file."""
    where = answer.path if answer.name == "transcript" else f"{answer.name}: {answer.path}"
    return one_line(f"[{answer.time[:16].replace('T', ' ')} row {answer.row} of {where}]").replace("[ ", "[")


def _body(answer: store.FoundPassage) -> str:
    """Who spoke begins a line, what was said no second one: no line of it poses as another speaker's, or as a head."""
    said = (quoting.clean(f"{piece.who}: {quoting.clean(piece.text)}") for piece in answer.pieces)
    return "\n".join(one.replace("\n", "\n  ") for one in said)
