"""What stands behind a marker: a document, a part of one, a file or a folder of the project."""

from typing import Any

from holdfast.errors import BadInput
from holdfast.knowledge import build, checks, document, markers, navigation, sources, store
from holdfast.knowledge.build import Site
from holdfast.knowledge.markers import Marker, file_marker
from holdfast.knowledge.schema import ShownPlace
from holdfast.memory import repository
from holdfast.memory.repository import ProjectFile
from holdfast.text import redaction
from holdfast.text.dates import iso
from holdfast.text.tokens import estimate

LISTED = 200
"""Files of a folder."""


def shown(place: Site, text: str) -> ShownPlace:
    """What a marker names, without secrets. Raises BadInput: no marker, nothing there, outside of the project."""
    marker = markers.parse(text)
    if marker.level == 4:
        found = _raw(place, marker)
    elif marker.section or marker.level == 1:
        found = _document(place, marker)
    else:
        own = tuple(one for one in build.entries(place) if one.marker.startswith(f"§{marker.level}."))
        if not own:
            raise BadInput(f"there is nothing at level {marker.level}", place.folder, checks.BUILD)
        path, page = f"{place.folder}/{store.INDEX}", navigation.page(own)
        found = ShownPlace(marker=f"§{marker.level}", level=marker.level, path=path, text=page)
    return found.model_copy(update={"text": redaction.redacted(found.text)})


def _document(place: Site, marker: Marker) -> ShownPlace:
    name, there = f"§{marker.level}.{marker.section}", store.places(place.folder)
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
    return ShownPlace(marker=name, level=marker.level, path=f"{place.folder}/{path}", text=text)


def _raw(place: Site, marker: Marker) -> ShownPlace:
    path, name = marker.path, file_marker(marker.path)
    if inner := [one for one in repository.files(place.project) if one.startswith(f"{path}/")]:
        told = ((one, build.purpose(place, one)) for one in inner[:LISTED])
        rows = [f"# {name}", f"{len(inner):,} file{'s' * (len(inner) != 1)}", ""]
        rows += [f"- {': '.join(filter(None, (file_marker(one), said)))}" for one, said in told]
        rows += [f"…and {len(inner) - LISTED} more, see their own folders"] if len(inner) > LISTED else []
        return ShownPlace(marker=name, level=4, path=path, text="\n".join([*rows, ""]), files=inner)
    file = repository.read(place.project, path)
    return ShownPlace(marker=name, level=4, path=path, text=page(file, marker.lines), **facts(file))


def facts(file: ProjectFile) -> dict[str, Any]:
    """The metadata of a file, as fields of `Shown`; of one that was read in part nobody knows its lines."""
    text = file.text or ""
    return {
        "changed": iso(file.changed),
        "bytes": file.size,
        "lines": None if file.is_part else len(text.splitlines()),
        "tokens": None if file.is_part else estimate(text),
        "purpose": sources.purpose(text, file.path),
    }


def page(file: ProjectFile, lines: tuple[int, int] = (0, 0)) -> str:
    """Metadata and the file below it, or its lines from first to last, without secrets: what only the whole file shows
    to be one, too. Source: requirement L (level 4). Raises BadInput for lines behind it.
    """
    told, (first, last), read = facts(file), lines, f"its first {len(file.data):,} bytes"
    counted = f"{told['lines']:,} lines, about {told['tokens']:,} tokens" if not file.is_part else f"{read} are read"
    head = [
        f"# {file_marker(file.path)}",
        f"Path: {file.path}",
        f"Last change: {told['changed']}",
        f"Size: {file.size:,} bytes, {counted}",
        *([f"Purpose: {told['purpose']}"] if told["purpose"] else []),
        "",
    ]
    if file.text is None:
        return "\n".join([*head, "It is no text and is not shown."])
    # A file may hold what steers a terminal; line ends and tabs are all that is kept of it.
    clean = redaction.redacted(file.text).split("\n")
    if first:
        own = file.text.split("\n")
        most = len(own) - (not own[-1])
        if first > most:
            what = f"{read} have" if file.is_part else "it has"
            raise BadInput(f"there is no line {first:,}", file.path, f"{what.capitalize()} {most:,} lines")
        known, rows = {*clean}, own[first - 1 : last or None]
        clean = [row if row in known else redaction.HIDDEN for row in rows]
    safe = ("".join(one if one.isprintable() or one == "\t" else "\ufffd" for one in row) for row in clean)
    return "\n".join([*head, *safe])
