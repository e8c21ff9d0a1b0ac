"""How commands print: JSON for programs, tables for people.

On a terminal a table is drawn by `rich`: coloured, and cut to the width. Anywhere else, and where that package is
missing, it is plain aligned text, which stays as it is from version to version.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

Row = Sequence[str]


def emit_json(value: Any) -> None:
    """The machine-readable form: one value, in UTF-8, indented by two."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def emit_table(rows: Iterable[Row], head: Row = ()) -> None:
    """Rows of cells below an optional row of headings; rows may be ragged, the last column takes what is left."""
    table = [[str(cell) for cell in row] for row in rows]
    if not (sys.stdout.isatty() and _drawn(table, head)):
        print("".join(line + "\n" for line in aligned([head, *table] if head else table)), end="")


def aligned(rows: Iterable[Row]) -> list[str]:
    """The lines of a plain table: columns padded with blanks and two blanks apart, the last one left as it is."""
    table = [[str(cell) for cell in row] for row in rows]
    widths: dict[int, int] = {}
    for row in table:
        for place, cell in enumerate(row):
            widths[place] = max(widths.get(place, 0), len(cell))
    padded = ([cell.ljust(widths[place]) for place, cell in enumerate(row[:-1])] + list(row[-1:]) for row in table)
    return ["  ".join(row).rstrip() for row in padded]


def _drawn(table: Sequence[Row], head: Row) -> bool:
    """Whether `rich` was there to draw it. Cells are text, never its markup."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    drawn = Table(box=None, pad_edge=False, show_header=bool(head), header_style="bold")
    last = max(map(len, [head, *table])) - 1
    for place in range(last + 1):
        drawn.add_column(head[place] if place < len(head) else "", no_wrap=place < last, overflow="fold")
    for row in table:
        drawn.add_row(*map(Text, row))
    Console().print(drawn)
    return True
