"""How is a document written within its tokens, and what of it is its readers'?

Rule: a document is a heading and parts; each part is a heading and lines. Where not all fits, lines are taken in
rounds, the first of each part and then the second of each; the number of the others stands in their place with where
they are. What people write between the two marks at the end or below them is kept, and its tokens count; what stands
above is the build's. No line of ours can be taken for a heading or a mark.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from holdfast.text.quoting import clean
from holdfast.text.tokens import estimate, measure

OPEN = "<!-- yours: a build keeps what stands from here to the next mark, and writes what is above anew -->"
CLOSE = "<!-- /yours -->"
NOTHING = "None recorded."


class DocumentPart(NamedTuple):
    """A heading and what stands below it."""

    title: str
    lines: tuple[str, ...]
    """Statements, the most important first; further lines of one are indented."""
    more: str = ""
    """Where that is which found no room, e.g. "see §3.1.2"."""
    beyond: int = 0
    """Statements that are only counted."""


class Document(NamedTuple):
    """One document of level 1, 2 or 3. limit: tokens, with what people have written in it."""

    marker: str
    title: str
    limit: int
    parts: tuple[DocumentPart, ...] = ()


def write(document: Document, own: str = "") -> str:
    """The document as text, with `own` between the marks. It is above its limit only where `own` alone is too long."""
    in_rounds = sorted((line, part) for part, one in enumerate(document.parts) for line in range(len(one.lines)))
    room, kept = document.limit - estimate(_text(document, [], own)), list[tuple[int, int]]()
    for line, part in in_rounds[:300]:  # no limit has room for more
        cost = estimate(document.parts[part].lines[line])
        if cost <= room:
            kept.append((line, part))
            room -= cost
    while kept and measure(_text(document, kept, own), document.limit) > document.limit:
        kept.pop()
    return _text(document, kept, own)


def _text(document: Document, kept: Collection[tuple[int, int]], own: str) -> str:
    """kept: number of a line in its part and number of the part."""
    chosen, blocks = set(kept), [f"# {document.marker} {' '.join(clean(document.title).split())}"]
    for number, part in enumerate(document.parts):
        lines = [_safe(line) for place, line in enumerate(part.lines) if (place, number) in chosen]
        missing = len(part.lines) - len(lines) + part.beyond
        if missing:
            lines.append(f"…and {missing} more{f', {part.more}' if part.more else ''}")
        blocks.append("\n".join([f"## {part.title}", *(lines or [NOTHING])]))
    return "\n\n".join([*blocks, "\n".join([OPEN, *([own] if own else []), CLOSE])]) + "\n"


def _safe(text: str) -> str:
    """Further lines are indented, and none begins as a heading or a mark does."""
    first, *further = clean(text).split("\n")
    start = f" {first}" if first.startswith(("#", "<!--")) else first
    return "\n".join([start, *(f"  {one}".rstrip() for one in further)])


def _divided(text: str) -> tuple[str, str]:
    """What stands above the first mark, and what people have written below it; a mark that is gone is at its end."""
    lines = text.split("\n")

    def is_mark(at: int, name: str) -> bool:
        return lines[at].startswith(f"<!-- {name}") and lines[at].rstrip().endswith("-->")

    opens = next((at for at in range(len(lines)) if is_mark(at, "yours")), len(lines))
    start = opens if opens < len(lines) else 0
    closes = max((at for at in range(start, len(lines)) if is_mark(at, "/yours")), default=len(lines))
    between = "\n".join(lines[opens + 1 : closes]).strip("\n")
    below = "\n".join(lines[closes + 1 :]).strip()
    return "\n".join(lines[:opens]), f"{between}\n\n{below}".strip("\n") if below else between


def own_text(text: str) -> str:
    """What people have written between the marks and below them; all from the first on where the second is gone."""
    return _divided(text)[1]


def parts(text: str) -> Mapping[str, str]:
    """Title of each part -> its text, of what the build has written; "" -> the heading of the document."""
    first, *blocks = f"\n{_divided(text)[0]}".split("\n## ")
    found = {"": first.strip("\n")}
    for block in blocks:
        title, _, body = block.partition("\n")
        found.setdefault(title.strip(), body.strip("\n"))
    return found
