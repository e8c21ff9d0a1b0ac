"""What stands behind a marker: a document, a part of one, a file or a folder of the project."""

from collections.abc import Mapping
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.knowledge import build as work
from holdfast.knowledge import checks, document, markers, navigation, sources, store
from holdfast.knowledge.build import Place
from holdfast.knowledge.markers import SIGN, Marker
from holdfast.memory import repository
from holdfast.text import redaction


class Shown(NamedTuple):
    """What is shown, without secrets. path: absolute, or within the project for level 4."""

    marker: str
    level: int
    path: str
    text: str
    more: Mapping[str, object] = {}
    """Of a file its metadata, of a folder its files."""


def shown(place: Place, text: str) -> Shown:
    """What a marker names. Raises BadInput: no marker, nothing there, outside of the project."""
    marker = markers.parse(text)
    if marker.level == 4:
        found = _raw(place, marker)
    elif marker.section or marker.level == 1:
        found = _document(place, marker)
    else:
        own = tuple(one for one in work.entries(place) if one.marker.startswith(f"{SIGN}{marker.level}."))
        if not own:
            raise BadInput(f"there is nothing at level {marker.level}", place.folder, checks.BUILD)
        path = f"{place.folder}/{store.INDEX}"
        found = Shown(f"{SIGN}{marker.level}", marker.level, path, navigation.page(own))
    return found._replace(text=redaction.redacted(found.text))


def _document(place: Place, marker: Marker) -> Shown:
    name, there = f"{SIGN}{marker.level}.{marker.section}", store.places(place.folder)
    path = there.get(name, "")
    text = store.read(place.folder, path) if path else ""
    if not text:
        known = ", ".join(there) or "none"
        raise BadInput(f"there is no {name}", place.folder, f"There are {known[:300]}. {checks.BUILD}")
    if marker.part:
        start = f"{marker.level}.{marker.section}.{marker.part} "
        found = [f"## {title}\n{body}\n" for title, body in document.parts(text).items() if title.startswith(start)]
        if not found:
            raise BadInput(f"{name} has no part {marker.part}", path, f"See `holdfast show {name}`")
        name, text = f"{name}.{marker.part}", found[0]
    return Shown(name, marker.level, f"{place.folder}/{path}", text)


def _raw(place: Place, marker: Marker) -> Shown:
    path, name = marker.path, markers.file_marker(marker.path)
    if inner := [one for one in repository.files(place.project) if one.startswith(f"{path}/")]:
        purposes = {one: work.purpose(place, one) for one in inner[: sources.LISTED]}
        return Shown(name, 4, path, sources.listing(path, inner, purposes), {"files": inner})
    file = repository.read(place.project, path)
    return Shown(name, 4, path, sources.page(file, marker.lines), sources.facts(file))
