"""What does a marker such as §2.1 mean?

Rule: §1.0 is the overview; §2.N the summary of section N; §3.N its details, §3.N.M part M of them; §4.PATH a file or
folder of the project, its path written as it is or with dots, with `:12` or `:12-80` for lines. The sign may be left
out, also before the path. A path never leaves the project: absolute ones, `..` and git's own folder are refused here,
links by memory/repository.py. Source: requirement L (markers §1.0 §2.1 §3.1.2 §4.path).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.engine.assembly.disclosure import SECTION
from holdfast.errors import BadInput

SIGN = "§"
OVERVIEW = "§1.0"
FORMS = "§1.0, §2.1, §3.1, §3.1.2 or §4.path"
LONGEST = 1_000  # characters of a path
_NUMBERED = re.compile(r"([1-3])((?:\.\d{1,4}){0,2})\Z", re.ASCII)
_LINES = re.compile(r":([1-9]\d{0,6})(?:-([1-9]\d{0,6}))?\Z", re.ASCII)


class Marker(NamedTuple):
    """One place in the hierarchy."""

    level: int
    section: int = 0
    """0 is the level as a whole."""
    part: int = 0
    """Of level 3; 0 is the whole document."""
    path: str = ""
    """Of level 4, within the project."""
    lines: tuple[int, int] = (0, 0)
    """First and last line of a file, from 1; (12, 0) is from line 12 on, (0, 0) all."""


def parse(text: str) -> Marker:
    """The place that a marker names. Raises BadInput for what is none, and for a path that leaves the project."""
    bare = text.strip().removeprefix(SIGN)
    if bare.startswith(("4.", "4/")):
        return _file(bare[2:])
    found = _NUMBERED.match(bare)
    numbers = [int(part) for part in found[2].split(".")[1:]] if found else []
    if not found or (found[1] != "3" and len(numbers) > 1) or (found[1] == "1" and any(numbers)):
        raise BadInput(f"{text[:60]!r} is no marker", "", f"Markers are {FORMS}; `holdfast show` lists them")
    section, part, *_ = [*numbers, 0, 0]
    return Marker(int(found[1]), section, part)


def _file(path: str) -> Marker:
    found = _LINES.search(path)
    lines = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
    bare = (path[: found.start()] if found else path).removesuffix(".*").removesuffix("/*").rstrip("/")
    parts = bare.split("/")
    leaves = bare.startswith(("/", "~")) or ".." in parts or ".git" in [part.lower() for part in parts]
    if not bare or leaves or not bare.isprintable() or "\\" in bare or len(bare) > LONGEST:
        raise BadInput(f"{path[:60]!r} is no path within the project", SIGN + "4", "Name a file as §4.folder/file.py")
    return Marker(4, path=bare, lines=lines)


def file_marker(path: str) -> str:
    """The marker of a file; the path in backticks where a marker cannot hold it."""
    marker = f"{SIGN}4.{path}"
    return marker if SECTION.fullmatch(marker) else f"`{path}`"


def found(text: str) -> tuple[str, ...]:
    """Every marker of levels 1 to 4 in a text, each once, in order."""
    marks = dict.fromkeys(SECTION.findall(text))
    return tuple(mark for mark in marks if mark[1:3] in ("1.", "2.", "3.", "4.", "4/"))


def dotted(path: str, files: Iterable[str]) -> tuple[str, ...]:
    """Files and folders that a path written with dots may mean: whole paths first, else ends of paths."""
    wanted = path.strip(".").replace("/", ".")
    names: dict[str, str] = {}
    for file in files:
        places = [file, file.rpartition(".")[0]] if "." in file.rsplit("/", 1)[-1][1:] else [file]
        for place in places:
            names.setdefault(f"{place.replace('/', '.')}\n{file}", file)
        for end in (index for index, character in enumerate(file) if character == "/"):
            names.setdefault(f"{file[:end].replace('/', '.')}\n{file[:end]}", file[:end])
    spelled = [(name.split("\n", 1)[0], place) for name, place in names.items()]
    whole = [place for name, place in spelled if name == wanted]
    ends = [place for name, place in spelled if name.endswith(f".{wanted}")]
    return tuple(dict.fromkeys(whole or ends))
