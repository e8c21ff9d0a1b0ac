"""Where the memory of a project is, and what this machine alone knows of it: the cache in its folder.

All worktrees of a repository have the memory of its main checkout. A state folder that HOLDFAST_DIR names may be shared
by projects: there each has its own. A memory comes with a clone, and a clone may bring a link in the place of a folder,
or a `.cache` of its own. So nothing is written or removed through a link, and a cache counts only where it was made on
this machine: `made` has the mark of its empty file `here` (hot/provenance.py).

    .cache/written.log      marks of the records that were written here, as they read
    .cache/forgotten.log    marks of what was forgotten here, so that no copy of the session brings it back
    .cache/access.log       a line per use, `<id> <epoch seconds>`, or of many `<id> <the last> <number>`
"""

import contextlib
import math
import os
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from holdfast.checkpoint import git
from holdfast.hot.files import Lock, append, names_in, read_text, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.paths import InState, project_folder, state_folder
from holdfast.hot.provenance import HERE, bears, is_plain, is_real, mark, marked, real_folder, real_within

CACHE, CODES = ".cache", "codes"
START, ROWS, WEIGHTS, INDEX = "start.json", "recall.tsv", "recall.bin", "search.index"
COMPILED = (START, ROWS, WEIGHTS, f"{INDEX}-wal", f"{INDEX}-shm", f"{INDEX}-journal", INDEX)
"""What is made from the records, the index's log before the index itself."""
READ, WRITTEN, FORGOTTEN, USED = "records.tsv", "written.log", "forgotten.log", "access.log"
MAINTAINED = "maintained"
"""The day of the last maintenance."""
_MADE = "made"
_SINCE = "since"
"""Begins the line of the uses' log that says since when they are counted: what was used before, nobody here knows."""


def folder_of(cwd: str = "") -> str:
    """The folder of the memory of this process's project; it is not made."""
    state, name = _places(cwd)
    return f"{state}/{InState.MEMORY}/{name}" if name else f"{state}/{InState.MEMORY}"


def words_of(cwd: str = "") -> str:
    """The words by which a prompt calls up a memory (hot/prompt_match.py), once they are compiled."""
    return f"{folder_of(cwd)}/{CACHE}/{WEIGHTS}"


def notes_of(cwd: str = "") -> str:
    """The folder with what is noted of the project's sessions, whichever checkout they are at work in."""
    state, name = _places(cwd)
    return f"{state}/{InState.PROJECTS}/{name}" if name else state


def log_of(folder: str) -> str:
    """The log of what maintenance does to the memory in this folder."""
    above, name = os.path.split(folder)
    state = (
        f"{os.path.dirname(above)}/{InState.PROJECTS}/{name}" if os.path.basename(above) == InState.MEMORY else above
    )
    return f"{state}/{InState.MEMORY_LOG}"


def _places(cwd: str) -> tuple[str, str]:
    """(state folder, name of the project in it; "" where it is the project's own)"""
    project = git.main_checkout(project_folder(cwd))
    own, state = f"{project}/.claude/holdfast", state_folder(cwd)
    if state in (own, f"{project_folder(cwd)}/.claude/holdfast"):
        return own, ""
    return state, f"{os.path.basename(project) or 'root'}-{fingerprint(project.encode())}"


def make_cache(folder: str) -> str:
    """The cache's folder, made if need be and kept out of git; a foreign one is emptied first. Raises OSError."""
    place = f"{real_folder(folder)}/{CACHE}"
    if not is_ours(folder):
        # Several may come first. Whoever empties it after another has noted something loses that: so it waits longer.
        with Lock(f"{real_folder(place)}/made.lock", wait=2):
            if not is_ours(folder):
                _empty(place)
                write_atomic(f"{place}/.gitignore", "*\n")
                write_atomic(f"{place}/{_MADE}", marked(place))
    return place


def is_ours(folder: str) -> bool:
    """Whether this memory's cache was made on this machine, in this place."""
    place = f"{folder}/{CACHE}"
    is_there = real_within(folder, [CACHE]) and is_plain(f"{place}/{_MADE}")
    return bool(is_there) and bears(place, read_text(f"{place}/{_MADE}", 100))


