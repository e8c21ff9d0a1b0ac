"""Cells of a table that are secrets: what no word looks like in a column whose header names one.

Tables of Markdown, of databases and of boxes, CSV, TSV, and columns that blanks part, up to the first line in which
nothing parts cells, also within a string of JSON; and what COPY and INSERT put into columns in SQL. A row of another
length is passed over below the first row of a table, and else ends it.
"""

import functools
from typing import NamedTuple

from holdfast.text import late as re
from holdfast.text.secret_table import LONGEST, NAMES, SIGNS
from holdfast.text.secret_values import is_strong, is_unlike_words, shape, small

_HEAD = re.compile(r"[\w\s.*`\"'/?&#\u2013\u2014-]{1,40}+(?:\([\w\s.-]{1,30}+\))?+[\s*`\"'?]{0,4}\Z")
_WORD = re.compile(r"[^\s\"'`,;)\]}<>|]{8,400}+")
_BLANKS = re.compile("(?<=  )(?=[^ ])")
_BOLD, _THIN = "\u2503", "\u2502"
"""Lines of boxes: around a header, and around the rows below it."""
_ESCAPES = {"\\n": "\f\n", "\\t": "\f\t", "\\r": "\f\r", '\\"': '"\f'}
"""How JSON writes what parts rows and cells, and what stands for it, to be told from the sign itself."""
_MAY_BE_WORDS, _ISSUED = ("token", "tokens", "pass"), 20
"""Below such a name shorter words are a language's, a theme's, a test's outcome: what is issued has more characters."""


class _Header(NamedTuple):
    """What a line says of those below it."""

    sign: str
    """What parts the cells; "" where blanks do."""
    width: int
    heads: dict[int, int]
    """The cells that name secrets, and how many signs a word below has at least that is judged as behind a name: more
    than any has where cells in brackets or between blanks are not all names, as in code and prose."""
    is_first: bool
    """No row stands right above it: else it may as well be a row that tells of a name."""


def marked(text: str, low: str, mark: str, starts: set[int] | None = None) -> str:
    """The text with a mark in the place of each such cell. low: the text in small letters; starts: of the lines that
    are looked at, beside rows of several lines; None for all.
    """
    found = _in_lines(text, low, mark, starts) if "\n" in text else text
    if "from stdin" in low or shape("values").search(low):
        found = shape("rows of SQL").sub(lambda one: _in_statement(one, mark), found)
    if "\\n" in text and "\f" not in text:
        return shape("lines in a string").sub(lambda one: f'"{_in_string(one[0][1:], mark)}', found)
    return found


def _in_string(inner: str, mark: str) -> str:
    """What a string of JSON holds, which has several lines, without such cells."""
    if not any(map(inner.lower().__contains__, NAMES)):
        return inner
    plain = inner
    for escape, sign in _ESCAPES.items():
        plain = plain.replace(escape, sign)
    clean = marked(plain, small(plain), mark)
    if clean == plain:
        return inner
    for escape, sign in reversed(_ESCAPES.items()):
        clean = clean.replace(sign, escape)
    return clean


def _in_statement(found: re.Match[str], mark: str) -> str:
    """A statement of SQL without such cells. Its columns are the header; what INSERT has in brackets, rows."""
    lines, rows, names = found["lines"], found["rows"], " ".join(found["columns"].split())
    if lines:
        head = (names if "csv" in found["how"].lower() else names.replace(",", "\t")) + "\n"
        clean = _in_lines(head + lines, small(head + lines), mark).removeprefix(head)
        return found[0].removesuffix(lines) + clean
    header = _header(small(names), 0, len(names)) if rows else None
    if not header or "\v" in rows:
        return found[0]
    return found[0].removesuffix(rows) + shape("row").sub(functools.partial(_in_brackets, header, mark), rows)


def _in_brackets(header: _Header, mark: str, found: re.Match[str]) -> str:
    """A row in brackets. Of a cell what stands in quotes is judged: names and numbers are none, arguments may be."""
    cells = found["cells"].split(",")
    if len(cells) != header.width:
        whole = shape("whole").sub(lambda one: one[0].replace(",", "\v"), found["cells"])
        cells = [cell.replace("\v", ",") for cell in whole.split(",")]
    if len(cells) != header.width:
        return found[0]
    for head, least in header.heads.items():
        cells[head] = shape("quoted").sub(lambda one, least=least: clean(one[0], ",", mark, least), cells[head])
    return f"({','.join(cells)})"


