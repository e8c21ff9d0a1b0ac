"""`holdfast knowledge`: build the documents of the project, check them, pass on a change to the levels it reaches."""

import argparse
import time

from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import Fault
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
    update.add_argument(
        "--if", action="append", default=[], dest="said", metavar="CONDITION", help=", ".join(propagation.CONDITIONS)
    )
    actions.add_parser("table", parents=[shared], help="what belongs at which level, and what a change reaches")


def run(args: argparse.Namespace) -> int:
    """Exit 0, 1 when `check` finds something; raises BadInput for what cannot be asked, Fault for the disk."""
    place = build.here(time.time())
    try:
        return _ACTIONS[args.action](args, place)
    except BrokenPipeError:  # the reader has had enough
        raise
    except OSError as error:
        raise Fault(f"it cannot be written ({error.strerror})", place.folder, "See `holdfast doctor`") from error


def _build(args: argparse.Namespace, place: Place) -> int:
    changes = build.build(place)
    if args.json:
        emit_json({"folder": place.folder, "documents": [_row(one, place) for one in changes]})
    else:
        emit_table([(one.marker, one.state, f"{place.folder}/{one.path}") for one in changes])
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
    if args.json:
        emit_json(
            {"belongs": [one._asdict() for one in markers.TABLE], "reaches": reaches, "limits": dict(markers.LIMITS)}
        )
        return 0
    head = ("", *(f"level {level}" for level in (1, 2, 3, 4)))
    emit_table([head, *((one.what, *(cell or "-" for cell in one[1:])) for one in markers.TABLE)])
    print()
    emit_table(
        [("change", *(f"level {level}" for level in (4, 3, 2, 1))), *((name, *row) for name, row in reaches.items())]
    )
    return 0


def _cell(cell: propagation.Cell) -> str:
    when = cell.when if cell.when in (propagation.ALWAYS, propagation.NEVER) else f"if {cell.when}"
    return f"{when}: {', '.join(cell.parts)}" if cell.parts else when


_ACTIONS = {"build": _build, "check": _check, "update": _update, "table": _table}
