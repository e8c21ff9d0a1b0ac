"""What commands do with the documents: pass a change on level by level, tell what is stale, check. Reads and writes.

What is told is a model of schema.py, and printed as it is.
"""

from collections.abc import Collection

from holdfast.errors import BadInput
from holdfast.knowledge import build, checks, document, navigation, propagation, schema, sectioning, store
from holdfast.knowledge.build import Place, Planned
from holdfast.knowledge.markers import OVERVIEW
from holdfast.memory import repository


def update(place: Place, change: str, section: str, said: Collection[str]) -> list[schema.Level]:
    """Write what a change of this kind asks for, level by level. Raises BadInput, OSError.

    section: a marker, number or folder; "" is every section. said: conditions; those that show are added.
    """
    made, numbers = build.fresh(place)
    number = sectioning.meant(section, numbers)
    wanted = {marker: one for marker, one in made.items() if marker == OVERVIEW or number in (0, int(marker[3:]))}
    plans = list(build.planned(place, wanted.values()))
    if number and f"§2.{number}" not in made:
        raise BadInput(f"section {number} is no more", "--section", checks.BUILD)
    if not all(one.old for one in plans):
        raise BadInput("not every document is there", place.folder, checks.BUILD)
    seen = {condition for one in plans for condition in _seen(one)}
    told = []
    for level, due, why in propagation.due(change, {*said, *seen}):
        changes = [written(place, build.put(place, one)) for one in plans if due and one.marker[1] == str(level)]
        told.append(schema.Level(level=level, due=due, why=why, documents=changes))
    build.index(place)
    return told


def written(place: Place, one: Planned) -> schema.Document:
    """What became of a document, as it is printed."""
    return schema.Document(marker=one.marker, state=one.state, path=f"{place.folder}/{one.path}")


def _seen(one: Planned) -> set[str]:
    """Conditions that show by comparing what would be written with what stands."""
    differing = _differing(one)
    if one.marker != OVERVIEW:
        return {"status"} if one.marker.startswith("§2.") and "Status" in differing else set()
    is_other = navigation.percent(one.new) != navigation.percent(one.old)
    return {name for name, shows in (("percent", is_other), ("blocker", "Blockers" in differing)) if shows}


def _differing(one: Planned) -> list[str]:
    """Names of the parts that differ; of texts that differ elsewhere, where people wrote below the marks, that."""
    now, before = document.parts(one.new), document.parts(one.old)
    found = [name for name in dict.fromkeys([*now, *before]) if now.get(name) != before.get(name)]
    return found or (["what stands after the parts"] if one.new != one.old else [])


def stale(place: Place) -> list[schema.StaleDocument]:
    """The documents that differ from what would be written now."""
    made, _ = build.fresh(place)
    found = []
    for one in build.planned(place, made.values()):
        if one.new != one.old:
            why = "records or files have changed" if one.old else "it is not there"
            found.append((one, _differing(one) if one.old else [], why))
    found += [(one, [], "its section is no more") for one in build.retired(place, made)]
    return [
        schema.StaleDocument(marker=one.marker, path=f"{place.folder}/{one.path}", parts=names, why=why)
        for one, names, why in found
    ]


def check(place: Place) -> list[schema.Finding]:
    """What does not fit in the documents as they stand, and which are out of date."""
    texts = store.texts(place.folder)
    found = checks.findings(texts, build.decisions(place), lambda path: bool(repository.within(place.project, path)))
    old = stale(place) if OVERVIEW in texts else []
    told = ((one, f"{one.why}{': ' * bool(one.parts)}{', '.join(one.parts)}") for one in old)
    return found + [
        schema.Finding(check="stale", marker=one.marker, what=what, todo=checks.BUILD) for one, what in told
    ]
