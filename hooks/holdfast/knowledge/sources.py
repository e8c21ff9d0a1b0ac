"""What is shown of a file or a folder as it is?

Rule: the file itself, below its metadata: path, last change, size, purpose. The purpose is what the file says of
itself at its top. A file above 5,000 tokens comes with markers of the places within it, where a name is defined or a
heading stands. A folder is the list of its files. Source: requirement L (L4 raw files with metadata).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from holdfast.knowledge.markers import file_marker
from holdfast.knowledge.scope import LARGE
from holdfast.memory.record import clean
from holdfast.text import identifiers
from holdfast.text.dates import iso
from holdfast.text.lines import clip
from holdfast.text.tokens import estimate

PURPOSE, PLACES, LISTED = 160, 60, 200
HEAD = 3_000
"""Characters of a file that tell its purpose."""
_COMMENT = re.compile(r"^\s*(?:#(?!!)|//+!?|/\*+!?|\*(?!/)|<!--|--|;+|%+|\"\"\"|''')\s*")
_NO_WORDS = re.compile(
    r"^\W*$|SPDX|copyright|licen[sc]e|coding[:=]|eslint|prettier|@ts-|<\?xml|!DOCTYPE", re.IGNORECASE
)
_HEADING = re.compile(r"#{1,4} (\S.*)")
_SENTENCE = re.compile(r"(?<=[.!?])\s")


class Raw(NamedTuple):
    """A file of the project. changed: epoch seconds; text: None where it is no text."""

    path: str
    size: int
    changed: float
    text: str | None


def purpose(head: str, path: str) -> str:
    """What a file says that it is for, in its first sentence; "" where it says nothing. head: its beginning."""
    prose = path.lower().endswith((".md", ".rst", ".txt"))
    for line in clean(head[:HEAD]).split("\n")[:30]:
        said = line.lstrip("# ") if prose else _comment(line)
        if said and not _NO_WORDS.search(said) and not said.startswith(("[!", "<", "---", "===")):
            return clip(_SENTENCE.split(said, maxsplit=1)[0].strip(" \"'*/->"), PURPOSE)
        if not prose and line.strip() and not _COMMENT.match(line) and not line.startswith(("#!", "<?", "<!")):
            return ""  # code begins
    return ""


def _comment(line: str) -> str:
    return _COMMENT.sub("", line).strip() if _COMMENT.match(line) else ""


def goal(readme: str) -> str:
    """What a project is for: the first paragraph of prose in its README, its first sentences; "" for none."""
    bare = re.sub(r"<!--.*?-->|<[^>\n]{1,300}>|!\[[^\]\n]*\]\([^)\n]*\)", "", clean(readme[:20_000]), flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", bare):
        said = " ".join(line for line in paragraph.split("\n") if not line.startswith(("#", "===", "---", "```")))
        plain = re.sub(r"\[([^\]\n]*)\]\([^)\n]*\)", r"\1", said).strip()
        if len(plain.split()) >= 4 and not plain.startswith(("|", "-", "* ", "[", ">")):
            return clip(" ".join(plain.split()), 300)
    return ""


def places(text: str, path: str) -> tuple[tuple[int, str], ...]:
    """(line, what begins there) within a large text, spread over it; () for a small one."""
    if estimate(text) <= LARGE:
        return ()
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        heading = _HEADING.match(line) if path.endswith(".md") else None
        names = [heading[1]] if heading else identifiers.definitions(line)
        if names:
            found.append((number, clip(names[0], 80)))
    step = max(1, -(-len(found) // PLACES))
    return tuple(found[::step])


def facts(raw: Raw) -> Mapping[str, object]:
    """The metadata of a file, as plain values."""
    text = raw.text or ""
    return {
        "path": raw.path,
        "changed": iso(raw.changed),
        "bytes": raw.size,
        "lines": text.count("\n") + (not text.endswith("\n")) if text else 0,
        "tokens": estimate(text),
        "purpose": purpose(text, raw.path),
        "places": [
            {"marker": f"{file_marker(raw.path)}:{line}", "what": what} for line, what in places(text, raw.path)
        ],
    }


def page(raw: Raw, lines: tuple[int, int] = (0, 0)) -> str:
    """Metadata and the file below it, or its lines from first to last."""
    told = facts(raw)
    marks = [f"  {one['marker']} {one['what']}" for one in told["places"]]  # type: ignore[attr-defined]  # a list above
    head = [
        f"# {file_marker(raw.path)}",
        f"Path: {raw.path}",
        f"Last change: {told['changed']}",
        f"Size: {raw.size:,} bytes, {told['lines']:,} lines, about {told['tokens']:,} tokens",
        *([f"Purpose: {told['purpose']}"] if told["purpose"] else []),
        *(["Places:", *marks] if marks and lines == (0, 0) else []),
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
    rows = [
        f"- {file_marker(path)}{f': {purposes[path]}' if purposes.get(path) else ''}" for path in sorted(inner)[:LISTED]
    ]
    rest = [f"…and {len(inner) - LISTED} more, see their own folders"] if len(inner) > LISTED else []
    return "\n".join([f"# {file_marker(folder)}", f"{len(inner):,} file{'s' * (len(inner) != 1)}", "", *rows, *rest])