def _in_lines(text: str, low: str, mark: str, starts: set[int] | None = None) -> str:
    parts, done, at = list[str](), 0, 0
    header: _Header | None = None
    while at <= len(text):
        if not header:
            name = shape("name").search(low, at)
            if not name:
                break
            at = low.rfind("\n", at, name.start()) + 1 or at
        end = low.find("\n", at) % (len(low) + 1)  # -1 is the text's end
        line = text[at:end]
        sign = "" if not header else _THIN if header.sign == _BOLD and _BOLD not in line else header.sign
        end, cells = _row(text, at, end, sign, header.width) if header else (end, [])
        if header and len(cells) == header.width:
            if starts is None or at in starts or end > at + len(line):
                parts += [text[done:at], _clean_row(cells, header, sign, mark)]
                done = end
        elif len(cells) != 1 or any(map(str.isalnum, line)):  # no rule below a header, no empty line
            is_passed_over = header and header.is_first and len(cells) > 1
            header = _header(low, at, end) or (header if is_passed_over else None)
        at = end + 1
    return "".join([*parts, text[done:]]) if parts else text


def _clean_row(cells: list[str], header: _Header, sign: str, mark: str) -> str:
    for head, least in header.heads.items():
        cells[head] = clean(cells[head], sign, mark, least if header.is_first else LONGEST)
    return sign.join(cells)


def _header(low: str, at: int, end: int) -> _Header | None:
    """A line as a header, where it is one. low: in small letters."""
    line = low[at:end] if end - at <= LONGEST and shape("name").search(low, at, end) else ""
    for written in filter(line.__contains__, SIGNS):
        sign = written.strip(" ")
        cells = _cells(line, sign)
        are_names, heads = all(_HEAD.match(name) for name in map(_bare, cells) if name), dict[int, int]()
        for n, cell in enumerate(cells):
            if _HEAD.match(_bare(cell)) and (name := shape("name").search(cell)):
                is_code = not are_names and (not sign or "]" in cell)
                heads[n] = LONGEST if is_code else _ISSUED * (name[0].strip() in _MAY_BE_WORDS)
        if heads and len(_cells(line.strip(" \t\r,;"), sign)) > 1:
            above = low[low.rfind("\n", 0, max(0, at - 1)) + 1 : max(0, at - 1)]
            return _Header(sign, len(cells), heads, _is_first(line, above, sign))
    return None


def _is_first(line: str, above: str, sign: str) -> bool:
    """Whether the line above a header is none of its rows: no sign is in it; or, where no blank follows a sign in the
    header, another number of them, or one with a blank, as in prose.
    """
    width, blank = len(_cells(above, sign)), f"{sign} "
    return width == 1 or (blank not in line and (blank in above or width != len(_cells(line, sign))))


def _row(text: str, at: int, end: int, sign: str, width: int) -> tuple[int, list[str]]:
    """(its end, its cells) of a row that begins with a line: of more, where a cell in quotes has breaks (RFC 4180)."""
    if text.count('"', at, end) % 2:
        last, is_open = end, True
        while is_open and (quote := text.find('"', last, at + LONGEST)) >= 0:
            first, last = last, text.find("\n", quote) % (len(text) + 1)
            is_open = text.count('"', first, last) % 2 == 0
        is_row = not is_open and text.count(sign, at, last) >= width - 1
        if is_row and len(cells := _cells(text[at:last], sign)) == width:
            return last, cells
    return end, (str.split if sign and text.count(sign, at, end) < width - 1 else _cells)(text[at:end], sign)


def _cells(line: str, sign: str) -> list[str]:
    """The cells of a line; a sign in a cell in quotes (RFC 4180) or behind a backslash parts none."""
    if not sign:
        return _BLANKS.split(line)
    is_plain = sign not in line or ('"' not in line and "\\" not in line)
    return line.split(sign) if is_plain else _cell(re.escape(sign)).findall(line)


@functools.cache
def _cell(sign: str) -> re.Pattern[str]:
    blanks = r"[^\S\t]*+"  # a tab may be the sign
    quoted = rf'{blanks}"(?:[^"]|(?<=\\)"(?!{blanks}(?:{sign}|\Z))|"")*+"{blanks}(?={sign}|\Z)'
    return re.compile(rf"(?:\A|{sign})({quoted}|(?:\\{sign}|[^{sign}])*+)")


def _bare(cell: str) -> str:
    """Without what stands around it: quotes, and the brackets and the frame of a row."""
    return cell.strip(" \t\r\f\v\\\"'`*[]:\u2551")


def clean(cell: str, sign: str, mark: str, least: int = 0) -> str:
    """A cell without what is secret in it. A word alone of so many signs is judged as behind a name and a sign, all
    others as words further on in a line.
    """
    value = _bare(cell)
    if _WORD.fullmatch(value.replace(sign or "\n", "-")):  # a sign that parts no cells is one of a password's
        is_told = len(value) >= least and not shape("argument").match(value) and not shape("place").match(value)
        is_secret = is_strong if is_told else is_unlike_words
        return cell.replace(value, mark) if is_secret(value, "secret") else cell
    if len(cell) > LONGEST:
        return cell  # prose
    return _WORD.sub(lambda found: mark if is_unlike_words(found[0], "secret") else found[0], cell)
