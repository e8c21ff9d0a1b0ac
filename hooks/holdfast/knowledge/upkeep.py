"""What commands do with the documents: pass a change on level by level, tell what is stale, check. Reads and writes.

What is told is a model of schema.py, and printed as it is.
"""

from collections.abc import Collection

from holdfast.errors import BadInput
from holdfast.knowledge import build, checks, document, navigation, propagation, schema, sectioning, store
from holdfast.knowledge.build import Place
from holdfast.knowledge.document import Document
from holdfast.knowledge.markers import OVERVIEW
from holdfast.memory import repository


def update(place: Place, change: str, section: str, said: Collection[str]) -> list[schema.Level]:
    """Write what a change of this kind asks for, level by level. Raises BadInput, OSError.

    section: a marker, number or folder; "" is every section. said: conditions; those that show are added.
    """
    made, numbers = build.fresh(place)
    number = sectioning.meant(section, numbers)
    wanted = {marker: one for marker, one in made.items() if marker == OVERVIEW or number in (0, int(marker[3:]))}
    texts = store.texts(place.folder)
    if number and f"§2.{number}" not in made:
        raise BadInput(f"section {number} is no more", "--section", checks.BUILD)
    if not wanted.keys() <= texts.keys():
        raise BadInput("not every document is there", place.folder, checks.BUILD)
    seen = {condition for one in wanted.values() for condition in _seen(one, texts[one.marker])}
    told = []
    for level, due, why in propagation.due(change, {*said, *seen}):
        own = [one for marker, one in wanted.items() if due and marker[1] == str(level)]
        changes = [schema.Document(**build.replace(place, one)._asdict()) for one in own]
        told.append(schema.Level(level=level, due=due, why=why, documents=changes))
    build.index(place)
    return told


def _seen(made: Document, old: str) -> set[str]:
    """Conditions that show by comparing what would be written with what stands."""
    new = build.written(made, old)
    differing = _differing(new, old)
    if made.marker != OVERVIEW:
        return {"status"} if made.marker.startswith("§2.") and "Status" in differing else set()
    is_other = navigation.percent(new) != navigation.percent(old)
    return {name for name, shows in (("percent", is_other), ("blocker", "Blockers" in differing)) if shows}


def _differing(new: str, old: str) -> list[str]:
    """Names of the parts that differ; of texts that differ elsewhere, where people wrote below the marks, that."""
    now, before = document.parts(new), document.parts(old)
    found = [name for name in dict.fromkeys([*now, *before]) if now.get(name) != before.get(name)]
    return found or (["what stands after the parts"] if new != old else [])


def stale(place: Place) -> list[schema.StaleDocument]:
    """The documents that differ from what would be written now."""
    made, _ = build.fresh(place)
    found = []
    for marker, one in made.items():
        path = build.path_of(place, one)
        old = store.read(place.folder, path)
        differing = _differing(build.written(one, old), old) if old else []
        if differing or not old:
            found.append((marker, path, differing, "records or files have changed" if old else "it is not there"))
    gone = [(marker, path) for marker, path in store.places(place.folder).items() if marker not in made]
    found += [(marker, path, [], "its section is no more") for marker, path in gone]
    return [
        schema.StaleDocument(marker=marker, path=f"{place.folder}/{path}", parts=names, why=why)
        for marker, path, names, why in found
    ]


def check(place: Place) -> list[schema.Finding]:
    """What does not fit in the documents as they stand."""
    texts = store.texts(place.folder)
    return checks.findings(texts, build.decisions(place), lambda path: bool(repository.within(place.project, path)))
