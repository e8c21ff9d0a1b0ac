"""What does a marker such as §2.1 mean?

Rule: §1.0 is the overview; §2.N the summary of section N; §3.N its details, §3.N.M part M of them; §4.PATH a file or
folder of the project, with `:12` or `:12-80` for lines. The sign may be left out. A path never leaves the project:
absolute ones, `..` and git's own folder are refused here, links by memory/repository.py. Source: requirement L.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from holdfast.errors import BadInput

OVERVIEW = "§1.0"
LIMITS: Mapping[int, int] = {1: 1_000, 2: 500, 3: 3_000}
"""Level -> tokens of one document. The source's lower bounds (200, 1,000) are what a section comes to that has enough
to say; nothing is padded."""
SECTION = re.compile(r"§[\w-]+(?:[./][\w-]+)*")
"""A marker as it stands in a text."""
_LINES = re.compile(r":([1-9]\d{0,6})(?:-([1-9]\d{0,6}))?\Z", re.ASCII)


class Marker(NamedTuple):
    """One place in the hierarchy. section 0 is the level as a whole, part 0 the whole document."""

    level: int
    section: int = 0
    part: int = 0
    path: str = ""
    """Of level 4, within the project."""
    lines: tuple[int, int] = (0, 0)
    """First and last line of a file, from 1; (12, 0) is from line 12 on, (0, 0) all."""


def parse(text: str) -> Marker:
    """The place that a marker names. Raises BadInput for what is none, and for a path that leaves the project."""
    bare = text.strip().removeprefix("§")
    if bare.startswith("4."):
        return _file(bare[2:])
    level, *numbers = bare.split(".")
    plain = all(one.isascii() and one.isdecimal() and len(one) <= 4 for one in (level, *numbers))
    most = {"1": 1, "2": 1, "3": 2}
    if not plain or len(numbers) > most.get(level, -1) or (level == "1" and numbers not in ([], ["0"])):
        todo = "Markers are §1.0, §2.1, §3.1, §3.1.2 or §4.path; `holdfast show` lists them"
        raise BadInput(f"{text[:60]!r} is no marker", "", todo)
    section, part, *_ = (*map(int, numbers), 0, 0)
    return Marker(int(level), section, part)


def _file(path: str) -> Marker:
    found = _LINES.search(path)
    lines = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
    bare = (path[: found.start()] if found else path).rstrip("/")
    parts = bare.split("/")
    leaves = bare.startswith(("/", "~")) or ".." in parts or ".git" in [part.lower() for part in parts]
    if not bare or leaves or not bare.isprintable() or "\\" in bare or len(bare) > 1_000:
        raise BadInput(f"{path[:60]!r} is no path within the project", "§4", "Name a file as §4.folder/file.py")
    return Marker(4, path=bare, lines=lines)


def file_marker(path: str) -> str:
    """The marker of a file; the path in backticks where a marker cannot hold it."""
    marker = f"§4.{path}"
    return marker if SECTION.fullmatch(marker) else f"`{path}`"


def found(text: str) -> tuple[str, ...]:
    """Every marker of levels 1 to 4 in a text, each once, in order."""
    return tuple(mark for mark in dict.fromkeys(SECTION.findall(text)) if mark[1:3] in ("1.", "2.", "3.", "4."))
