"""`holdfast knowledge`: build the documents of the project, check them, pass on a change to the levels it reaches."""

import argparse
import time

from holdfast.cli.output import Output, actions, fitted, to_paste
from holdfast.knowledge import build, markers, propagation, schema, upkeep


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    table = {
        "build": (_build, "write every document anew; what people wrote in them stays"),
        "check": (_check, "what does not fit; exit 1 if anything"),
        "update": (_update, "write what a change asks for, level by level"),
        "table": (_table, "what belongs at which level, and what a change reaches"),
    }
    update = actions(parser, table)["update"]
    update.add_argument("--change", required=True, metavar="KIND", help=", ".join(propagation.MATRIX))
    update.add_argument("--section", default="", metavar="SECTION", help="§2.1, its number or folder; default: all")
    conditions = ", ".join(propagation.CONDITIONS)
    update.add_argument("--if", action="append", default=[], dest="said", metavar="CONDITION", help=conditions)


def _build(args: argparse.Namespace) -> Output:
    place = build.here(time.time())
    rows = [upkeep.written(place, one) for one in build.build(place)]
    table = [(row.marker, row.state, row.path) for row in rows]
    return Output(schema.Built(folder=place.folder, documents=rows), table)


def _check(args: argparse.Namespace) -> Output:
    found = upkeep.check(build.here(time.time()))
    rows = [(one.marker, one.check, f"{one.what}. {to_paste(one.todo)}") for one in found]
    fine = "the documents agree with each other, the files and the memory"
    return Output(schema.ConsistencyCheck(ok=not found, findings=found), rows or fine, 1 if found else 0)


def _update(args: argparse.Namespace) -> Output:
    told = upkeep.update(build.here(time.time()), args.change, args.section, args.said)
    rows = []
    for one in told:
        written = ", ".join(f"{document.marker} {document.state}" for document in one.documents)
        files = "the files themselves" if one.due and one.level == 4 else written or "left as it is"
        rows.append((f"level {one.level}", one.why, files))
    return Output(schema.Updated(change=args.change, levels=told), rows)


def _table(args: argparse.Namespace) -> Output:
    reaches = {name: list(row) for name, row in propagation.MATRIX.items()}
    names = [f"level {level}" for level in (1, 2, 3, 4)]
    keys = ("what", *(name.replace(" ", "") for name in names))
    belongs = [dict(zip(keys, (what, *row), strict=True)) for what, row in propagation.BELONGS.items()]
    text = [
        *fitted(
            [("what", *names), *((what, *(cell or "-" for cell in row)) for what, row in propagation.BELONGS.items())]
        ),
        "",
        *fitted([("change", *reversed(names)), *((name, *row) for name, row in reaches.items())]),
    ]
    return Output(schema.RuleTables(belongs=belongs, reaches=reaches, limits=dict(markers.LIMITS)), "\n".join(text))
