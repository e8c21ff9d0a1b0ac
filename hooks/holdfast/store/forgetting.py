"""What else goes when records go: lines of other pages that name them, and whatever was compiled of them."""

import os
import re
from collections.abc import Collection

from holdfast.store import accesses, record_files
from holdfast.store.files import names_in, read_text, write_atomic
from holdfast.store.record_files import CACHE, FOLDERS
from holdfast.store.record_new import CODES

LOCK, MAINTAINED = "change.lock", "maintained"
SHORTEST_ID = 8
"""Characters of an id by which people and pages name a record."""
_KEPT = (accesses.LOG, accesses.COUNTS, record_files.CACHED, ".gitignore", CODES, LOCK, MAINTAINED)


def clear_pages(folder: str, names: Collection[str]) -> None:
    """Take the lines out of the memory's other pages (summaries of sessions) that name one of these ids or codes."""
    short = {name if name.startswith("DEC-") else name[:SHORTEST_ID] for name in names}
    marks = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(short)))})")
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in (CACHE, *FOLDERS.values())]
        for path in (f"{place}/{name}" for name in files if name.endswith(".md")):
            text = read_text(path)
            kept = "".join(line for line in text.splitlines(keepends=True) if not marks.search(line))
            if kept != text:
                write_atomic(path, kept)


def drop_compiled(folder: str, gone: Collection[str]) -> None:
    """Take these records out of what was read, and throw away what else was compiled, the search index with it.

    An index that only drops the rows keeps their words in its free pages; it is made anew from the files. Its log goes
    before the index itself, so that nobody finds an old log beside a new index.
    """
    cache = f"{folder}/{CACHE}"
    record_files.forget_cache(folder, gone)
    for name in reversed(names_in(cache)):
        mine = name in _KEPT or name.startswith(accesses.PENDING) or name.endswith((".lock", ".tmp"))
        if not mine and os.path.isfile(f"{cache}/{name}"):
            os.unlink(f"{cache}/{name}")
