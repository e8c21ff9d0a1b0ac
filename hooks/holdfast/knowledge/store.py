"""The documents of the hierarchy of knowledge on disk, beside the memory that they are built from.

    knowledge/L1.md             the overview, §1.0
    knowledge/L2/2.1-project.md a summary per section
    knowledge/L3/3.1-project.md its details
    knowledge/index.md          the navigation index
    knowledge/index.json        which folder has which number, for good
    knowledge/.written/         marks of the lines that a build wrote, by document

A document is replaced as a whole, and what people wrote in it is read at that moment. Links are not followed.
"""

import os
from collections.abc import Callable, Mapping

from holdfast.hot import jsonc, paths
from holdfast.hot.files import Lock, names_in, read_text, safe_name, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.provenance import is_plain, is_real, real_folder
from holdfast.knowledge import document
from holdfast.knowledge.markers import OVERVIEW
from holdfast.memory import location
from holdfast.memory.cache import leftovers

KNOWLEDGE, FIRST, INDEX, NUMBERS, WRITTEN = "knowledge", "L1.md", "index.md", "index.json", ".written"
LARGEST = 1_000_000  # bytes of a document
MARKS = 4_000  # lines of builds that are known of a document; one has a few hundred at most
_VERSION = 1


def folder_of(cwd: str = "") -> str:
    """Where this project's documents are: where its memory is, so that all worktrees have the same."""
    kept = location.folder_of(cwd)
    above, name = os.path.split(kept)
    return f"{above}/{KNOWLEDGE}" if name == paths.MEMORY else f"{os.path.dirname(above)}/{KNOWLEDGE}/{name}"


def texts(folder: str) -> dict[str, str]:
    """Marker -> text of each document that is there."""
    found = {marker: read(folder, path) for marker, path in places(folder).items()}
    return {marker: text for marker, text in found.items() if text}


def places(folder: str) -> dict[str, str]:
    """Marker -> path within the folder of each document, level by level; the marker stands in the file's name."""
    found = {OVERVIEW: FIRST} if os.path.isfile(f"{folder}/{FIRST}") else {}
    for level in ("2", "3"):
        numbered = []
        for name in names_in(f"{folder}/L{level}") if is_real(f"{folder}/L{level}") else ():
            number = name.split("-", 1)[0].removeprefix(f"{level}.")
            if name.endswith(".md") and name.startswith(f"{level}.") and number.isascii() and number.isdecimal():
                numbered.append((int(number), name))
        for one, name in sorted(numbered):
            found.setdefault(f"§{level}.{one}", f"L{level}/{name}")
    return found


def read(folder: str, path: str) -> str:
    """The text of a document; "" where there is none, or a link stands in its place."""
    whole = f"{folder}/{path}"
    is_own = os.path.realpath(whole) == f"{os.path.realpath(folder)}/{path}" and is_plain(whole)
    return read_text(whole, LARGEST) if is_own else ""


def settled(folder: str, path: str) -> str:
    """The document as it stands, with what people wrote in its generated parts between the two marks."""
    return _settled(folder, path, read(folder, path))


def path_for(folder: str, marker: str, title: str) -> str:
    """Path within the folder at which a document is or will be."""
    level, name = marker[1], safe_name(title.lower(), 60).replace("_", "-").strip("-.")
    fresh = FIRST if level == "1" else f"L{level}/{marker[1:]}-{name or 'section'}.md"
    return places(folder).get(marker) or fresh


def replace(folder: str, path: str, make: Callable[[str], str]) -> bool:
    """Write what `make` makes of the file as it stands; whether that changed anything. Raises OSError."""
    prepare(folder)
    with Lock(f"{folder}/.lock"):
        old = read(folder, path)
        new = make(old)
        if new != old:
            write_atomic(f"{folder}/{path}", new)
        return new != old


def rewrite(folder: str, path: str, make: Callable[[str], str]) -> bool:
    """`replace` for a document: `make` gets the settled text, and what it makes is known as a build's from then on."""

    def text(old: str) -> str:
        new = make(_settled(folder, path, old))
        known = _written(folder, path)
        fresh = dict.fromkeys(map(_mark, document.generated(new)))
        if not fresh.keys() <= set(known):  # before the document: who is killed between must not leave ours unknown
            # Marks of earlier builds stay, since a document may be fetched back.
            marks = [*(mark for mark in known if mark not in fresh), *fresh]
            write_atomic(f"{folder}/{_marks_of(path)}", "\n".join(marks[-MARKS:]) + "\n")
        return new

    return replace(folder, path, text)


def _settled(folder: str, path: str, text: str) -> str:
    known = frozenset(_written(folder, path))
    return document.settled(text, lambda line: _mark(line) in known) if known else text


def _written(folder: str, path: str) -> list[str]:
    """Marks of the lines that builds wrote into this document, the newest last; none where they are not known."""
    return read(folder, _marks_of(path)).split()


def _mark(line: str) -> str:
    return fingerprint(line.encode("utf-8", "replace"))


def _marks_of(path: str) -> str:
    return f"{WRITTEN}/{os.path.basename(path)}"


def remove(folder: str, path: str) -> None:
    """Remove a document; nothing where another build has done so, or a link stands in a folder's place."""
    if is_real(folder) and is_real(os.path.dirname(f"{folder}/{path}")):
        for one in (path, _marks_of(path)):
            try:
                os.unlink(f"{folder}/{one}")
            except FileNotFoundError:
                pass


def numbers(folder: str) -> dict[str, int]:
    """Folder of the project -> number of its section, of all that ever were; as files tell where the list is torn."""
    rows = jsonc.loads_object(read(folder, NUMBERS) or "{}").get("sections")
    if isinstance(rows, dict) and all(isinstance(number, int) and number > 0 for number in rows.values()):
        known = {"": 1, **rows}
        if known[""] == 1 and len(set(known.values())) == len(known):
            return known
    found: dict[str, int] = {}
    for marker, text in texts(folder).items():
        if marker.startswith("§2."):
            title = text.split("\n", 1)[0].removeprefix(f"# {marker}").strip()
            found["" if marker == "§2.1" else title] = int(marker[3:])
    return found


def keep_numbers(folder: str, known: Mapping[str, int]) -> None:
    """Write down which section has which number. Raises OSError."""
    rows = dict(sorted(known.items(), key=lambda row: row[1]))
    replace(folder, NUMBERS, lambda _: jsonc.dumps({"v": _VERSION, "sections": rows}) + "\n")


def prepare(folder: str) -> None:
    """Make the folders, private. Raises OSError: a link or a file stands in the place of one."""
    for place in (folder, f"{folder}/L2", f"{folder}/L3", f"{folder}/{WRITTEN}"):
        real_folder(place)


def drop_leftovers(folder: str) -> None:
    """Remove what killed writers have left: it may tell what was forgotten since. Raises OSError."""
    for path in leftovers(folder):
        os.unlink(path)
