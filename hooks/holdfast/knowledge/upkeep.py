"""What commands do with the documents: pass a change on level by level, tell what is stale, check. Reads and writes.

What is told is a model of schema.py, and printed as it is.
"""

from collections.abc import Collection

from holdfast.errors import BadInput
from holdfast.knowledge import build, checks, document, navigation, propagation, schema, sectioning, store
from holdfast.knowledge.build import Planned, Site
from holdfast.knowledge.markers import OVERVIEW
from holdfast.memory import repository


def update(place: Site, change: str, section: str, said: Collection[str]) -> list[schema.ReachedLevel]:
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
    for level, is_due, why in propagation.due(change, {*said, *seen}):
        changes = [written(place, build.put(place, one)) for one in plans if is_due and one.marker[1] == str(level)]
        told.append(schema.ReachedLevel(level=level, due=is_due, why=why, documents=changes))
    build.index(place)
    return told


def written(place: Site, one: Planned) -> schema.BuiltDocument:
    """What became of a document, as it is printed."""
    return schema.BuiltDocument(marker=one.marker, state=one.state, path=f"{place.folder}/{one.path}")


def _seen(one: Planned) -> set[str]:
    """Conditions that show by comparing what would be written with what stands."""
    differing = _differing(one)
    if one.marker != OVERVIEW:
        return {"status"} if one.marker.startswith("§2.") and "Status" in differing else set()
    found = {"percent"} if navigation.percent(one.new) != navigation.percent(one.old) else set()
    return found | ({"blocker"} if "Blockers" in differing else set())


def _differing(one: Planned) -> list[str]:
    """Names of the parts that differ; of texts that differ elsewhere, where people wrote below the marks, that."""
    now, before = document.parts(one.new), document.parts(one.old)
    found = [name for name in dict.fromkeys([*now, *before]) if now.get(name) != before.get(name)]
    return found or (["what stands after the parts"] if one.new != one.old else [])


def stale(place: Site) -> list[schema.StaleDocument]:
    """The documents that differ from what would be written now."""
    made, _ = build.fresh(place)
    changed = [one for one in build.planned(place, made.values()) if one.new != one.old]
    found = [(one, "records or files have changed" if one.old else "it is not there") for one in changed]
    found += [(one, "its section is no more") for one in build.retired(place, made)]
    return [
        schema.StaleDocument(
            marker=one.marker,
            path=f"{place.folder}/{one.path}",
            parts=_differing(one) if one.old and one.marker in made else [],
            why=why,
        )
        for one, why in found
    ]


def check(place: Site) -> list[schema.Misfit]:
    """What does not fit in the documents as they stand, and which are out of date."""
    texts = store.texts(place.folder)
    found = checks.findings(texts, build.decisions(place), lambda path: bool(repository.within(place.project, path)))
    for one in stale(place) if OVERVIEW in texts else ():
        what = ": ".join(filter(None, (one.why, ", ".join(one.parts))))
        found.append(schema.Misfit(check="stale", marker=one.marker, what=what, todo=checks.BUILD))
    return found
