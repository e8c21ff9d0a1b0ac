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
_COLON_CHARS = 80
"""A longer line that ends in a colon is a sentence that leads to what follows."""
_BREAKS = dict.fromkeys((*b"\r\x0b\x0c\x1c\x1d\x1e\x85", 0x2028, 0x2029), " ")
"""What Python takes for the end of a line and an editor does not."""
_REREAD = 3
"""Fences that nobody closes, at most, behind which the text is read as text."""


class Line(NamedTuple):
    """One line that is not blank, and what it is by its marks."""

    number: int
    """From 1, as an editor counts them."""
    text: str
    """As it stands, without the blanks around it."""
    kind: str
    """heading, item, row, code or text."""
    depth: int
    """Of a heading 1 to 6, BOLD or COLON; of another line its indentation."""
    plain: str
    """Without marks of heading, list, stress and code; of code and rows as it stands."""
    language: str = ""
    """Of code: what its fence says."""

    @property
    def field(self) -> tuple[str, str]:
        """(label, value) around the first colon; ("", "") where there are not both."""
        label, _, value = self.plain.replace(WIDE_COLON, ":", 1).partition(":")
        return (label.strip(), value.strip()) if value.strip() else ("", "")


def scan(text: str) -> list[Line]:
    """The lines of a text, without blank ones, rules and the marks of fences."""
    return list(_scanned(text.translate(_BREAKS).split("\n"), 1, _REREAD))


def _scanned(raw: list[str], first: int, rereads: int) -> Iterator[Line]:
    fence = language = ""
    opened, held = 0, list[Line]()
    for place, (shown, read) in enumerate(zip(raw, markdown.read("\n".join(map(_unwrapped, raw))), strict=False)):
        text = shown.strip()
        mark = text[: len(text) - len(text.lstrip(text[:1]))]
        if read.kind != "code":
            yield from _line(first + place, text, read)
        elif not fence and len(mark) > 2 and mark[0] in "`~":
            fence, language, opened, held = mark, text.strip("`~").partition(" ")[0].lower(), place, []
        elif fence and text.startswith(fence) and not text.strip(fence[0]):
            yield from held
            fence = language = ""
        elif text:
            line = Line(first + place, text, "code", 0, text, language)
            held.append(line)
            if not fence:
                yield line
    if fence:
        rest = _scanned(raw[opened + 1 :], first + opened + 1, rereads - 1) if rereads else iter(held)
        yield from rest


def _unwrapped(line: str) -> str:
    """A line without the marks of a quotation, and with a tag at its beginning as any other text."""
    bare = line.lstrip()
    return bare.lstrip("> ") if bare.startswith(">") else f".{bare}" if bare.startswith("<") else line


def _line(number: int, text: str, read: markdown.Line) -> Iterator[Line]:
    if read.kind in ("heading", "item"):
        yield Line(number, text, read.kind, read.depth, markdown.plain(read.text).strip("*_ "))
    elif read.kind == "row":
        yield Line(number, text, "row", read.depth, read.text)
    elif read.kind not in ("blank", "rule"):
        heads = text.endswith((":", WIDE_COLON)) and len(text) <= _COLON_CHARS
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
