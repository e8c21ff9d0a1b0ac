"""What is shown of a file or a folder as it is?

Rule: the file itself, below its metadata: path, last change, size, purpose. The purpose is what the file says of
itself at its top. A file above 5,000 tokens comes with markers of the places within it, where a name is defined or a
heading stands. A folder is the list of its files. Source: requirement L (L4 raw files with metadata).
"""

from collections.abc import Mapping
from typing import NamedTuple, TypedDict

from holdfast.knowledge.markers import file_marker
from holdfast.text import identifiers
from holdfast.text.dates import iso
from holdfast.text.lines import clip
from holdfast.text.quoting import clean
from holdfast.text.tokens import estimate

LARGE = 5_000
"""Tokens from which on places within a file are marked."""
PURPOSE, PLACES, LISTED, HEAD = 160, 60, 200, 3_000
"""Characters of a purpose; places of a file; files of a folder; characters of a file that tell its purpose."""
_PROSE = (".md", ".rst", ".txt")
_COMMENTS = ("#", "//", "/*", "*", "<!--", "--", ";", "%", '"""', "'''")
_NOT_SAID = ("spdx", "copyright", "license", "licence", "coding:", "coding=", "<?xml", "!doctype", "#!")
"""Marks of first lines that tell of rights, encoding or interpreter."""


class Raw(NamedTuple):
    """A file of the project. changed: epoch seconds; text: None where it is no text."""

    path: str
    size: int
    changed: float
    text: str | None


class Place(TypedDict):
    """A place within a file."""

    marker: str
    what: str


class Facts(TypedDict):
    """The metadata of a file, as `holdfast show --json` has them."""

    path: str
    changed: str
    bytes: int
    lines: int
    tokens: int
    purpose: str
    places: list[Place]


def purpose(head: str, path: str) -> str:
    """What a file says that it is for, in its first sentence; "" where it says nothing. head: its beginning."""
    prose = path.lower().endswith(_PROSE)
    for line in (one.strip() for one in clean(head[:HEAD]).split("\n")[:30]):
        if line and not prose and not line.startswith(_COMMENTS):
            return ""  # code begins
        said = line.strip("#/*!<>-;%\"'= \t")
        if any(map(str.isalnum, said)) and not any(mark in line.lower() for mark in _NOT_SAID) and line[0] not in "[<":
            first, dot, _ = said.partition(". ")
            return clip(f"{first}{dot}".strip(), PURPOSE)
    return ""


def goal(readme: str) -> str:
    """What a project is for: the first paragraph of prose in its README, as it stands there; "" for none."""
    fenced, pieces = False, clean(readme).split("<!--")
    bare = pieces[0] + "".join(piece.partition("-->")[2] for piece in pieces[1:])
    for paragraph in bare.split("\n\n"):
        fenced ^= paragraph.count("```") % 2 == 1
        rows = [line.strip() for line in paragraph.split("\n")]
        said = " ".join(line for line in rows if line and not line.startswith(("#", "===", "---")))
        if said and not fenced and said[0] not in "<[!|>`*-" and len(said.split()) > 1:
            return clip(said, 300)
    return ""


def places(text: str, path: str) -> list[Place]:
    """What begins where within a large text, spread over it; none for a small one."""
    if estimate(text) <= LARGE:
        return []
    found: list[Place] = []
    for number, line in enumerate(text.split("\n"), 1):
        heading = line.lstrip("#").strip() if path.endswith(".md") and line.startswith("#") else ""
        names = [heading] if heading else identifiers.definitions(line)[:1]
        found += [Place(marker=f"{file_marker(path)}:{number}", what=clip(name, 80)) for name in names]
    return found[:: max(1, -(-len(found) // PLACES))]


def facts(raw: Raw) -> Facts:
    """The metadata of a file."""
    text = raw.text or ""
    return {
        "path": raw.path,
        "changed": iso(raw.changed),
        "bytes": raw.size,
        "lines": text.count("\n") + (not text.endswith("\n")) if text else 0,
        "tokens": estimate(text),
        "purpose": purpose(text, raw.path),
        "places": places(text, raw.path),
    }


def page(raw: Raw, lines: tuple[int, int] = (0, 0)) -> str:
    """Metadata and the file below it, or its lines from first to last."""
    told = facts(raw)
    marks = [f"  {one['marker']} {one['what']}" for one in told["places"]] if lines == (0, 0) else []
    head = [
        f"# {file_marker(raw.path)}",
        f"Path: {raw.path}",
        f"Last change: {told['changed']}",
        f"Size: {raw.size:,} bytes, {told['lines']:,} lines, about {told['tokens']:,} tokens",
        *([f"Purpose: {told['purpose']}"] if told["purpose"] else []),
        *(["Places:", *marks] if marks else []),
    ]
    return "\n".join([*head, "", _shown(raw, lines)])


def _shown(raw: Raw, lines: tuple[int, int]) -> str:
    if raw.text is None:
        return "It is no text and is not shown."
    first, last = lines
    kept = raw.text.split("\n")[max(0, first - 1) : last or None]
    # A file may hold what steers a terminal; line ends and tabs are all that is kept of it.
    return "\n".join("".join(one if one.isprintable() or one == "\t" else "\ufffd" for one in row) for row in kept)


def listing(folder: str, inner: list[str], purposes: Mapping[str, str]) -> str:
    """A folder: its files with their purposes."""
    shown = sorted(inner)[:LISTED]
    rows = [f"- {file_marker(path)}{f': {purposes[path]}' if purposes.get(path) else ''}" for path in shown]
    rest = [f"…and {len(inner) - LISTED} more, see their own folders"] if len(inner) > LISTED else []
    return "\n".join([f"# {file_marker(folder)}", f"{len(inner):,} file{'s' * (len(inner) != 1)}", "", *rows, *rest])
