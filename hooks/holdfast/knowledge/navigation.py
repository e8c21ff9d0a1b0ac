"""Where is what: which markers are there, and what stands behind each?

Rule: read from the documents as they stand, so that the index names nothing that is not there: the overview, the
summaries with their status, the details with their parts, the folders of files. Source: requirement L (navigation
index).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from holdfast.knowledge.document import NOTHING, parts
from holdfast.knowledge.markers import OVERVIEW, file_marker


class Landmark(NamedTuple):
    """One place that can be shown."""

    marker: str
    title: str
    about: str


def entries(texts: Mapping[str, str], folders: Iterable[str]) -> tuple[Landmark, ...]:
    """texts: marker -> document as it stands, in order; folders: of the sections."""
    found = [one for marker, text in texts.items() for one in _of(marker, text)]
    return (*found, *(Landmark(file_marker(folder), folder, "source files") for folder in sorted(folders) if folder))


def _of(marker: str, text: str) -> list[Landmark]:
    found, name = parts(text), title(marker, text)
    if marker.startswith("§3"):
        inner = [part.partition(" ") for part in found if part]
        own = Landmark(marker, name, ", ".join(part for _, _, part in inner))
        return [own, *(Landmark(f"§{number}", part, name) for number, _, part in inner)]
    if marker == OVERVIEW:
        return [Landmark(marker, name, "goal, status, priorities, blockers")]
    status, share = _status(text), percent(text)
    flag = " [IN PROGRESS]" if share is not None and 0 < share < 100 else ""
    return [Landmark(marker, name, f"{'' if status == NOTHING else status}{flag}".strip())]


def _status(text: str) -> str:
    return parts(text).get("Status", "").split("\n", 1)[0]


def title(marker: str, text: str) -> str:
    """What the heading of a document says behind its marker."""
    return parts(text)[""].split("\n", 1)[0].removeprefix("#").strip().removeprefix(marker).strip()


def percent(text: str) -> int | None:
    """The percentage that the status of a document begins with; None where it says none."""
    share, sign, _ = _status(text).lstrip("-* ").partition("%")
    return int(share) if sign and share.strip().isdecimal() and len(share.strip()) <= 3 else None


def page(found: Sequence[Landmark]) -> str:
    """The index for people and models; parts of level 3 stand with their document."""
    groups = {"§1": "Executive summary", "§2": "Section summaries", "§3": "Details"}
    lines, last = ["# Navigation index"], ""
    for one in found:
        group = groups.get(one.marker[:2], "Files")
        lines += ["", f"## {group}"] if group != last else []
        last = group
        if group != "Details" or one.marker.count(".") == 1:
            lines.append(f"- {one.marker} {one.title}{f': {one.about}' if one.about else ''}")
    return "\n".join(lines) + "\n"
