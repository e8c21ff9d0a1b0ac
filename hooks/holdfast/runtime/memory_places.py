"""The files and names that a memory is about: where they are when it is written, what of them is gone later.

A place is a path within the project, or `path::name` for a name in that file. Only what is there at the time of
writing is noted, so that what is missing later has gone.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core import terms
from holdfast.store.files import read_text

LARGEST = 400_000  # bytes of a file that are searched for a name
FILES = 60  # that one start reads


def found(project: str, named: Iterable[str], work: Mapping[str, Any]) -> list[str]:
    """Of the paths and names in a text those that are there now."""
    known = [*work["changed"], *work["read"]]
    places = []
    for name in named:
        path, _, symbol = name.partition("::")
        place = _within(project, path, known) if "." in path or "/" in path else ""
        if place and (not symbol or terms.occurs(symbol, _text(project, place))):
            places.append(f"{place}::{symbol}" if symbol else place)
    return list(dict.fromkeys(places))


def _within(project: str, path: str, known: list[str]) -> str:
    """The path from the project's folder on of a file that is there; "" for none."""
    ends = (one for one in reversed(known) if one.endswith(f"/{path}"))
    for whole in (path, f"{project}/{path}", *ends):
        if whole.startswith(f"{project}/") and os.path.isfile(whole):
            return whole[len(project) + 1 :]
    return ""


def gone(project: str, places: Iterable[str], seen: dict[str, str]) -> list[str]:
    """Of a memory's places those that are not there any more, as a person would say it.

    seen: texts of the files read so far, for all memories of one start; a name in a file beyond the limits is
    taken to be there.
    """
    missing = []
    for place in places:
        path, _, symbol = place.partition("::")
        whole = path if path.startswith("/") else f"{project}/{path}"
        if not _is_path(path):
            continue
        if not os.path.exists(whole):
            missing.append(path)
        elif symbol and (path in seen or len(seen) < FILES):
            text = seen.setdefault(path, _text(project, path))
            missing += [f"{symbol} in {path}"] if text and not terms.occurs(symbol, text) else []
    return list(dict.fromkeys(missing))


def _is_path(path: str) -> bool:
    """Whether it names a file; a name without folder and ending may be anything."""
    return "/" in path or terms.paths(path) == [path]


def _text(project: str, path: str) -> str:
    """The file's text; "" for one that is too large to be searched."""
    whole = path if path.startswith("/") else f"{project}/{path}"
    try:
        return read_text(whole) if os.stat(whole).st_size <= LARGEST else ""
    except OSError:
        return ""
