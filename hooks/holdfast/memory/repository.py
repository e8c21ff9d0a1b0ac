"""The files of a project, read safely: which there are, what stands in one, and which of a record's are gone.

Which there are says git, where there is a repository: what is tracked, and what is new and not ignored. Else the
folders are walked. Links are no files of the project, and nothing is opened that lies outside of it, whatever a path
or a link says.

A record's place is a path within the project, or `path::name` for a name in that file. Only what is there at the time
of writing is noted, so that what is missing later has gone. A record comes with a clone, and may name any place.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from holdfast.checkpoint import git
from holdfast.errors import BadInput
from holdfast.hot.files import open_file, read_fd
from holdfast.text import identifiers
from holdfast.text import late as re

_PLACE = re.compile(r"[\w./@+~$()\[\]-]{1,160}(?:::[\w.$:~]{0,80})?")


class ProjectFile(NamedTuple):
    """A plain file. changed: epoch seconds."""

    path: str  # within the project
    size: int
    changed: float
    data: bytes

    @property
    def text(self) -> str | None:
        """None where it is no text."""
        return None if b"\0" in self.data else self.data.decode("utf-8", "replace")

    @property
    def is_part(self) -> bool:
        """Whether only its beginning was read."""
        return len(self.data) < self.size


def files(project: str) -> list[str]:
    """Paths of the plain files within the project, sorted; without Holdfast's own state and what Python compiles."""
    told = git.run(project, "ls-files", "-z", "--cached", "--others", "--exclude-standard", seconds=20)
    most = 50_000  # that are looked at
    found = sorted({*_walked(project, most)} if told is None else {*told.split("\0")} - {""})
    own = (one for one in found if not one.startswith(".claude/holdfast/") and "__pycache__/" not in one)
    return [one for one in own if _is_plain(f"{project}/{one}")][:most]


def _walked(project: str, most: int) -> Iterator[str]:
    number, passed = 0, {"node_modules", "__pycache__", "venv", "dist", "build", "target"}
    for folder, inner, names in os.walk(project):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in passed)
        for name in names:
            yield os.path.relpath(f"{folder}/{name}", project)
        number += len(names)
        if number > most:
            return


def _is_plain(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode) and path.isprintable()
    except (OSError, ValueError):
        return False


def lies(project: str, path: str) -> bool:
    """Whether something stands at a path of the project, a link that leads out of it included."""
    return os.path.lexists(f"{project}/{path}")


def within(project: str, path: str) -> str:
    """The real place of a path of the project; "" where it is not there or lies outside."""
    top = os.path.realpath(project)
    try:
        real = os.path.realpath(f"{top}/{path}", strict=True)
    except (OSError, ValueError):
        return ""
    return real if real == top or real.startswith(f"{top}/") else ""


def read(project: str, path: str, limit: int = 4_000_000) -> ProjectFile:
    """A file of the project, its first `limit` bytes. Raises BadInput: not there, outside, or no plain file."""
    real = within(project, path)
    if not real:
        if lies(project, path):
            raise BadInput("it leads out of the project and is not opened", path, "Read it where it lies")
        raise BadInput("there is no such file in the project", path, "`holdfast show` lists what there is")
    try:
        handle = open_file(real)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise BadInput("it is no plain file", path, "Name a file or a folder") from None
        raise BadInput(f"it cannot be opened ({error.strerror})", path, "See who may read it") from None
    try:
        info = os.fstat(handle)
        return ProjectFile(path, info.st_size, info.st_mtime, read_fd(handle, limit))
    finally:
        os.close(handle)


def head(project: str, path: str, limit: int) -> str:
    """The beginning of a file as text; "" where it cannot be read or is no text."""
    try:
        return read(project, path, limit).text or ""
    except BadInput:
        return ""


def placed(project: str, name: str, candidates: Iterable[str]) -> str:
    """The place as the memory names it: the first of these whole paths that is there, from the project's folder on,
    with the name in it; "" where none is.
    """
    _, sign, symbol = name.partition("::")
    for whole in candidates:
        inner = os.path.relpath(whole, project)
        if not inner.startswith("..") and inner != "." and within(project, inner):
            return inner + sign + symbol
    return ""


def found(project: str, named: Iterable[str], known: Sequence[str]) -> list[str]:
    """Of the paths and names in a text those that are there now. known: whole paths that were just at work on."""
    places = []
    for name in named:
        path, _, symbol = name.partition("::")
        ends = (one for one in reversed(known) if one.endswith(f"/{path}"))
        place = placed(project, name, (os.path.join(project, path), *ends)) if "." in path or "/" in path else ""
        file = place.partition("::")[0]
        is_there = place and _is_plain(within(project, file))
        if is_there and (not symbol or identifiers.occurs(symbol, _text(project, file))):
            places.append(place)
    return list(dict.fromkeys(places))


def is_place(place: str) -> bool:
    """Whether it has the shape of a place: a sentence in a path's stead is none."""
    return bool(_PLACE.fullmatch(place))


def gone(project: str, places: Iterable[str], seen: dict[str, str]) -> list[str]:
    """Of a memory's places those that are not there any more, as a person would say it.

    seen: texts of the files read so far, for all memories of one start; a name in a file beyond the limits is
    taken to be there.
    """
    missing = []
    for place in places:
        path, _, symbol = place.partition("::")
        is_inside = is_place(place) and not path.startswith("/") and ".." not in path.split("/")
        if not is_inside or not ("/" in path or identifiers.paths(path) == [path]):  # a bare name may be anything
            continue
        if not lies(project, path):
            missing.append(path)
        elif symbol and (path in seen or len(seen) < 60):  # files that one start reads
            text = seen.setdefault(path, _text(project, path))
            missing += [f"{symbol} in {path}"] if text and not identifiers.occurs(symbol, text) else []
    return list(dict.fromkeys(missing))


def _text(project: str, path: str) -> str:
    """The file's text; "" for one that is too large to be searched, lies outside of the project or is no plain file."""
    most = 400_000
    try:
        file = read(project, path, most)
    except BadInput:
        return ""
    return file.data.decode("utf-8", "replace") if file.size <= most else ""
