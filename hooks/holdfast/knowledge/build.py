"""The hierarchy of knowledge, from the records and the repository to the documents.

`fresh` makes the documents as they would be now; building, updating and looking for what is stale compare with these.
Hooks come here too; what only commands ask stands in upkeep.py.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from holdfast.hot import paths
from holdfast.hot.provenance import keep_out_of_git
from holdfast.knowledge import document, levels, navigation, sectioning, sources, store
from holdfast.knowledge.document import Document, DocumentPart
from holdfast.knowledge.markers import LIMITS
from holdfast.memory import repository
from holdfast.memory.files import leftovers
from holdfast.memory.location import folder_of as memory_folder
from holdfast.memory.record import created_at, without_secrets
from holdfast.memory.store import Memory
from holdfast.text import redaction


class Site(NamedTuple):
    """Where things are, and when it is (epoch seconds)."""

    project: str
    folder: str
    memory: str
    now: float


class Planned(NamedTuple):
    """One document as it stands and as it would be now. path: within the folder; old, new: "" for none."""

    marker: str
    path: str
    old: str
    new: str

    @property
    def state(self) -> str:
        return "unchanged" if self.new == self.old else "written" if self.new else "removed"


def here(now: float, cwd: str = "") -> Site:
    """The place of this process's project."""
    return Site(os.path.realpath(paths.project_folder(cwd)), store.folder_of(cwd), memory_folder(cwd), now)


def fresh(place: Site) -> tuple[dict[str, Document], dict[str, int]]:
    """(marker -> document as it would be now, folder -> number of its section)."""
    listed, known = repository.files(place.project), store.numbers(place.folder)
    records = list(map(without_secrets, Memory(place.memory).in_use(place.now)))  # people write some by hand
    records.sort(key=lambda one: (created_at(one, place.now), one.id), reverse=True)
    found, purposes = sectioning.sections(records, listed, known, place.project), {"": _goal(place)}
    for section in found:
        if folder := section.folder:
            purposes[folder] = _goal(place, folder) or purpose(place, f"{folder}/__init__.py")
        purposes |= {path: purpose(place, path) for path in levels.listed(section, place.project)}
    project = levels.ProjectKnowledge(found, purposes, place.project, place.now)
    numbers = {**known, **{section.folder: section.number for section in found}}
    return {one.marker: one for one in levels.documents(project)}, numbers


def decisions(place: Site) -> set[str]:
    """Codes of all decisions in the memory, archived ones too."""
    return {record.code for record in Memory(place.memory).all() if record.code}


def purpose(place: Site, path: str) -> str:
    """What a file says that it is for; "" where it says nothing or is not there."""
    return sources.purpose(redaction.redacted(repository.head(place.project, path, sources.HEAD)), path)


def _goal(place: Site, folder: str = "") -> str:
    names = ("README.md", "README.rst", "README.txt", "README")
    heads = (repository.head(place.project, os.path.join(folder, name), 20_000) for name in names)
    return next(filter(None, (sources.goal(redaction.redacted(head)) for head in heads)), "")


def build(place: Site) -> list[Planned]:
    """Write every document anew; those of sections that are no more go, unless people wrote in them. Raises OSError."""
    made, numbers = fresh(place)
    changes = [put(place, one) for one in chain(planned(place, made.values()), retired(place, made))]
    store.keep_numbers(place.folder, numbers)
    index(place)
    return changes


def planned(place: Site, made: Iterable[Document]) -> Iterator[Planned]:
    """The documents with what people wrote in the old ones, read when they come, without secrets in what is ours."""
    for one in made:
        path = store.path_for(place.folder, one.marker, one.title.removesuffix(": details"))
        old = store.read(place.folder, path)
        parts = (part._replace(lines=tuple(map(redaction.redacted, part.lines))) for part in one.parts)
        new = document.write(one._replace(parts=tuple(parts)), document.own_text(old))
        yield Planned(one.marker, path, old, new)


def retired(place: Site, made: Collection[str]) -> Iterator[Planned]:
    """What becomes of the documents whose section is no more: nothing, or what people wrote in them."""
    told = DocumentPart("Status", ("The folder is no section any more. Move what is written below, and build again.",))
    for marker, path in store.places(place.folder).items():
        if marker in made:
            continue
        old = store.read(place.folder, path)
        rest = Document(marker, navigation.title(marker, old), LIMITS[int(marker[1])], (told,))
        own = document.own_text(old)
        yield Planned(marker, path, old, document.write(rest, own) if own else "")


def put(place: Site, one: Planned) -> Planned:
    """Do what is planned. Raises OSError."""
    if one.new:
        store.write(place.folder, one.path, one.new)
    else:
        store.remove(place.folder, one.path)
    return one


def renew(now: float, cwd: str = "") -> None:
    """Build again where documents were built: what was forgotten leaves them, and what killed writers have left.

    Raises OSError.
    """
    place = here(now, cwd)
    if store.places(place.folder):
        for path in leftovers(place.folder):
            os.unlink(path)
        build(place)


def index(place: Site) -> None:
    """Write the index. The state is kept out of git, also where no session has run yet. Raises OSError."""
    store.write(place.folder, store.INDEX, redaction.redacted(navigation.page(entries(place))))
    above, name = os.path.split(place.folder)
    if name == store.KNOWLEDGE:
        keep_out_of_git(above)


def entries(place: Site) -> tuple[navigation.Landmark, ...]:
    """The navigation index, of the documents as they stand."""
    texts = store.texts(place.folder)
    folders = [folder for folder, number in store.numbers(place.folder).items() if f"§2.{number}" in texts]
    return navigation.entries(texts, folders)
