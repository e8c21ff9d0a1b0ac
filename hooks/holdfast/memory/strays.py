"""Which records' files lie in a memory's folder where nobody looks for one?"""

import os
from collections.abc import Iterator

from holdfast.hot.files import read_bytes
from holdfast.hot.provenance import is_plain, is_real
from holdfast.memory import markdown
from holdfast.memory.files import PLACES
from holdfast.memory.location import CACHE


def elsewhere(folder: str) -> Iterator[str]:
    """Paths of the files in a memory that begin as a record's and are not among those of `files.files`."""
    own = {f"{folder}/{place}" for place in PLACES}
    for above, folders, names in os.walk(folder) if is_real(folder) else ():
        inner = (name for name in folders if name != CACHE)
        folders[:] = [name for name in inner if not is_plain(f"{above}/{name}/.gitignore")]  # another memory
        others = (name for name in names if above not in own or not name.endswith(".md") or name.startswith("."))
        paths = (f"{above}/{name}" for name in others if not name.endswith(".tmp"))  # a writer's, or left by one
        yield from (path for path in paths if markdown.is_record(read_bytes(path, 100)))
