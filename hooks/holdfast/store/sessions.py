"""The folders of past sessions: when each was last used, and how one is removed."""

import math
import os

from holdfast.store.files import names_in


def past(state: str, present: str) -> list[str]:
    """Folders of the sessions other than the present one; links are none."""
    root = f"{state}/sessions"
    folders = (f"{root}/{name}" for name in names_in(root))
    return [folder for folder in folders if folder != present and os.path.isdir(folder) and not os.path.islink(folder)]


def last_used(folder: str) -> float:
    """Epoch seconds of the newest of the folder and what stands directly in it; infinity where that cannot be told."""
    try:
        with os.scandir(folder) as entries:
            return max([os.stat(folder).st_mtime, *(entry.stat(follow_symlinks=False).st_mtime for entry in entries)])
    except OSError:  # it may just be going
        return math.inf


def remove(folder: str) -> int:
    """Remove the folder with all that is in it, and say how many files that were. Links are removed, not followed.

    Raises OSError; what has gone by then is gone, and the rest goes another time.
    """
    files = 0
    for place, folders, names in os.walk(folder, topdown=False):
        for name in names:
            os.unlink(f"{place}/{name}")
        for name in folders:
            inner = f"{place}/{name}"
            os.unlink(inner) if os.path.islink(inner) else os.rmdir(inner)
        files += len(names)
    os.rmdir(folder)
    return files
