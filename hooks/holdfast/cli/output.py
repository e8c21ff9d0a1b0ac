"""How commands print: a JSON contract for programs, aligned lines for people."""

import json
from collections.abc import Iterable
from typing import Any


def emit_json(value: Any) -> None:
    """The machine-readable form, one object."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def emit_table(rows: Iterable[tuple[str, ...]]) -> None:
    """Rows in aligned columns; the last column is left as it is."""
    for line in aligned(rows):
        print(line)


def aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """The lines of a table."""
    table = [tuple(str(cell) for cell in row) for row in rows]
    if not table:
        return []
    widths = [max(len(row[i]) for row in table if i < len(row)) for i in range(max(map(len, table)))]
    padded = ([cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)] for row in table)
    return ["  ".join([*cells, row[-1]]).rstrip() for cells, row in zip(padded, table, strict=True)]
