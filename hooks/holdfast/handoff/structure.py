"""A report's lines by their marks, in any language, with their numbers: on top of the reader of text/markdown.py.

A report speaks for itself even where it stands between tags, a fence that nobody closes is none, and a short line that
ends in a colon heads what follows it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from holdfast.text import markdown

DASHES = "-\u2013\u2014"
MOST, LONGEST = 5_000, 20_000
"""Lines of a report that are read, and characters of one. None has more, and a hook that takes too long is ended: then
all of it would reach the parent."""
LABELS = {
    # the upper two levels: CVSS v3.1 (critical, high), issue trackers (blocker, P0, P1, SEV-0, SEV-1), signs;
    # in other languages as BSI, INCIBE, IPA and CNNVD name the levels
    "severe": frozenset((
        *("critical", "high", "blocker", "blocking", "severe", "p0", "p1", "sev0", "sev1", "🔴", "⛔", "🛑", "🚨"),
        *("kritisch", "hoch", "crítica", "crítico", "alta", "alto", "緊急", "重要", "超危", "高危", "严重"),
    )),
    "severity": frozenset(("severity", "priority")),
    "finding": frozenset(("issue", "finding", "bug", "problem", "error")),
    "to do": frozenset((  # must and should: RFC 2119; the marks and kinds that this pack asks for itself
        *("todo", "bug", "fixme", "open", "next"),
        *("should fix", "should be fixed"),
        *("must fix", "must fix before merge", "must be fixed", "must change", "required change", "required fix"),
        *("required fixes", "action required", "blocker", "blocking", "blocking issue", "blocking finding", "error"),
        *("open error", "open issue", "open question", "unresolved", "unresolved issue", "failing test"),
    )),
    "errors": frozenset(("open error", "error", "blocker", "unresolved")),
    "changed": frozenset(("files changed", "changed files", "files modified", "modified files", "files created")),
}  # fmt: skip
"""Whole labels by what stands under them, as the protocol, reviews and trackers name them; without plural and number.
Words in a sentence are never held against them."""


class Depth:
    """Of headings without a `#`."""

    BOLD = markdown.BOLD_LEVEL
    COLON = BOLD + 1


class ReportLine(NamedTuple):
    """One line that is not blank: its number from 1, and its text as it stands, without the blanks around it.

    kind: heading, item, row, code or text; depth: of a heading 1 to 6 or a Depth, else its indentation; plain: without
    marks, of code and rows as it stands; language: of code what its fence says; is_open: an item with a box to tick.
    """

    number: int
    text: str
    kind: str
    depth: int
    plain: str
    language: str = ""
    is_open: bool = False

    @property
    def field(self) -> tuple[str, str]:
        """(label, value) around the first colon; ("", "") where there are not both."""
        label, _, value = self.plain.replace("\uff1a", ":", 1).partition(":")
        return (label.strip(), value.strip()) if value.strip() else ("", "")


@lru_cache(maxsize=2)  # judging, asking and outlining all begin here
def scan(text: str) -> Sequence[ReportLine]:
    """The lines of a text, without blank ones, rules, those of tables too, and marks of fences; of its first `MOST`."""
    only_python_ends_a_line = map(ord, "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")  # an editor does not
    all_lines = text.translate(dict.fromkeys(only_python_ends_a_line, " ")).split("\n", MOST)
    raw = _unfenced([line[:LONGEST] for line in all_lines[:MOST]])
    read = markdown.read("\n".join(raw), but="tags")
    found, fence, language = list[ReportLine](), "", ""
    for number, (line, marked) in enumerate(zip(map(str.strip, raw), read, strict=False), 1):
        said = marked.text.strip()
        if marked.kind != "code":
            fence = language = ""  # nobody closes it
            found += _line(number, line, marked)
        elif not fence and said.startswith(("```", "~~~")):
            language = said.lstrip(said[0]).partition(" ")[0].lower()
            fence = said[: len(said) - len(said.lstrip(said[0]))]
        elif fence and said.startswith(fence) and not said.strip(fence[0]):
            fence = language = ""
        elif line:
            found.append(ReportLine(number, line, "code", 0, line, language))
    return found


def _unfenced(lines: list[str]) -> list[str]:
    """Without a fence of Markdown around the report itself, up to the last line that says anything."""
    said = {place: line.strip().lower() for place, line in enumerate(lines) if line.strip()}
    first = next((place for place, line in said.items() if line.lstrip("`~") in ("markdown", "md")), -1)
    last = max(said, default=-1)
    is_around = first >= 0 and said[first][:3] in ("```", "~~~") and not said[last].strip(said[first][0])
    between = [line for place, line in said.items() if is_around and first < place < last]
    closing = [line.strip(line[0]) for line in between if line[:3] == said[last][:3]]
    # of two marks the second closes, and so names no language; else the first fence is closed before the last
    is_around = is_around and len(closing) % 2 == 0 and not any(closing[1::2])
    return ["" if is_around and place in (first, last) else line for place, line in enumerate(lines)]


def _line(number: int, text: str, read: markdown.Line) -> Iterator[ReportLine]:
    if read.kind in ("heading", "item"):
        plain = markdown.plain(read.text).strip("*_ ")
        yield ReportLine(number, text, read.kind, read.depth, plain, is_open=read.box == " ")
    elif read.kind == "row" and markdown.cells(read.text):
        yield ReportLine(number, text, "row", read.depth, read.text)
    elif text and read.kind not in ("blank", "rule", "row") and not _is_drawn(text):
        heads = text.endswith((":", "\uff1a")) and len(text) <= 80  # a longer one is a sentence
        kind, depth = ("heading", Depth.COLON) if heads else ("text", read.depth)
        yield ReportLine(number, text, kind, depth, markdown.plain(text.lstrip("> ")))


def _is_drawn(text: str) -> bool:
    """Whether it is a line of one sign ("────"): no sentence of the report's."""
    return len(text) > 2 and len(set(text)) == 1 and not text[0].isalnum()


