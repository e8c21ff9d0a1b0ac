"""`holdfast knowledge`: build the documents of the project, check them, pass on a change to the levels it reaches."""

import argparse
import time

from holdfast.cli.output import emit_json, emit_table
from holdfast.knowledge import build, markers, propagation, schema, upkeep
from holdfast.knowledge.build import Place

NAME, HELP = "knowledge", "documents of four levels from memory and repository: build, check, update"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(_ACTIONS))
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print JSON")
    actions.add_parser("build", parents=[shared], help="write every document anew; what people wrote in them stays")
    actions.add_parser("check", parents=[shared], help="what does not fit; exit 1 if anything")
    update = actions.add_parser("update", parents=[shared], help="write what a change asks for, level by level")
    update.add_argument("--change", required=True, metavar="KIND", help=", ".join(propagation.MATRIX))
    update.add_argument("--section", default="", metavar="SECTION", help="§2.1, its number or folder; default: all")
    conditions = ", ".join(propagation.CONDITIONS)
    update.add_argument("--if", action="append", default=[], dest="said", metavar="CONDITION", help=conditions)
    actions.add_parser("table", parents=[shared], help="what belongs at which level, and what a change reaches")


def run(args: argparse.Namespace) -> int:
    """Exit 0, 1 when `check` finds something; raises BadInput for what cannot be asked, OSError for the disk."""
    return _ACTIONS[args.action](args, build.here(time.time()))


def _build(args: argparse.Namespace, place: Place) -> int:
    rows = [schema.Document(**one._asdict()) for one in build.build(place)]
    if args.json:
        emit_json(schema.Built(folder=place.folder, documents=rows).model_dump())
    else:
        emit_table([(row.marker, row.state, row.path) for row in rows])
    return 0


def _check(args: argparse.Namespace, place: Place) -> int:
    found = upkeep.check(place)
    if args.json:
        emit_json(schema.Checked(ok=not found, findings=found).model_dump())
    elif found:
        emit_table([(one.marker, one.check, f"{one.what}. {one.todo}") for one in found])
    else:
        print("the documents agree with each other, the files and the memory")
    return 1 if found else 0


def _update(args: argparse.Namespace, place: Place) -> int:
    told = upkeep.update(place, args.change, args.section, args.said)
    if args.json:
        emit_json(schema.Updated(change=args.change, levels=told).model_dump())
        return 0
    rows = []
    for one in told:
        written = ", ".join(f"{document.marker} {document.state}" for document in one.documents)
        files = "the files themselves" if one.due and one.level == 4 else written or "left as it is"
        rows.append((f"level {one.level}", one.why, files))
    emit_table(rows)
    return 0


def _table(args: argparse.Namespace, place: Place) -> int:
    reaches = {name: list(row) for name, row in propagation.MATRIX.items()}
    levels = [f"level {level}" for level in (1, 2, 3, 4)]
    if args.json:
        names = ("what", *(level.replace(" ", "") for level in levels))
        belongs = [dict(zip(names, (what, *row), strict=True)) for what, row in propagation.BELONGS.items()]
        emit_json(schema.Tables(belongs=belongs, reaches=reaches, limits=dict(markers.LIMITS)).model_dump())
        return 0
    emit_table([("", *levels), *((what, *(cell or "-" for cell in row)) for what, row in propagation.BELONGS.items())])
    print()
    emit_table([("change", *reversed(levels)), *((name, *row) for name, row in reaches.items())])
    return 0


_ACTIONS = {"build": _build, "check": _check, "update": _update, "table": _table}
