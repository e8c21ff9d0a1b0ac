"""What commands answer and how it is printed: JSON for programs, text or tables for people.

All that people read goes one way: no wider than the screen (COLUMNS, the terminal, else 80), measured in its cells; a
path, a command between backticks and a line to paste stay whole. On a terminal headings are bold and marks coloured,
unless NO_COLOR is set. What a model reads is not broken at all.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from holdfast.errors import BadInput, Fault
from holdfast.session.context import PROGRAM
from holdfast.text.columns import cells, wrapped
from holdfast.text.lines import one_line, seen
from holdfast.text.quoting import INVISIBLE, clean
from holdfast.text.redaction import redacted, redacted_in

Row = Sequence[str]
PATIENCE_S = 1
AGENT = "CLAUDECODE"
"""The client sets it in the shell that its tools run in: then a model reads what is printed."""


class Output(NamedTuple):
    """What a command found: for programs, for people, and its exit code."""

    facts: Any
    """JSON, a model or a dataclass."""
    text: str | Iterable[Row] = ()
    """A text, or the rows of a table."""
    code: int = 0
    less: Sequence[str] = ()
    """Headings of the columns that a table goes without where it does not fit, the least important first."""
    whole: bool = False
    """Whether its text is to be pasted, kept or read by a program: no line of it is broken."""


Run = Callable[[argparse.Namespace], Output]


def runs(parser: argparse.ArgumentParser, run: Run) -> None:
    """Makes this the parser of a command that answers: with --json, and with what it runs."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_waiting(parser.prog)(run), called=parser.prog)


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


def actions(
    parser: argparse.ArgumentParser, table: Mapping[str, tuple[Run, str]], required: bool = True
) -> dict[str, argparse.ArgumentParser]:
    """Gives a command its sub-commands, name -> (what it runs, help); their parsers by name, for options.

    required: the command alone does nothing.
    """
    names = "|".join(table)
    chosen, made = parser.add_subparsers(required=required, metavar=names if len(names) < 60 else "ACTION"), {}
    for name, (run, told) in table.items():
        made[name] = chosen.add_parser(name, help=told)
        runs(made[name], run)
    return made


def tell(answer: Output, for_programs: bool) -> int:
    """Prints it in one of its two forms; its exit code, whether or not it is read to its end."""
    try:
        text = as_json(answer.facts) if for_programs else text_of(answer)
        print(text, end="\n" if text else "")
        sys.stdout.flush()
    except OSError as error:
        drop()
        if not isinstance(error, BrokenPipeError):
            raise
    return answer.code


