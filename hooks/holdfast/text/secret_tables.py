"""Cells of a table that are secrets: what no word looks like in a column whose header names one.

Tables of Markdown and of databases, CSV and TSV, up to the first line with more or fewer cells.
"""

from holdfast.text import late as re
from holdfast.text.secret_values import is_unlike_words, shape

_HEAD = re.compile(r"[\w\r .*`\"'-]{1,40}\Z")
_CELL = re.compile(r"[^\s\"'`,;\\()\[\]<>{}|=:]{8,120}={0,2}\Z")
_Header = tuple[str, int, list[int]]
"""What parts the cells of a line, how many they are, and which of them name secrets."""


def marked(text: str, low: str, mark: str) -> str:
    """The text with a mark in the place of each such cell. low: the text in small letters."""
    heads = _headers(text, low)
    if not heads:
        return text
    lines, at, header = text.split("\n"), 0, ("", 0, list[int]())
    for place, line in enumerate(lines):
        cells = line.split(header[0]) if header[0] else []
        if len(cells) == header[1] > 0:
            lines[place] = header[0].join(
                _clean(cell, mark) if n in header[2] else cell for n, cell in enumerate(cells)
            )
        elif line.strip("|+-=: \t\r"):  # no rule below a header
            header = heads.get(at, ("", 0, []))
        at += len(line) + 1
    return "\n".join(lines)


def _headers(text: str, low: str) -> dict[int, _Header]:
    """The lines that may be headers, by where they begin."""
    found, done = dict[int, _Header](), 0
    for name in shape("name").finditer(low):
        if name.start() >= done:
            start, done = low.rfind("\n", 0, name.start()) + 1, (low.find("\n", name.start()) + 1 or len(low) + 1) - 1
            header = _header(text[start:done], low[start:done])
            found.update({start: header} if header else {})
    return found


def _header(line: str, low: str) -> _Header | None:
    names = [name.start() for name in shape("name").finditer(low)] if len(line) < 2_000 else []
    for sign in "|\t,;" if names else "":
        cells = line.split(sign)
        heads = [at for at in {line.count(sign, 0, name) for name in names} if _HEAD.match(cells[at])]
        if sign in line.strip(" \t\r,;") and heads:
            return sign, len(cells), heads
    return None


def _clean(cell: str, mark: str) -> str:
    value = cell.strip(" \t\r\"'`*")
    return cell.replace(value, mark) if _CELL.match(value) and is_unlike_words(value, "secret") else cell
