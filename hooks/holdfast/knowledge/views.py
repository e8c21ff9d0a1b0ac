"""What stands behind a marker: a document, a part of one, a file or a folder of the project."""

from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.knowledge import build as work
from holdfast.knowledge import checks, document, markers, navigation, sources, store
from holdfast.knowledge.build import Place
from holdfast.knowledge.markers import SIGN, Marker
from holdfast.memory import repository
from holdfast.text import redaction


class Shown(NamedTuple):
    """What is shown. path: absolute, or within the project for level 4."""

    marker: str
    level: int
    path: str
    text: str
    facts: sources.Facts | None = None
    """Of a file."""
    files: tuple[str, ...] = ()
    """Of a folder."""


def shown(place: Place, text: str) -> Shown:
    """What a marker names. Raises BadInput: no marker, nothing there, outside of the project."""
    marker = markers.parse(text)
    if marker.level == 4:
        return _raw(place, marker)
    if not marker.section and marker.level != 1:
        own = tuple(one for one in work.entries(place) if one.marker.startswith(f"{SIGN}{marker.level}."))
        if not own:
            raise BadInput(f"there is nothing at level {marker.level}", place.folder, checks.BUILD)
        return Shown(f"{SIGN}{marker.level}", marker.level, f"{place.folder}/{store.INDEX}", navigation.page(own))
    return _document(place, marker)


def _document(place: Place, marker: Marker) -> Shown:
    name, there = f"{SIGN}{marker.level}.{marker.section}", store.places(place.folder)
    path = there.get(name, "")
    text = redaction.redacted(store.read(place.folder, path)) if path else ""
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
    path = _meant(place, marker.path)
    inner = [one for one in repository.files(place.project) if one.startswith(f"{path}/")]
    name = markers.file_marker(path)
    if inner:
        heads = {one: repository.head(place.project, one, sources.HEAD) for one in sorted(inner)[: sources.LISTED]}
        purposes = {one: sources.purpose(head, one) for one, head in heads.items()}
        return Shown(name, 4, path, sources.listing(path, inner, purposes) + "\n", files=tuple(inner))
    file = repository.read(place.project, path)
    text = None if b"\0" in file.data else file.data.decode("utf-8", "replace")
    raw = sources.Raw(path, file.size, file.changed, text)
    return Shown(name, 4, path, sources.page(raw, marker.lines), sources.facts(raw))


def _meant(place: Place, path: str) -> str:
    """The path as it is written, where it is there; else the one that its dots mean."""
    if repository.lies(place.project, path):
        return path
    fits = markers.dotted(path, repository.files(place.project))
    if len(fits) > 1:
        raise BadInput(f"{path[:60]!r} may be {len(fits)} files", SIGN + "4", f"Name one: {', '.join(fits[:5])}")
    return fits[0] if fits else path
