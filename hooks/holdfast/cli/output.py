"""What commands answer and how it is printed: JSON for programs, text or tables for people.

On a terminal a table is drawn by `rich`: coloured, unless NO_COLOR is set, and to the width; one of many columns that
does not fit has a line for each row, with the headings before the cells. Anywhere else, and where that package is
missing, it is plain aligned text; one of many columns is fitted to COLUMNS, else to 100. For a model nothing is.
"""

import argparse
import contextlib
import dataclasses
import functools
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.text.lines import clip, one_line, seen
from holdfast.text.quoting import INVISIBLE, clean
from holdfast.text.redaction import redacted, redacted_in

Row = Sequence[str]
PATIENCE_S = 1
AGENT = "CLAUDECODE"
"""The client sets it in the shell that its tools run in: then a model reads what is printed."""


class Answer(NamedTuple):
    """What a command found: for programs, for people, and its exit code."""

    facts: Any
    """JSON, a model or a dataclass."""
    text: str | Iterable[Row] = ()
    """A text, or the rows of a table."""
    code: int = 0
    less: Sequence[str] = ()
    """Headings of the columns that a plain table goes without where it does not fit, the least important first."""


Run = Callable[[argparse.Namespace], Answer]
Parsers = dict[str, argparse.ArgumentParser]


def runs(parser: argparse.ArgumentParser, run: Run) -> None:
    """Makes this the parser of a command that answers: with --json, and with what it runs."""
    parser.add_argument("--json", action="store_true", help="print JSON")

    @functools.wraps(run)
    def shown(args: argparse.Namespace) -> Answer:
        with _waiting(parser.prog):
            return run(args)

    parser.set_defaults(run=shown, called=parser.prog)


@contextlib.contextmanager
def _waiting(what: str) -> Iterator[None]:
    """On a terminal, from the second second on, a line that counts them, gone in the end."""
    done, began = threading.Event(), time.monotonic()

    def count() -> None:
        while not done.wait(PATIENCE_S):
            print(f"\r{what}: {time.monotonic() - began:.0f} s", end="", file=sys.stderr, flush=True)

    clock = threading.Thread(target=count, daemon=True)
    try:
        if sys.stderr.isatty():
            clock.start()
        yield
    finally:
        done.set()
        if clock.ident:
            clock.join()
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def actions(parser: argparse.ArgumentParser, table: Mapping[str, tuple[Run, str]], required: bool = True) -> Parsers:
    """Gives a command its sub-commands, name -> (what it runs, help); their parsers by name, for options.

    required: the command alone does nothing.
    """
    chosen = parser.add_subparsers(required=required, metavar="|".join(table))
    made = {name: chosen.add_parser(name, help=told) for name, (_, told) in table.items()}
    for name, (run, _) in table.items():
        runs(made[name], run)
    return made


def tell(answer: Answer, as_json: bool) -> int:
    """Prints it in one of its forms; its exit code, whether or not it is read to its end."""
    try:
        if as_json:
            emit_json(answer.facts)
        elif isinstance(answer.text, str):
            print(text_of(answer))
        else:
            emit_table(_cells(answer.text), answer.less)
        sys.stdout.flush()
    except OSError as error:
        drop()
        if not isinstance(error, BrokenPipeError):
            raise
    return answer.code


def drop() -> None:
    """What is still to be printed is not: its reader (`head`) has had enough, and Python would complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def text_of(answer: Answer) -> str:
    """Its text, or its table as it is printed where no terminal is; without secrets."""
    if isinstance(answer.text, str):
        return clean(redacted(answer.text))
    return "\n".join(aligned([seen(cell) for cell in row] for row in _cells(answer.text)))


def _cells(rows: Iterable[Row]) -> Iterable[Row]:
    return ([one_line(redacted(str(cell))) for cell in row] for row in rows)


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


def emit_table(rows: Iterable[Row], less: Sequence[str] = ()) -> None:
    """Rows of cells, ragged or not; those of more than three begin with a row of headings. The last takes the rest."""
    table = [[seen(str(cell)) for cell in row] for row in rows]
    if table and not (sys.stdout.isatty() and _drawn(table)):
        print("\n".join(fitted(table, less) if max(map(len, table)) > 3 else aligned(table)))


def fitted(rows: Iterable[Row], less: Sequence[str] = ()) -> list[str]:
    """The lines of a plain table with headings, no wider than the screen: without the columns `less`, one by one, as
    long as it does not fit; what is still too long is clipped.
    """
    table, out = [[*map(str, row)] for row in rows], list[str]()
    room = sys.maxsize if os.environ.get(AGENT) else shutil.get_terminal_size((100, 0)).columns
    while (wide := max(map(_breadth, lines := aligned(table)), default=0) > room) and len(out) < len(less):
        out.append(less[len(out)])
        place = table[0].index(out[-1])
        table = [row[:place] + row[place + 1 :] for row in table]
    told = [f"(no room for {', '.join(out)}: a wider screen or --json has all)"] if out else []
    return [*(_clipped(line, room) for line in lines), *told] if wide or out else lines


def _breadth(line: str) -> int:
    """Columns of the screen; some letters take two."""
    try:
        from rich.cells import cell_len
    except ImportError:
        return len(line)
    return cell_len(line)


def _clipped(line: str, room: int) -> str:
    while _breadth(line) > room:
        line = clip(line, min(room, len(line) - 1))
    return line


def aligned(rows: Iterable[Row]) -> list[str]:
    """The lines of a plain table: columns padded with blanks and two blanks apart, the last one left as it is."""
    table = [[str(cell) for cell in row] for row in rows]
    widths: dict[int, int] = {}
    for row in table:
        for place, cell in enumerate(row):
            widths[place] = max(widths.get(place, 0), len(cell))
    padded = ([cell.ljust(widths[place]) for place, cell in enumerate(row[:-1])] + list(row[-1:]) for row in table)
    return ["  ".join(row).rstrip() for row in padded]


COLOURS = {"ok": "green", "off": "yellow", "!!": "bold red"}


def _drawn(table: Sequence[Row]) -> bool:
    """Whether `rich` was there to draw it. Cells are text, never its markup."""
    try:
        from rich.console import Console
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    console, columns = Console(highlight=False), max(map(len, table))
    if columns > 3 and max(map(len, aligned(table))) > console.width:
        for row in table[1:]:
            told = (f"{name} {cell}" for name, cell in zip(table[0][1:], row[1:], strict=False) if cell.strip("-"))
            console.print(Text(row[0], "bold"))
            console.print(Padding(Text(" · ".join(told)), (0, 0, 0, 2)))
        return True
    drawn = Table(box=None, pad_edge=False, show_header=False)
    for place in range(columns):
        widest = max(len(row[place]) for row in table if len(row) > place)
        drawn.add_column(no_wrap=place < columns - 1 and widest <= 30, overflow="fold")
    for number, row in enumerate(table):
        head = "bold" if columns > 3 and not number else ""
        drawn.add_row(*(Text(cell, head or COLOURS.get(cell, "")) for cell in row))
    console.print(drawn)
    return True
