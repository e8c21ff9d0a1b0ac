"""Which records' files lie in a memory's folder where nobody looks for one, or cannot be read?"""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from holdfast.errors import BadInput
from holdfast.hot.files import read_bytes
from holdfast.hot.provenance import is_plain, is_real
from holdfast.memory import files, markdown
from holdfast.memory.files import PLACES, Problem
from holdfast.memory.location import CACHE, command


def elsewhere(folder: str) -> Iterator[str]:
    """Paths of the files in a memory that begin as a record's and are not among those of `files.files`."""
    own = {f"{folder}/{place}" for place in PLACES}
    for above, folders, names in os.walk(folder) if is_real(folder) else ():
        inner = (name for name in folders if name != CACHE)
        folders[:] = [name for name in inner if not is_plain(f"{above}/{name}/.gitignore")]  # another memory
        others = (name for name in names if above not in own or not name.endswith(".md") or name.startswith("."))
        paths = (f"{above}/{name}" for name in others if not name.endswith(".tmp"))  # a writer's, or left by one
        yield from (path for path in paths if markdown.is_record(read_bytes(path, 100)))


def no_record(key: str, folder: str, problems: Iterable[Problem]) -> BadInput:
    """That none goes by this key; where files cannot be read, which: it may stand in one of them."""
    name = key.lower().removeprefix("dec-")
    paths = sorted((one.path for one in problems), key=lambda path: name not in os.path.basename(path))
    unread = list(islice((os.path.relpath(path, folder) for path in paths if not files.known(path)), 4))
    if not unread:
        return BadInput(f"there is no record {key[:60]!r}", folder, f"{command(folder, 'list')} has all")
    named = [path for path in unread if name in os.path.basename(path)] or unread
    some = ", ".join(map(_short, named[:3])) + " and more" * (len(named) > 3)
    what = f"there is no record {key[:60]!r} in the files that can be read"
    return BadInput(what, folder, f"Not read: {some}; {command(folder, 'check')} says why")


def _short(path: str) -> str:
    """Place, date, number and id of a record's file: its words are anybody's, and nothing quotes them here."""
    place, name = os.path.split(path)
    ours = re.fullmatch("([0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,9})-.*([0-9a-f]{8}[.]md)", name)
    return os.path.join(place, "…".join(ours.groups() if ours else ["", ""]))
