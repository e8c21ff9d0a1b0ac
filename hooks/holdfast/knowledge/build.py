"""The hierarchy of knowledge, from the records and the repository to the documents and back.

`fresh` makes the documents as they would be now; building, updating and looking for what is stale all compare with
these. What is told is a NamedTuple whose fields are those of the commands' JSON.
"""

import os
from collections.abc import Collection
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.hot import paths
from holdfast.hot.provenance import keep_out_of_git
from holdfast.knowledge import checks, document, levels, navigation, propagation, sectioning, sources, store
from holdfast.knowledge.document import Document, Part
from holdfast.knowledge.markers import LIMITS, OVERVIEW
from holdfast.memory import repository
from holdfast.memory.location import folder_of as memory_folder
from holdfast.memory.location import leftovers
from holdfast.memory.record import created_at
from holdfast.memory.store import Memory
from holdfast.text import redaction
from holdfast.text.tokens import measure

README = ("README.md", "README.rst", "README.txt", "README")
OWN = "what stands after the parts"
"""Differs where people wrote below the marks, and a build would put it between them."""


class Place(NamedTuple):
    """Where things are, and when it is (epoch seconds)."""

    project: str
    folder: str
    memory: str
    now: float


class Change(NamedTuple):
    """What became of one document. state: written, unchanged, removed or kept."""

    marker: str
    path: str
    state: str


class Stale(NamedTuple):
    """A document that does not say what would be written now. parts: names of those that differ, () for all of it."""

    marker: str
    path: str
    parts: tuple[str, ...]
    why: str


def here(now: float, cwd: str = "") -> Place:
    """The place of this process's project."""
    return Place(os.path.realpath(paths.project_folder(cwd)), store.folder_of(cwd), memory_folder(cwd), now)


def fresh(place: Place) -> tuple[dict[str, Document], dict[str, int]]:
    """(marker -> document as it would be now, folder -> number of its section)."""
    listed, known = repository.files(place.project), store.numbers(place.folder)
    records = Memory(place.memory).in_use(place.now)
    records.sort(key=lambda one: (created_at(one, place.now), one.id), reverse=True)
    found = sectioning.sections(records, listed, known, place.project)
    inner = {one.folder for one in found if one.folder}
    purposes = {one: _goal(place, one) or purpose(place, f"{one}/__init__.py") for one in inner} | {"": _goal(place)}
    for section in found:
        shown = [path for part in levels.split(section, place.project) for path in part[: levels.LISTED]]
        purposes |= {path: purpose(place, path) for path in shown}
    project = levels.Project(found, purposes, place.project, place.now)
    numbers = {**known, **{section.folder: section.number for section in found}}
    return {one.marker: one for one in levels.documents(project)}, numbers


def purpose(place: Place, path: str) -> str:
    """What a file says that it is for; "" where it says nothing or is not there."""
    return sources.purpose(repository.head(place.project, path, sources.HEAD), path)


def _goal(place: Place, folder: str = "") -> str:
    """What the readme of a folder says that it is for."""
    heads = (repository.head(place.project, os.path.join(folder, name), 20_000) for name in README)
    return next(filter(None, map(sources.goal, heads)), "")


def build(place: Place) -> list[Change]:
    """Write every document anew; those of sections that are no more go, unless people wrote in them. Raises OSError."""
    made, numbers = fresh(place)
    changes = [_replace(place, one) for one in made.values()]
    gone = [(marker, path) for marker, path in store.places(place.folder).items() if marker not in made]
    changes += [_retire(place, marker, path) for marker, path in gone]
    store.keep_numbers(place.folder, numbers)
    _index(place)
    return changes


def _retire(place: Place, marker: str, path: str) -> Change:
    old = store.settled(place.folder, path)
    if not document.own_text(old):
        store.remove(place.folder, path)
        return Change(marker, path, "removed")
    told = Part(
        propagation.STATUS, ("The folder is no section any more. Move what is written below, and build again.",)
    )
    rest = Document(marker, navigation.title(marker, old), LIMITS[int(marker[1])], (told,))
    store.rewrite(place.folder, path, lambda text: document.write(rest, document.own_text(text)))
    return Change(marker, path, "kept")


def renew(now: float, cwd: str = "") -> None:
    """Build again where documents were built: what was forgotten leaves them, and what killed writers have left.

    Raises OSError.
    """
    place = here(now, cwd)
    if store.places(place.folder):
        for path in leftovers(place.folder):
            os.unlink(path)
        build(place)


