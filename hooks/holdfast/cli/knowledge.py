"""`holdfast knowledge`: build the documents of the project, check them, pass on a change to the levels it reaches."""

import argparse
import time

from holdfast.cli.output import emit_json, emit_table
from holdfast.knowledge import build, markers, propagation
from holdfast.knowledge.build import Change, Place

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
    rows = [_row(one, place) for one in build.build(place)]
    if args.json:
        emit_json({"folder": place.folder, "documents": rows})
    else:
        emit_table([(row["marker"], row["state"], row["path"]) for row in rows])
    return 0


def _row(change: Change, place: Place) -> dict[str, str]:
    return {"marker": change.marker, "state": change.state, "path": f"{place.folder}/{change.path}"}


def _check(args: argparse.Namespace, place: Place) -> int:
    found = build.check(place)
    if args.json:
        emit_json({"ok": not found, "findings": [one._asdict() for one in found]})
    elif found:
        emit_table([(one.marker, one.check, f"{one.what}. {one.todo}") for one in found])
    else:
        print("the documents agree with each other, the files and the memory")
    return 1 if found else 0


def _update(args: argparse.Namespace, place: Place) -> int:
    told = build.update(place, args.change, args.section, args.said)
    if args.json:
        levels = [{**due._asdict(), "documents": [_row(one, place) for one in changes]} for due, changes in told]
        emit_json({"change": args.change, "levels": levels})
        return 0
    rows = []
    for due, changes in told:
        written = ", ".join(f"{one.marker} {one.state}" for one in changes)
        files = "the files themselves" if due.due and due.level == 4 else written or "left as it is"
        rows.append((f"level {due.level}", due.why, files))
    emit_table(rows)
    return 0


def _table(args: argparse.Namespace, place: Place) -> int:
    reaches = {name: [_cell(cell) for cell in row] for name, row in propagation.MATRIX.items()}
    levels = [f"level {level}" for level in (1, 2, 3, 4)]
    if args.json:
        names = ("what", *(level.replace(" ", "") for level in levels))
        belongs = [dict(zip(names, (what, *row), strict=True)) for what, row in markers.TABLE.items()]
        emit_json({"belongs": belongs, "reaches": reaches, "limits": dict(markers.LIMITS)})
        return 0
    emit_table([("", *levels), *((what, *(cell or "-" for cell in row)) for what, row in markers.TABLE.items())])
    print()
    emit_table([("change", *reversed(levels)), *((name, *row) for name, row in reaches.items())])
    return 0


def _cell(cell: propagation.Cell) -> str:
    when = cell.when if cell.when in (propagation.ALWAYS, propagation.NEVER) else f"if {cell.when}"
    return f"{when}: {', '.join(cell.parts)}" if cell.parts else when


_ACTIONS = {"build": _build, "check": _check, "update": _update, "table": _table}
