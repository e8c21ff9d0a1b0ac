"""`holdfast show`: what stands behind a marker, the navigation index, and what is out of date."""

import argparse
import os
import sys
import time

from holdfast.cli.output import AGENT, Output
from holdfast.knowledge import build, navigation, schema, upkeep
from holdfast.knowledge.schema import ShownPlace
from holdfast.knowledge.views import shown
from holdfast.session.context import PROGRAM
from holdfast.text import quoting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("marker", nargs="*", metavar="MARKER", help="§1.0, §2.1, §3.1.2 or §4.path; § may be left out")
    parser.add_argument("--stale", action="store_true", help="the documents that are out of date, and in what")
    parser.add_argument("--fenced", action="store_true", help="as quoted data, as it is printed for a model")


def run(args: argparse.Namespace) -> Output:
    """Raises BadInput for what is no marker, not there, or outside of the project, OSError for the disk."""
    place = build.here(time.time())
    if args.stale:
        late = upkeep.stale(place)
        rows = [(one.marker, one.why, ", ".join(filter(None, one.parts))) for one in late]
        return Output(schema.Stale(stale=late), rows or "every document is up to date")
    whole = not sys.stdout.isatty()  # a table of Markdown that is broken is none
    if args.marker:
        opened = [shown(place, marker) for marker in args.marker]
        facts = [one.model_dump(exclude_none=True) for one in opened]
        texts = (_text(one, args.fenced or bool(os.environ.get(AGENT))) for one in opened)
        return Output(facts[0] if len(facts) == 1 else {"shown": facts}, "\n".join(texts), whole=whole)
    found = build.entries(place)
    text = navigation.page(found).rstrip() if found else f"no documents yet; make them: `{PROGRAM} knowledge build`"
    index = [schema.IndexEntry(**one._asdict()) for one in found]
    return Output(schema.NavigationIndex(folder=place.folder, index=index), text, whole=whole)


def _text(found: ShownPlace, fenced: bool) -> str:
    # Files are not fenced: a model that opens one with its own tools gets it as it is, too.
    told = found.text.rstrip("\n")
    return quoting.page(told, found.marker) if fenced and found.level < 4 else told
