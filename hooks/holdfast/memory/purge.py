"""What else goes when records go: lines of other pages that name them, and whatever was compiled of them."""

import contextlib
import os
import re
from collections.abc import Collection

from holdfast.hot.files import names_in, read_bytes, read_text, write_atomic
from holdfast.hot.provenance import is_plain, is_real, real_within
from holdfast.memory import files
from holdfast.memory.cache import CACHE, COMPILED, leftovers

LOCK = "change.lock"
PAGES = "sessions"
"""Folder of the sessions' summaries within the memory."""
SHORTEST_ID = 8
"""Characters of an id by which people and pages name a record."""


def clear_pages(folder: str, names: Collection[str], titles: Collection[str] = ()) -> None:
    """Take the lines out of the summaries of sessions that name one of these ids or codes, or have a title in them."""
    short = {name if name.startswith("DEC-") else name[:SHORTEST_ID] for name in names}
    marks = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted({*short, *titles})))})(?!\w)")
    for place in real_within(folder, [PAGES]):
        pages = (f"{folder}/{place}/{name}" for name in names_in(f"{folder}/{place}") if name.endswith(".md"))
        for path in filter(is_plain, pages):
            text = read_text(path)
            kept = "".join(line for line in text.splitlines(keepends=True) if not marks.search(line))
            if kept != text:
                write_atomic(path, kept)


def drop_compiled(folder: str, gone: Collection[str]) -> None:
    """Take these records out of what was read, and throw away what else was compiled, the search index with it.

    An index that only drops the rows keeps their words in its free pages; it is made anew from the files. Only files
    of our own names go: whatever else stands there is not ours.
    """
    if not is_real(f"{folder}/{CACHE}"):
        return
    files.forget_cache(folder, gone)
    for path in (f"{folder}/{CACHE}/{name}" for name in COMPILED):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def drop_leftovers(folder: str, gone: Collection[str]) -> None:
    """Remove the temporary files that name one of these records: their writer was killed, or writes them in vain."""
    marks = [name[:SHORTEST_ID].encode() for name in gone]
    for path in leftovers(folder):
        text = read_bytes(path)
        if any(mark in text for mark in marks):
            with contextlib.suppress(FileNotFoundError):  # its writer was faster
                os.unlink(path)