def _path(place: Place, made: Document) -> str:
    return store.path_for(place.folder, made.marker, made.title.removesuffix(": details"))


def _written(made: Document, old: str) -> str:
    """The document as text, with what people wrote in the old one, without secrets in what is ours."""
    parts = [one._replace(lines=tuple(map(redaction.redacted, one.lines))) for one in made.parts]
    return document.write(made._replace(parts=tuple(parts)), document.own_text(old))


def _replace(place: Place, made: Document, parts: Collection[str] = ()) -> Change:
    """Write a document anew, or only these parts of it where it is within its tokens then."""

    def text(old: str) -> str:
        new = _written(made, old)
        some = document.merged(new, old, parts) if parts else new
        return some if measure(some, made.limit) <= made.limit else new

    path = _path(place, made)
    return Change(made.marker, path, "written" if store.rewrite(place.folder, path, text) else "unchanged")


def _index(place: Place) -> None:
    """Write the index. The state is kept out of git, also where no session has run yet."""
    store.write(place.folder, store.INDEX, navigation.page(entries(place)))
    above, name = os.path.split(place.folder)
    if name == store.KNOWLEDGE:
        keep_out_of_git(above)


def entries(place: Place) -> tuple[navigation.Entry, ...]:
    """The navigation index, of the documents as they stand."""
    texts = store.texts(place.folder)
    folders = [folder for folder, number in store.numbers(place.folder).items() if f"§2.{number}" in texts]
    return navigation.entries(texts, folders)


def update(
    place: Place, change: str, section: str, said: Collection[str]
) -> list[tuple[propagation.Due, list[Change]]]:
    """Write what a change of this kind asks for, level by level. Raises BadInput, OSError.

    section: a marker, number or folder; "" is every section. said: conditions; those that show are added.
    """
    made, numbers = fresh(place)
    number = sectioning.meant(section, numbers)
    wanted = {marker: one for marker, one in made.items() if marker == OVERVIEW or number in (0, int(marker[3:]))}
    texts = store.texts(place.folder)
    if number and f"§2.{number}" not in made:
        raise BadInput(f"section {number} is no more", "--section", checks.BUILD)
    if not wanted.keys() <= texts.keys():
        raise BadInput("not every document is there", place.folder, checks.BUILD)
    seen = {condition for one in wanted.values() for condition in _seen(one, texts[one.marker])}
    told = []
    for due in propagation.due(change, {*said, *seen}):
        own = [one for marker, one in wanted.items() if due.due and marker[1] == str(due.level)]
        told.append((due, [_replace(place, one, due.parts) for one in own]))
    _index(place)
    return told


def _seen(made: Document, old: str) -> set[str]:
    """Conditions that show by comparing what would be written with what stands."""
    new, is_first = _written(made, old), made.marker == OVERVIEW
    differing = _differing(new, old)
    shows = {
        propagation.CHANGED: made.marker.startswith("§2.") and propagation.STATUS in differing,
        propagation.PERCENT: is_first and navigation.percent(new) != navigation.percent(old),
        propagation.BLOCKER: is_first and propagation.BLOCKERS in differing,
    }
    return {condition for condition, is_so in shows.items() if is_so}


def _differing(new: str, old: str) -> tuple[str, ...]:
    """Names of the parts that differ; of texts that differ at all there is one."""
    now, before = document.parts(new), document.parts(old)
    found = tuple(document.named(name) for name in dict.fromkeys([*now, *before]) if now.get(name) != before.get(name))
    return found or ((OWN,) if new != old else ())


def stale(place: Place) -> list[Stale]:
    """The documents that differ from what would be written now."""
    made, _ = fresh(place)
    found = []
    for marker, one in made.items():
        path = _path(place, one)
        old = store.read(place.folder, path)
        differing = _differing(_written(one, old), old) if old else ()
        if differing or not old:
            found.append(Stale(marker, path, differing, "records or files have changed" if old else "it is not there"))
    gone = [(marker, path) for marker, path in store.places(place.folder).items() if marker not in made]
    return found + [Stale(marker, path, (), "its section is no more") for marker, path in gone]


def check(place: Place) -> list[checks.Finding]:
    """What does not fit in the documents as they stand."""
    decisions = {record.code for record in Memory(place.memory).all() if record.code}
    texts = store.texts(place.folder)
    return checks.findings(texts, decisions, lambda path: bool(repository.within(place.project, path)))