def _empty(place: str) -> None:
    """Take away what a foreign cache says, by our own names, and every link. Other files are not ours to remove."""
    for name in names_in(place):
        path = f"{place}/{name}"
        named = name in (*COMPILED, READ, WRITTEN, FORGOTTEN, USED, MAINTAINED, _MADE)
        is_false = name == HERE and not mark(place)
        if os.path.islink(path) or ((named or is_false) and is_plain(path)):
            os.unlink(path)


def leftovers(folder: str) -> Iterator[str]:
    """Paths of the temporary files that writers have in the memory's own folders."""
    for place, _, names in os.walk(folder) if is_real(folder) else ():
        yield from (path for name in names if name.endswith(".tmp") and is_plain(path := f"{place}/{name}"))


class Marks:
    """What stands in WRITTEN or FORGOTTEN. `mark in marks` is all that they tell: a line is a hash with the cache's own
    mark in it, which nobody elsewhere knows, so that none can be made there and pulled over ours.
    """

    def __init__(self, salt: str, lines: Iterable[str]) -> None:
        """salt: the mark of the cache; lines: those of the log."""
        self._salt, self.lines = salt, frozenset(lines)

    def __contains__(self, mark: object) -> bool:
        return _line(self._salt, mark) in self.lines


def _line(salt: str, mark: object) -> str:
    return fingerprint(f"{salt} {mark}".encode())


def note(folder: str, log: str, marks: Iterable[str]) -> None:
    """Add marks to WRITTEN or FORGOTTEN. Raises OSError."""
    told = list(marks)
    if told:
        place = make_cache(folder)
        salt = mark(place)
        append(f"{place}/{log}", "".join(f"{_line(salt, one)}\n" for one in told))


def marks(folder: str, log: str) -> Marks:
    """What was noted in WRITTEN or FORGOTTEN on this machine."""
    place = f"{folder}/{CACHE}"
    return Marks(mark(place), read_text(f"{place}/{log}").split() if is_ours(folder) else ())


class Use(NamedTuple):
    """Of one record: number of uses, and epoch seconds of the last one."""

    times: int = 0
    last: int = 0


def note_uses(folder: str, ids: Iterable[str], now: float) -> None:
    """One use of each of these records, without a lock. A disk that refuses loses only the count."""
    lines = "".join(f"{name} {int(now)}\n" for name in ids)
    with contextlib.suppress(OSError):
        append(f"{make_cache(folder)}/{USED}", lines)


def uses(folder: str) -> dict[str, Use]:
    """Uses by id. A torn line is passed over."""
    counts: dict[str, Use] = {}
    for name, last, *rest in _uses(folder):
        if name != _SINCE:
            known = counts.get(name, Use())
            counts[name] = Use(known.times + (rest[0] if rest else 1), max(known.last, last))
    return counts


def counted_since(folder: str) -> float:
    """Since when uses are counted on this machine, epoch seconds; infinity where they were never added up."""
    return next((float(when) for name, when, *_ in _uses(folder) if name == _SINCE), math.inf)


def add_up(folder: str, now: float, without: Collection[str] = ()) -> None:
    """Put one line in the place of many, and forget the records in `without`. Raises OSError.

    A use that is noted in this very moment may be missed.
    """
    place = make_cache(folder)
    with Lock(f"{place}/access.lock") as held:
        if held:  # else another process is at it
            counts = {name: use for name, use in uses(folder).items() if name not in without}
            lines = (f"{name} {use.last} {use.times}\n" for name, use in counts.items())
            write_atomic(f"{place}/{USED}", f"{_SINCE} {int(min(counted_since(folder), now))}\n{''.join(lines)}")


def _uses(folder: str) -> Iterator[tuple[str, int, *tuple[int, ...]]]:
    for line in read_text(f"{folder}/{CACHE}/{USED}").splitlines() if is_ours(folder) else ():
        name, *numbers = line.split(" ")
        if len(numbers) in (1, 2) and all(number.isdecimal() and number.isascii() for number in numbers):
            last, *times = map(int, numbers)
            yield name, last, *times