def is_labelled(label: str, kind: str) -> bool:
    """Whether a heading or label, or what it has in brackets, is one of this kind: not one that merely begins so."""
    name, _, bracketed = unnumbered(label).casefold().replace("-", " ").lstrip("[( ").partition("(")
    said = [part.strip("[](): #0123456789") for part in (name, bracketed)]
    return any(part in LABELS[kind] or part.removesuffix("s") in LABELS[kind] for part in said)


def unnumbered(text: str) -> str:
    """A heading or label without the number in front of it."""
    number, _, rest = text.partition(" ")
    return rest.lstrip() if len(number) <= 4 and number[-1:] in (".", ")") and number[:-1].isdecimal() else text


def cells(row: ReportLine) -> list[str]:
    """The cells of a table's row, without stress and code marks."""
    return [cell.strip("*_`[]() ") for cell in markdown.cells(row.plain)]


def section(lines: Sequence[ReportLine], place: int) -> Iterator[ReportLine]:
    """What stands under the heading at `place`."""
    for following in range(place + 1, len(lines)):  # no slice: a report may have many headings
        if lines[following].kind == "heading" and lines[following].depth <= lines[place].depth:
            return
        yield lines[following]


def upper(headings: Sequence[ReportLine], most: int) -> list[ReportLine]:
    """The headings of the upper levels, level by level, each whole: as many levels as make at most so many lines."""
    index: list[ReportLine] = []
    for depth in sorted({line.depth for line in headings}):
        level = [line for line in headings if line.depth == depth]
        if len(index) >= 2 and (depth >= Depth.BOLD or len(index) + len(level) > most):
            break
        index += level
    return index


def is_empty(values: Sequence[str]) -> bool:
    """Whether a list says that it holds nothing: no entry, or a single one that is a bare word ("none", "n/a", "0").

    What has a name is no bare word: it has a digit, a capital or a mark within, or more than three signs beyond ASCII.
    """
    said = [value.strip(f" .,;:!()[]*_`{DASHES}") for value in values]
    return not said or (len(said) == 1 and bool(re.fullmatch(r"0*|\D{1,3}|[A-Za-z][a-z]*", said[0])))
