"""What is known of a section in detail?

Rule: everything recorded that holds, field by field, with its source, and the files with their purposes; those that
records name come first. A part has the same number in every section, so that §3.2.3 keeps its meaning. What finds no
room is counted, and the memory or the folder has it. Source: requirement L (L3 1,000-3,000).
"""

from collections.abc import Collection
from typing import NamedTuple

from holdfast.knowledge.document import Document, Part
from holdfast.knowledge.markers import file_marker
from holdfast.knowledge.model import SHORT, Project, coded, falling, flat
from holdfast.knowledge.propagation import DECISIONS, STATUS
from holdfast.knowledge.scope import LIMITS
from holdfast.knowledge.sectioning import Section, relative
from holdfast.memory.briefing import made
from holdfast.memory.record import Record
from holdfast.memory.shapes import SEVERITIES, SHAPES

ISSUES, LEARNINGS, SETTINGS, FILES = "Known issues", "Learnings", "Configuration", "Files"
FIELD, LISTED, ABOUT = 500, 120, 10
"""Characters of one field; files of a part; paths of a record."""
NAMED, OTHER = 150, 100
"""Weights of files: where a record names some, and otherwise."""
_SETTINGS = (".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".properties", "Makefile", "Dockerfile", "package.json")


class _Sort(NamedTuple):
    kind: str
    title: str
    weight: float


_SORTS = (
    _Sort("state", STATUS, 400),
    _Sort("decision", DECISIONS, 300),
    _Sort("issue", ISSUES, 320),
    _Sort("learning", LEARNINGS, 200),
)
"""The parts of records; the place in the table is the part's number."""


def document(section: Section, project: Project, files: Collection[str]) -> Document:
    """The document of level 3 of a section. files: all of the project, and its folders."""
    parts = [_records(place, sort, section, (project, files)) for place, sort in enumerate(_SORTS, 1)]
    where = f"see {file_marker(section.folder)}" if section.folder else ""
    named = _named(section, project.root)
    for place, (title, paths) in enumerate(zip((SETTINGS, FILES), split(section, project.root), strict=True), 5):
        told = [_file(path, project) for path in paths[:LISTED]]
        lines = falling(told, NAMED if named.intersection(paths) else OTHER)
        parts.append(Part(f"3.{section.number}.{place} {title}", lines, where, max(0, len(paths) - LISTED)))
    kept = tuple(part for part in parts if part.lines)
    return Document(f"§3.{section.number}", f"{section.title}: details", LIMITS[3], kept)


def split(section: Section, root: str) -> tuple[list[str], list[str]]:
    """The files of a section: settings, and the others, those first that records name."""
    settings = [path for path in section.files if path.endswith(_SETTINGS)]
    named, apart = _named(section, root), set(settings)
    others = [path for path in section.files if path not in apart]
    return settings, sorted(others, key=lambda path: (path not in named, path.count("/"), path))


def place_of(details: Document, title: str) -> str:
    """The marker of a part, of the whole document where it has no such part."""
    found = next((part.title for part in details.parts if part.title.endswith(f" {title}")), "")
    return f"§{found.split(' ')[0]}" if found else details.marker


def _named(section: Section, root: str) -> set[str]:
    return {relative(path, root) for record in section.records for path in record.paths}


def _records(place: int, sort: _Sort, section: Section, known: tuple[Project, Collection[str]]) -> Part:
    found = [record for record in section.records if record.kind == sort.kind]
    if sort.kind == "state":
        found.sort(key=lambda record: made(record, section.now), reverse=True)
    if sort.kind == "issue":
        found.sort(key=lambda record: SEVERITIES.index(record.content["severity"]))
    lines = falling([_whole(one, *known) for one in found], sort.weight)
    return Part(f"3.{section.number}.{place} {sort.title}", lines, "`holdfast memory list` has all")


def _file(path: str, project: Project) -> str:
    purpose = project.purposes.get(path, "")
    return f"- {file_marker(path)}{f': {flat(purpose)}' if purpose else ''}"


def _whole(record: Record, project: Project, files: Collection[str]) -> str:
    source = f"({record.time[:10]}, importance {record.importance}, {record.trust})"
    rows = [f"- {flat(record.title, SHORT)}{coded(record)} {source}"]
    for field in SHAPES[record.kind]:
        value = record.content.get(field.name)
        said = "; ".join(value) if isinstance(value, (tuple, list)) else "" if value is None else str(value)
        if said and said != record.title:
            sign = " %" if field.form == "percent" else ""
            rows.append(f"{field.name.replace('_', ' ').capitalize()}: {flat(said, FIELD)}{sign}")
    paths = [relative(path, project.root) for path in record.paths[:ABOUT]]
    told = [file_marker(path) if path in files else f"`{flat(path).replace('`', '')}`" for path in paths]
    return "\n".join([*rows, *([f"About: {', '.join(told)}"] if told else [])])
