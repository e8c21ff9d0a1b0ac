"""What stands at a name itself, and which folders were made on this machine.

A clone or a pull may bring any file below the state folder, and links. Nothing is read, written or removed through
such a link, and a folder's notes count only where they bear its mark: the inode and the time of the last change (ctime)
of an empty file in it, which neither git nor an archive nor a copy can set.
"""

import errno
import os
import stat
from collections.abc import Iterable

from holdfast.store.files import claim, make_folder

HERE = "here"
"""The empty file."""


def is_real(folder: str) -> bool:
    """Whether a folder stands at this name itself, and no link."""
    try:
        return stat.S_ISDIR(os.lstat(folder).st_mode)
    except OSError:
        return False


def is_plain(path: str) -> bool:
    """Whether a plain file stands at this name itself: no link, pipe or device."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def real_folder(folder: str) -> str:
    """The folder, made if need be, private. Raises OSError where a link or a file stands in its place."""
    if not is_real(folder):
        if not os.path.islink(folder):
            make_folder(os.path.dirname(folder))  # one by one: each is to be private
            make_folder(folder)
        if not is_real(folder):
            raise NotADirectoryError(errno.ENOTDIR, "a link or a file stands in the place of a folder", folder)
    return folder


def real_within(folder: str, names: Iterable[str]) -> list[str]:
    """Those of the names at which the folder has a real one itself; none where the folder is a link."""
    return [name for name in names if is_real(f"{folder}/{name}")] if is_real(folder) else []


def mark(folder: str) -> str:
    """What notes must bear that were made in this folder on this machine; "" where it has no such mark."""
    try:
        info = os.lstat(f"{folder}/{HERE}")
    except OSError:
        return ""
    is_own = stat.S_ISREG(info.st_mode) and info.st_nlink == 1
    return f"{info.st_ino} {info.st_ctime_ns}" if is_own else ""


def marked(folder: str) -> str:
    """The folder's mark, made if need be; "" where a link or the like stands in its place, or the disk refuses."""
    claim(f"{folder}/{HERE}")
    return mark(folder)
