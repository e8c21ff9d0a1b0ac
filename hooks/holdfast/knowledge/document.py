"""How is a document written within its tokens, and what of it is its readers'?

Rule: a document is a heading and parts; each part is a heading and lines with a weight. Where not all fits, lines go
in the order of their weight, the lightest first, and their number stands in their place with where they are. What
people write between the two marks at the end is never touched: a build takes it over, and its tokens count. What
they write elsewhere comes between them: below the marks as it is, in the parts each line that no build wrote. No line
of ours can be taken for a heading or a mark. Source: requirement L
(limits of levels 1 to 3).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from holdfast.memory.record import clean
from holdfast.text.tokens import estimate, measure

OPEN = "<!-- yours: what stands from here to the next mark is kept by every build -->"
CLOSE = "<!-- /yours -->"
FIXED = 1e6
"""Weight of a line that goes last."""
NOTHING = "None recorded."
MOST = 300
"""Lines that are weighed at all; the rest is counted."""
_OPENS = re.compile(r"^<!-- yours\b[^\n]*-->[ \t\r]*$", re.MULTILINE)
_CLOSES = re.compile(r"^<!-- /yours\b[^\n]*-->[ \t\r]*$", re.MULTILINE)
_NUMBER = re.compile(r"^3(?:\.\d+)+ ")
_OURS = re.compile(r"^(?=#|<!--)", re.MULTILINE)

Counter = Callable[[str], int]


class Line(NamedTuple):
    """One statement; further lines of it are indented."""

    text: str
    weight: float = FIXED


class Part(NamedTuple):
    """A heading and what stands below it."""

    title: str
    lines: tuple[Line, ...]
    more: str = ""
    """Where that is which found no room, e.g. "see §3.1.2"."""
    beyond: int = 0
    """Statements that are only counted."""


class Document(NamedTuple):
    """One document of level 1, 2 or 3."""

    marker: str
    title: str
    limit: int
    """Tokens, with what people have written in it."""
    parts: tuple[Part, ...]


def write(document: Document, own: str = "", count: Counter | None = None) -> str:
    """The document as text, with `own` between the marks. It is above its limit only where `own` alone is too long."""
    kept = _choose(document, own, count)
    while kept:
        text = _text(document, kept, own)
        if measure(text, document.limit, count) <= document.limit:
            return text
        kept.remove(min(kept, key=lambda place: (_line(document, place).weight, -place[0], -place[1])))
    return _text(document, [], own)


def _choose(document: Document, own: str, count: Counter | None) -> list[tuple[int, int]]:
    """Places (part, line) of what may fit, by weight; a little too many, so that the end is found by measuring."""
    places = [(part, line) for part, one in enumerate(document.parts) for line in range(len(one.lines))]
    places.sort(key=lambda place: -_line(document, place).weight)
    room, kept = document.limit - estimate(_text(document, [], own)), []
    for place in places[:MOST]:
        cost = estimate(_line(document, place).text)
        if cost <= room:
            kept.append(place)
            room -= cost
    return kept


def _line(document: Document, place: tuple[int, int]) -> Line:
    return document.parts[place[0]].lines[place[1]]


def _text(document: Document, kept: Iterable[tuple[int, int]], own: str) -> str:
    chosen = set(kept)
    blocks = [f"# {document.marker} {_flat(document.title)}"]
    for number, part in enumerate(document.parts):
        lines = [_safe(line.text) for place, line in enumerate(part.lines) if (number, place) in chosen]
        missing = len(part.lines) - len(lines) + part.beyond
        if missing:
            lines.append(f"…and {missing} more{f', {part.more}' if part.more else ''}")
        blocks.append("\n".join([f"## {part.title}", *(lines or [NOTHING])]))
    return "\n\n".join([*blocks, "\n".join([OPEN, *([own] if own else []), CLOSE])]) + "\n"


def _flat(text: str) -> str:
    return " ".join(clean(text).split())


def _safe(text: str) -> str:
    """Further lines are indented, and none begins as a heading or a mark does."""
    first, *further = clean(text).split("\n")
    return "\n".join([_OURS.sub(" ", first), *(f"  {line}".rstrip() for line in further)])


def own_text(text: str) -> str:
    """What people have written between the marks and below them; all from the first on where the second is gone."""
    opens = _OPENS.search(text)
    start = opens.end() if opens else len(text)
    closes = list(_CLOSES.finditer(text, opens.end() if opens else 0))
    between = text[start : closes[-1].start() if closes else len(text)].strip("\n")
    below = text[closes[-1].end() :].strip() if closes else ""
    return f"{between}\n\n{below}".strip("\n") if below else between


def generated(text: str) -> list[str]:
    """The lines above the first mark, without indentation and blank ones: what a build wrote, in a fresh document."""
    return [line.strip() for line in _above(text).splitlines() if line.strip()]


def _above(text: str) -> str:
    opens = _OPENS.search(text)
    return text[: opens.start()] if opens else text


def settled(text: str, is_ours: Callable[[str], bool]) -> str:
    """The document with the lines above that no build wrote moved between the marks. is_ours: of one of `generated`."""
    kept: list[str] = []
    moved: list[str] = []
    part = said = ""
    for line in _above(text).splitlines():
        if not line.strip() or is_ours(line.strip()):
            kept.append(line)
            part = line.removeprefix("## ") if line.startswith("## ") else part
        elif not _CLOSES.match(line):
            moved += [line.rstrip()] if said == part else [MOVED.format(part), line.rstrip()]
            said = part
    if not moved:
        return text
    own = "\n".join(filter(None, (own_text(text), *moved)))
    return "\n".join(["\n".join(kept).rstrip(), "", OPEN, own, CLOSE]) + "\n"


MOVED = "Moved here by a build, from “{}” above:"


def parts(text: str) -> Mapping[str, str]:
    """Title of each part -> its text, of what the build has written; "" -> the heading of the document."""
    opens = _OPENS.search(text)
    blocks = re.split(r"^## ", text[: opens.start()] if opens else text, flags=re.MULTILINE)
    found = {"": blocks[0].strip("\n")}
    for block in blocks[1:]:
        title, _, body = block.partition("\n")
        found.setdefault(title.strip(), body.strip("\n"))
    return found


def named(title: str) -> str:
    """The name of a part without the number that it has at level 3."""
    return _NUMBER.sub("", title)


def merged(fresh: str, old: str, names: Iterable[str]) -> str:
    """The old document with only the parts of these names taken from the fresh one; the fresh one without an old."""
    if not old.strip():
        return fresh
    new, before, taken = parts(fresh), parts(old), set(names)
    blocks = [before[""] or new[""]]
    for title in dict.fromkeys([*new, *before]):
        source = new if named(title) in taken or title not in before else before
        if title and title in source:
            blocks.append(f"## {title}\n{source[title]}")
    own = own_text(old)
    return "\n\n".join([*blocks, "\n".join([OPEN, *([own] if own else []), CLOSE])]) + "\n"
