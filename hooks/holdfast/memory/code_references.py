"""The files and names that a memory is about: where they are when it is written, what of them is gone later.

A place is a path within the project, or `path::name` for a name in that file. Only what is there at the time of
writing is noted, so that what is missing later has gone. Nothing outside of the project is looked at, and nothing but
a plain file is opened: a record comes with a clone, and may name any place.
"""

import os
import re
from collections.abc import Iterable

from holdfast.errors import BadInput
from holdfast.memory import repository
from holdfast.text import identifiers
from holdfast.worklog.model import Worklog

LARGEST = 400_000  # bytes of a file that are searched for a name
FILES = 60  # that one start reads
_PATH = re.compile(r"[\w./@+~$()\[\]-]{1,160}")
_NAME = re.compile(r"[\w.$:~]{0,80}")


def found(project: str, named: Iterable[str], work: Worklog) -> list[str]:
    """Of the paths and names in a text those that are there now."""
    known = [*work["changed"], *work["read"]]
    places = []
    for name in named:
        path, _, symbol = name.partition("::")
        place = _within(project, path, known) if "." in path or "/" in path else ""
        if place and (not symbol or identifiers.occurs(symbol, _text(project, place))):
            places.append(f"{place}::{symbol}" if symbol else place)
    return list(dict.fromkeys(places))


def _within(project: str, path: str, known: list[str]) -> str:
    """The path from the project's folder on of a file that is there; "" for none."""
    ends = (one for one in reversed(known) if one.endswith(f"/{path}"))
    for whole in (path, f"{project}/{path}", *ends):
        if whole.startswith(f"{project}/") and os.path.isfile(repository.within(project, whole[len(project) + 1 :])):
            return whole[len(project) + 1 :]
    return ""


def is_place(place: str) -> bool:
    """Whether it has the shape of a place: a sentence in a path's stead is none."""
    path, _, symbol = place.partition("::")
    return bool(_PATH.fullmatch(path) and _NAME.fullmatch(symbol))


def gone(project: str, places: Iterable[str], seen: dict[str, str]) -> list[str]:
    """Of a memory's places those that are not there any more, as a person would say it.

    seen: texts of the files read so far, for all memories of one start; a name in a file beyond the limits is
    taken to be there.
    """
    missing = []
    for place in places:
        path, _, symbol = place.partition("::")
        if not is_place(place) or not _is_path(path):
            continue
        if not repository.lies(project, path):
            missing.append(path)
        elif symbol and (path in seen or len(seen) < FILES):
            text = seen.setdefault(path, _text(project, path))
            missing += [f"{symbol} in {path}"] if text and not identifiers.occurs(symbol, text) else []
    return list(dict.fromkeys(missing))


def _is_path(path: str) -> bool:
    """Whether it names a file of the project; a name without folder and ending may be anything."""
    is_inside = not path.startswith("/") and ".." not in path.split("/")
    return is_inside and ("/" in path or identifiers.paths(path) == [path])


def _text(project: str, path: str) -> str:
    """The file's text; "" for one that is too large to be searched, lies outside of the project or is no plain file."""
    try:
        file = repository.read(project, path, LARGEST)
    except BadInput:
        return ""
    return file.data.decode("utf-8", "replace") if file.size <= LARGEST else ""