def drop() -> None:
    """What is still to be printed is not: its reader (`head`) has had enough, and Python would complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def text_of(answer: Output) -> str:
    """Its text or table as people read it, or a model; without secrets."""
    if isinstance(answer.text, str):
        text = clean(redacted(answer.text))
        lines = (line for one in text.split("\n") for line in wrapped(one, screen(), hang="  "))
        return text if answer.whole else "\n".join(lines)
    rows = [[seen(one_line(redacted(str(cell)))) for cell in row] for row in answer.text]
    in_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    codes = {"": "1", "ok": "32", "off": "33", "!!": "1;31"} if in_colour else None  # of a cell; "": of headings
    return "\n".join(fitted(rows, answer.less, codes))


def emit_table(rows: Iterable[Row]) -> None:
    """Prints a table, as of an answer."""
    print(text_of(Output(None, rows)))


def emit_json(value: Any) -> None:
    """Prints the machine-readable form."""
    print(as_json(value))


def as_json(value: Any) -> str:
    """The machine-readable form: one value, in UTF-8, indented by two."""
    plain = json.loads(json.dumps(value, ensure_ascii=False, default=_plain))
    shown = json.dumps(redacted_in(plain), indent=2, ensure_ascii=False)
    return INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], shown)


def read_named(name: str, todo: str) -> str:
    """The text of a file that the user names, which may be a pipe of the shell; "-" is stdin. Raises BadInput."""
    most = 64_000_000  # some have no end
    try:
        if name == "-":
            text = sys.stdin.buffer.read(most + 1).decode("utf-8", "replace")
        else:
            with open(name, encoding="utf-8", errors="replace") as file:
                text = file.read(most + 1)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", name, todo) from None
    if len(text) > most:
        raise BadInput(f"has more than {most:,} characters", name, todo)
    return text


def aside(told: object, whole: str = "", before: str = "holdfast") -> None:
    """Prints to stderr: one line, on a terminal broken to its width. whole: what of it stays whole, as a path."""
    width = screen() if sys.stderr.isatty() else sys.maxsize
    try:
        said = redacted(str(told))
    except Fault as damaged:  # what no secret can be taken out of is not printed
        said = str(damaged)
    line = f"{before}: {to_paste(one_line(said))}"
    print("\n".join(wrapped(line, width, one_line(whole))), file=sys.stderr)


def to_paste(told: str) -> str:
    """Words of ours with the commands that they name as this pack is called."""
    return told.replace("`holdfast ", f"`{PROGRAM} ")


def _plain(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else dataclasses.asdict(value)


def screen() -> int:
    """Cells of a line."""
    return sys.maxsize if os.environ.get(AGENT) else shutil.get_terminal_size((80, 0)).columns


def fitted(rows: Iterable[Row], less: Sequence[str] = (), colours: Mapping[str, str] | None = None) -> list[str]:
    """The lines of a table, its columns two blanks apart, no wider than the screen: without the columns `less`, one by
    one, as long as it does not fit, and with those again that still have room; then cells are broken between words.

    Rows may be ragged; those of more than three cells begin with headings. colours: None for none.
    """
    whole = [[*map(str, row)] for row in rows]
    out = next((less[:n] for n in range(len(less)) if _wants(_without(whole, less[:n])) <= screen()), less)
    for name in out[::-1]:
        fewer = [one for one in out if one != name]
        out = fewer if _wants(_without(whole, fewer)) <= screen() else out
    table = _without(whole, out)
    widths, lines = _widths(table), list[str]()
    for number, row in enumerate(table):
        head = "" if number == 0 and len(row) > 3 else None
        codes = [(colours or {}).get(cell if head is None else head, "") for cell in row]
        for parts in zip_longest(*map(wrapped, row, widths), fillvalue=""):
            padded = [f"{part}{' ' * (width - cells(part))}" for part, width in zip(parts[:-1], widths, strict=False)]
            shown = [
                f"\x1b[{code}m{part}\x1b[0m" if code else part
                for code, part in zip(codes, [*padded, *parts[-1:]], strict=True)
            ]
            lines.append("  ".join(shown).rstrip())
    told = f"(no room for {', '.join(out)}: a wider screen or --json has all)"
    return [*lines, *(wrapped(told, screen()) if out else ())]


def _without(table: list[list[str]], names: Sequence[str]) -> list[list[str]]:
    places = {table[0].index(name) for name in names}
    return [[cell for place, cell in enumerate(row) if place not in places] for row in table]


def _natural(table: Sequence[Row]) -> list[int]:
    columns = zip_longest(*table, fillvalue="")
    return [max(map(cells, column)) for column in columns]


def _wants(table: Sequence[Row]) -> int:
    """Cells of a line in which no column but the last is broken, and that not below a third of the screen."""
    *others, last = _natural(table) or [0]
    return sum(others) + 2 * len(others) + min(last, screen() // 3)


def _widths(table: Sequence[Row]) -> list[int]:
    """Of each column: the widest are broken first, none but the last below its longest word."""
    *widths, last = _natural(table) or [0]
    parts = (
        filter(None, (one for cell in column for one in wrapped(cell, 10)))
        for column in zip_longest(*table, fillvalue="")
    )
    words = [max(map(cells, column), default=0) for column in parts] or [0]
    room = min(last, max(screen() // 3, min(words[-1], screen() // 2)))
    while sum(widths) + 2 * len(widths) + room > screen():
        loose = [width * (width > least) for width, least in zip(widths, words, strict=False)]
        if not any(loose):
            break
        widths[loose.index(max(loose))] -= 1
    return [*widths, max(10, screen() - sum(widths) - 2 * len(widths))]
