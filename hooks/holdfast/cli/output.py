"""What commands answer and how it is printed: JSON for programs, text or tables for people.

On a terminal a table is drawn by `rich`: coloured, and cut to the width. Anywhere else, and where that package is
missing, it is plain aligned text, which stays as it is from version to version.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.text.lines import one_line, seen
from holdfast.text.quoting import INVISIBLE, clean
from holdfast.text.redaction import redacted, redacted_in

Row = Sequence[str]
AGENT = "CLAUDECODE"
"""The client sets it in the shell that its tools run in: then a model reads what is printed."""


class Answer(NamedTuple):
    """What a command found: for programs, for people, and its exit code."""

    facts: Any
    """JSON, a model or a dataclass."""
    text: str | Iterable[Row] = ()
    """A text, or the rows of a table."""
    code: int = 0


Run = Callable[[argparse.Namespace], Answer]
Parsers = dict[str, argparse.ArgumentParser]


def runs(parser: argparse.ArgumentParser, run: Run) -> None:
    """Makes this the parser of a command that answers: with --json, and with what it runs."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def actions(parser: argparse.ArgumentParser, table: Mapping[str, tuple[Run, str]]) -> Parsers:
    """Gives a command its sub-commands, name -> (what it runs, help); their parsers by name, for options."""
    chosen = parser.add_subparsers(required=True, metavar="|".join(table))
    made = {name: chosen.add_parser(name, help=told) for name, (_, told) in table.items()}
    for name, (run, _) in table.items():
        runs(made[name], run)
    return made


def tell(answer: Answer, as_json: bool) -> int:
    """Prints it in one of its forms; its exit code."""
    if as_json:
        emit_json(answer.facts)
    elif isinstance(answer.text, str):
        print(clean(redacted(answer.text)))
    else:
        emit_table([one_line(redacted(str(cell))) for cell in row] for row in answer.text)
    return answer.code


def emit_json(value: Any) -> None:
    """The machine-readable form: one value, in UTF-8, indented by two."""
    print(as_json(value))


def as_json(value: Any) -> str:
    """The value as it is printed."""
    plain = json.loads(json.dumps(value, ensure_ascii=False, default=_plain))
    shown = json.dumps(redacted_in(plain), indent=2, ensure_ascii=False)
    return INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], shown)


def _plain(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else dataclasses.asdict(value)


def emit_table(rows: Iterable[Row]) -> None:
    """Rows of cells, ragged or not, the first with the headings if there are any; the last column takes the rest."""
    table = [[seen(str(cell)) for cell in row] for row in rows]
    if table and not (sys.stdout.isatty() and _drawn(table)):
        print("\n".join(aligned(table)))


def aligned(rows: Iterable[Row]) -> list[str]:
    """The lines of a plain table: columns padded with blanks and two blanks apart, the last one left as it is."""
    table = [[str(cell) for cell in row] for row in rows]
    widths: dict[int, int] = {}
    for row in table:
        for place, cell in enumerate(row):
            widths[place] = max(widths.get(place, 0), len(cell))
    padded = ([cell.ljust(widths[place]) for place, cell in enumerate(row[:-1])] + list(row[-1:]) for row in table)
    return ["  ".join(row).rstrip() for row in padded]


def _drawn(table: Sequence[Row]) -> bool:
    """Whether `rich` was there to draw it. Cells are text, never its markup."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    drawn = Table(box=None, pad_edge=False, show_header=False)
    last = max(map(len, table)) - 1
    for place in range(last + 1):
        drawn.add_column(no_wrap=place < last, overflow="fold")
    for row in table:
        drawn.add_row(*map(Text, row))
    Console().print(drawn)
    return True
