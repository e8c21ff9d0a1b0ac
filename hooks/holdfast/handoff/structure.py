"""A report's lines by their marks, in any language, with their numbers: on top of the reader of text/markdown.py.

A report speaks for itself even where it is quoted or stands between tags, a fence that nobody closes is none, and a
short line that ends in a colon heads what follows it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from holdfast.text import markdown

BOLD, COLON = markdown.BOLD_LEVEL, markdown.BOLD_LEVEL + 1
"""Depths of headings without a `#`."""
WIDE_COLON, DASHES = "\uff1a", "-\u2013\u2014"
_BREAKS = dict.fromkeys((*b"\r\x0b\x0c\x1c\x1d\x1e\x85", 0x2028, 0x2029), " ")
"""What Python takes for the end of a line and an editor does not."""


class Line(NamedTuple):
    """One line that is not blank: its number from 1, and its text as it stands, without the blanks around it.

    kind: heading, item, row, code or text; depth: of a heading 1 to 6, BOLD or COLON, else its indentation; plain:
    without marks, of code and rows as it stands; language: of code what its fence says.
    """

    number: int
    text: str
    kind: str
    depth: int
    plain: str
    language: str = ""

    @property
    def field(self) -> tuple[str, str]:
        """(label, value) around the first colon; ("", "") where there are not both."""
        label, _, value = self.plain.replace(WIDE_COLON, ":", 1).partition(":")
        return (label.strip(), value.strip()) if value.strip() else ("", "")


def scan(text: str) -> list[Line]:
    """The lines of a text, without blank ones, rules and the marks of fences."""
    raw = text.translate(_BREAKS).split("\n")
    marked = list(map(_unwrapped, raw))
    for _ in range(3):  # fences that nobody closes, at most; behind more of them the text counts as code
        lines, opened = _scanned(raw, marked)
        if opened < 0:
            break
        marked[opened] = ""
    return lines


def _unwrapped(line: str) -> str:
    """A line without the marks of a quotation, and with a tag at its beginning as any other text."""
    bare = line.lstrip()
    return bare.lstrip("> ") if bare.startswith(">") else f".{bare}" if bare.startswith("<") else line


def _scanned(raw: list[str], marked: list[str]) -> tuple[list[Line], int]:
    """The lines, and the place of a fence that nobody closes, else -1."""
    found, opened = list[Line](), -1
    fence = language = ""
    for place, (text, read) in enumerate(zip(map(str.strip, raw), markdown.read("\n".join(marked)), strict=False)):
        said = read.text.strip()
        if read.kind != "code":
            found += _line(place + 1, text, read)
        elif not fence and said.startswith(("```", "~~~")):
            language = said.lstrip(said[0]).partition(" ")[0].lower()
            fence, opened = said[: len(said) - len(said.lstrip(said[0]))], place
        elif fence and said.startswith(fence) and not said.strip(fence[0]):
            fence, opened, language = "", -1, ""
        elif text:
            found.append(Line(place + 1, text, "code", 0, text, language))
    return found, opened


def _line(number: int, text: str, read: markdown.Line) -> Iterator[Line]:
    if read.kind in ("heading", "item"):
        yield Line(number, text, read.kind, read.depth, markdown.plain(read.text).strip("*_ "))
    elif read.kind == "row":
        yield Line(number, text, "row", read.depth, read.text)
    elif text and read.kind not in ("blank", "rule"):
        heads = text.endswith((":", WIDE_COLON)) and len(text) <= 80  # a longer one is a sentence
        kind, depth = ("heading", COLON) if heads else ("text", read.depth)
        yield Line(number, text, kind, depth, markdown.plain(text.lstrip("> ")))


def unnumbered(text: str) -> str:
    """A heading or label without the number in front of it."""
    number, _, rest = text.partition(" ")
    return rest.lstrip() if len(number) <= 4 and number[-1:] in (".", ")") and number[:-1].isdecimal() else text


def cells(row: Line) -> list[str]:
    """The cells of a table's row, without stress and code marks; [] for the line under its head."""
    return [cell.strip("*_`[]() ") for cell in markdown.cells(row.plain)]


def section(lines: list[Line], place: int) -> Iterator[Line]:
    """What stands under the heading at `place`."""
    for line in lines[place + 1 :]:
        if line.kind == "heading" and line.depth <= lines[place].depth:
            return
        yield line
