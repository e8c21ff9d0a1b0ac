"""Which sections does a project have, and in which does a record stand?

Rule: section 1 is the project as a whole. Each other one is a folder: those at the top, and of a folder that holds
more than a third of all files, and twenty at least, those in it, beside what it holds itself. A record stands in the
section that most of its paths lie in, else in the one that a tag names, else in section 1. Sixteen folders have
sections: those with most records, then those that had one before, then those with most files. A number once given
stays its folder's for good, because people refer to it. Source: requirement L (L2 200-500 tokens per section).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.memory.record import Record

FOLDERS = 16


class ProjectSection(NamedTuple):
    """One part of the project with what is known of it."""

    number: int
    folder: str
    """Within the project; "" is the project as a whole."""
    records: tuple[Record, ...] = ()
    """In the order in which they were given."""
    files: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.folder or "Project"


def sections(
    records: Iterable[Record], files: Sequence[str], known: Mapping[str, int], root: str = ""
) -> tuple[ProjectSection, ...]:
    """The sections that have something to say, by number.

    records: those that hold; files: paths within the project; known: folder -> number given before; root: the project's
    absolute path, which records may name files by.
    """
    divisions = divided(files)
    homes = [(place(record, divisions, root), record) for record in records]
    named, held = Counter(home for home, _ in homes), Counter(inside(file, divisions) for file in files)
    ranked = sorted(divisions, key=lambda one: (-named[one], one not in known, -held[one], one))
    kept = set(ranked[:FOLDERS])
    placed, shared = defaultdict[str, list[Record]](list), defaultdict[str, list[str]](list)
    for home, record in homes:
        placed[inside(home, kept)].append(record)
    for file in files:
        shared[inside(file, kept)].append(file)
    numbers = {**known, "": 1}
    for folder in sorted(kept):
        numbers.setdefault(folder, max(numbers.values()) + 1)
    found = [
        ProjectSection(numbers[folder], folder, tuple(placed[folder]), tuple(shared[folder]))
        for folder in ("", *kept)
        if placed[folder] or shared[folder]
    ]
    return tuple(sorted(found, key=lambda one: one.number))


def divided(files: Iterable[str]) -> tuple[str, ...]:
    """The folders that are sections; hidden ones are none."""
    folders = [file.rpartition("/")[0] for file in files]
    found = _children(folders, "")
    for _ in range(8):  # as deep as a tree that has one folder in the other is followed
        large = max(found, key=lambda one: found[one], default="")
        inner = _children(folders, f"{large}/") if large else {}
        if not inner or found[large] < max(20, len(folders) / 3):
            break
        found |= {large: found[large] - sum(inner.values()), **inner}
    return tuple(sorted(one for one, number in found.items() if number))


def _children(folders: Iterable[str], start: str) -> dict[str, int]:
    """Folders right below `start` -> files in them."""
    names = (folder[len(start) :].split("/", 1)[0] for folder in folders if folder.startswith(start))
    return dict(Counter(start + name for name in names if name and not name.startswith((".", "_"))))


def inside(path: str, folders: Collection[str]) -> str:
    """The deepest folder of these that a path lies in; "" for none."""
    place = path
    while place and place not in folders:
        place = place.rpartition("/")[0]
    return place


def place(record: Record, folders: Collection[str], root: str = "") -> str:
    """The folder that a record is about; "" for the project as a whole."""
    homes = [home for path in record.paths if (home := inside(relative(path, root), folders))]
    if homes:
        return Counter(homes).most_common(1)[0][0]
    named = {folder.rsplit("/", 1)[-1].lower(): folder for folder in sorted(folders, reverse=True)}
    return next((named[tag] for tag in record.tags if tag in named), "")


def relative(path: str, root: str) -> str:
    """A path within the project where it lies there; else as it is."""
    return path[len(root) :].lstrip("/") if root and path.startswith(f"{root}/") else path.removeprefix("./")


def meant(section: str, numbers: Mapping[str, int]) -> int:
    """Number of the section that a marker, a number or a folder names; 0 for "". Raises BadInput for none."""
    if not section:
        return 0
    bare = section.strip().strip("/").removeprefix("§")
    named = bare.split(".")[1] if bare[:2] in ("2.", "3.") else bare
    number = numbers.get(bare) or (int(named) if named.isascii() and named.isdecimal() else 0)
    if number not in numbers.values():
        known = ", ".join(f"§2.{one} {folder or 'Project'}" for folder, one in numbers.items())
        raise BadInput(f"there is no section {section[:60]!r}", "--section", f"Sections are {known[:300]}")
    return number
