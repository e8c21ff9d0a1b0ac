"""The documents of the hierarchy of knowledge on disk, beside the memory that they are built from.

    knowledge/L1.md             the overview, §1.0
    knowledge/L2/2.1-project.md a summary per section
    knowledge/L3/3.1-project.md its details
    knowledge/index.md          the navigation index
    knowledge/index.json        which folder has which number, for good

A document is replaced as a whole, and what people wrote in it is read at that moment. Links are not followed.
"""

import contextlib
import os
from collections.abc import Mapping

from holdfast.checkpoint import git
from holdfast.hot import jsonc
from holdfast.hot.files import names_in, read_text, safe_name, write_atomic
from holdfast.hot.paths import InState
from holdfast.hot.provenance import is_plain, is_real, private_folder, real_folder
from holdfast.knowledge import navigation
from holdfast.knowledge.markers import OVERVIEW
from holdfast.memory import location

KNOWLEDGE, INDEX = "knowledge", "index.md"


def folder_of(cwd: str = "") -> str:
    """Where this project's documents are: where its memory is, so that all worktrees have the same."""
    kept = location.folder_of(cwd)
    above, name = os.path.split(kept)
    return f"{above}/{KNOWLEDGE}" if name == InState.MEMORY else f"{os.path.dirname(above)}/{KNOWLEDGE}/{name}"


def texts(folder: str) -> dict[str, str]:
    """Marker -> text of each document that is there."""
    found = {marker: read(folder, path) for marker, path in places(folder).items()}
    return {marker: text for marker, text in found.items() if text}


def places(folder: str) -> dict[str, str]:
    """Marker -> path within the folder of each document, level by level; the marker stands in the file's name."""
    found = {OVERVIEW: "L1.md"} if os.path.isfile(f"{folder}/L1.md") else {}
    for level in ("2", "3"):
        names = names_in(f"{folder}/L{level}") if is_real(f"{folder}/L{level}") else []
        starts = {name: name.partition("-")[0].removeprefix(f"{level}.") for name in names if name.endswith(".md")}
        numbered = sorted((int(one), name) for name, one in starts.items() if one.isascii() and one.isdecimal())
        found |= {f"§{level}.{number}": f"L{level}/{name}" for number, name in numbered}
    return found


def path_for(folder: str, marker: str, title: str) -> str:
    """Path within the folder at which a document is or will be."""
    level, name = marker[1], safe_name(title.lower(), 60).replace("_", "-").strip("-.")
    fresh = "L1.md" if marker == OVERVIEW else f"L{level}/{marker[1:]}-{name or 'section'}.md"
    return places(folder).get(marker) or fresh


def read(folder: str, path: str) -> str:
    """The text of a document, its first megabyte; "" where there is none, or a link stands in its place."""
    whole = f"{folder}/{path}"
    is_own = os.path.realpath(whole) == f"{os.path.realpath(folder)}/{path}" and is_plain(whole)
    return read_text(whole, 1_000_000) if is_own else ""


def write(folder: str, path: str, text: str) -> bool:
    """Write a file as a whole; whether that changed it. Raises OSError, also where a link or a file is in a folder's
    place.
    """
    private_folder(folder)
    for place in (f"{folder}/L2", f"{folder}/L3"):
        real_folder(place)
    if changed := read(folder, path) != text:
        git.refuse_tracked(f"{folder}/{path}")
        write_atomic(f"{folder}/{path}", text)
    return changed


def remove(folder: str, path: str) -> None:
    """Remove a document; nothing where another build has done so, or a link stands in a folder's place."""
    if is_real(folder) and is_real(os.path.dirname(f"{folder}/{path}")):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{folder}/{path}")


def numbers(folder: str) -> dict[str, int]:
    """Folder -> number of its section, of all that ever were; as headings tell where the list is torn."""
    rows = jsonc.loads_object(read(folder, "index.json") or "{}").get("sections")
    if not isinstance(rows, dict):
        there = texts(folder).items()
        rows = {navigation.title(marker, text): int(marker[3:]) for marker, text in there if marker.startswith("§2.")}
    return {folder: number for folder, number in rows.items() if number != 1} | {"": 1}


def keep_numbers(folder: str, known: Mapping[str, int]) -> None:
    """Write down which section has which number. Raises OSError."""
    rows = dict(sorted(known.items(), key=lambda row: row[1]))
    write(folder, "index.json", jsonc.dumps({"v": 1, "sections": rows}) + "\n")
