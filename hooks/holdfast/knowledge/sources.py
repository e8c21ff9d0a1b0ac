"""What is shown of a file or a folder as it is?

Rule: the file itself, below its metadata: path, last change, size, and the purpose that it states at its top. A folder
is the list of its files. Source: requirement L (L4 raw files with metadata).
"""

from collections.abc import Mapping
from typing import Any

from holdfast.knowledge.markers import file_marker
from holdfast.memory.repository import File
from holdfast.text.dates import iso
from holdfast.text.lines import clip
from holdfast.text.quoting import clean
from holdfast.text.tokens import estimate

LISTED, HEAD = 200, 3_000
"""Files of a folder; characters of a file that tell its purpose."""
_COMMENTS = ("#", "//", "/*", "*", "<!--", "--", ";", "%", '"""', "'''")
_NOT_SAID = ("spdx", "copyright", "license", "licence", "coding:", "coding=", "<?xml", "!doctype", "#!")
"""Marks of first lines that tell of rights, encoding or interpreter."""


def purpose(head: str, path: str) -> str:
    """What a file says that it is for, in its first sentence; "" where it says nothing. head: its beginning."""
    prose = path.lower().endswith((".md", ".rst", ".txt"))
    for line in (one.strip() for one in clean(head[:HEAD]).split("\n")[:30]):
        if line and not prose and not line.startswith(_COMMENTS):
            return ""  # code begins
        said = line.strip("#/*!<>-;%\"'= \t")
        if any(map(str.isalnum, said)) and not any(mark in line.lower() for mark in _NOT_SAID) and line[0] not in "[<":
            first, dot, _ = said.partition(". ")
            return clip(f"{first}{dot}".strip(), 160)
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


def facts(file: File) -> dict[str, Any]:
    """The metadata of a file, as `holdfast show --json` has them."""
    text = file.text or ""
    return {
        "path": file.path,
        "changed": iso(file.changed),
        "bytes": file.size,
        "lines": len(text.splitlines()),
        "tokens": estimate(text),
        "purpose": purpose(text, file.path),
    }


def page(file: File, lines: tuple[int, int] = (0, 0)) -> str:
    """Metadata and the file below it, or its lines from first to last."""
    told, (first, last) = facts(file), lines
    head = [
        f"# {file_marker(file.path)}",
        f"Path: {file.path}",
        f"Last change: {told['changed']}",
        f"Size: {file.size:,} bytes, {told['lines']:,} lines, about {told['tokens']:,} tokens",
        *([f"Purpose: {told['purpose']}"] if told["purpose"] else []),
        "",
    ]
    if file.text is None:
        return "\n".join([*head, "It is no text and is not shown."])
    # A file may hold what steers a terminal; line ends and tabs are all that is kept of it.
    kept = file.text.split("\n")[max(0, first - 1) : last or None]
    safe = ("".join(one if one.isprintable() or one == "\t" else "\ufffd" for one in row) for row in kept)
    return "\n".join([*head, *safe])


def listing(folder: str, inner: list[str], purposes: Mapping[str, str]) -> str:
    """A folder: its files with their purposes. inner: their paths, sorted; purposes: of those that are shown."""
    rows = [f"- {file_marker(path)}{f': {said}' if said else ''}" for path, said in purposes.items()]
    rest = len(inner) - len(rows)
    rows += [f"…and {rest} more, see their own folders"] if rest else []
    return "\n".join([f"# {file_marker(folder)}", f"{len(inner):,} file{'s' * (len(inner) != 1)}", "", *rows, ""])
