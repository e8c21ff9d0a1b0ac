"""Changes a file that another program may be writing at the same moment.

Read, change, write beside, let both files change places, look at what was displaced, look back a moment later: what
another program wrote between is seen and changed anew, a bounded number of times. The client takes no lock, so none
would help against it.
"""

import contextlib
import ctypes
import errno
import functools
import os
import time
from collections.abc import Callable

from holdfast.errors import Fault
from holdfast.hot.files import open_file, write_temporary

SETTLE_S = (0, 0.03, 0.1)
Change = Callable[[bytes | None], bytes | None]


class SwapError(Fault):
    """The file could not be changed: says which and why."""


def read(path: str) -> bytes | None:
    """The content, or None when there is no such file. Raises SwapError for a pipe, a device, a folder."""
    try:
        descriptor = open_file(path, follow=True)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise SwapError("this is no plain file", path, "Move it away and try again") from None
        raise
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def edit(path: str, change: Change) -> bytes | None:
    """Applies `change` until it holds; gives the content that stands there in the end. Raises SwapError.

    `change` takes the content (None: no file) and gives the new one (None: remove the file). It must be
    idempotent, for that is how a lost write is noticed; it is asked once for each content that is found.
    """
    change = functools.cache(change)
    target = os.path.realpath(path)
    base = expected = read(target)
    for _ in range(8):
        new = change(base)
        found = _put(target, new) if new != expected else read(target)
        if found != expected:  # another program was faster: what it wrote counts, though ours stands there now
            base, expected = found, new if new != expected else found
        elif _holds(target, change):
            return new
        else:
            base = expected = read(target)
    raise SwapError("another program keeps rewriting this file", path, "Close that program and try again")


def _holds(target: str, change: Change) -> bool:
    """Whether the change is still there after the moments in which a parallel writer would have undone it."""
    for pause in SETTLE_S:
        time.sleep(pause)
        now = read(target)
        if change(now) != now:
            return False
    return True


def _put(target: str, new: bytes | None) -> bytes | None:
    """Puts `new` there and gives what it took the place of, at that very moment."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    beside = _beside(target, new or b"")
    try:
        if new is None:
            os.rename(target, beside)
            return read(beside)
        with contextlib.suppress(OSError):  # it exists, as a rule; or the file system has no links
            os.link(beside, target)
            return None
        if exchange(beside, target):
            return read(beside)
        with contextlib.ExitStack() as stack:  # held open, so that a write in place is seen
            held = (
                stack.enter_context(os.fdopen(open_file(target, follow=True), "rb")) if os.path.exists(target) else None
            )
            os.replace(beside, target)
            return held.read() if held else None
    except FileNotFoundError:
        return None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(beside)


def exchange(one: str, other: str) -> bool:
    """Lets two files change places in one step, where the system can (Linux, macOS)."""
    names = os.fsencode(one), os.fsencode(other)
    at_cwd, swap = -100, 2  # from linux/fcntl.h and linux/fs.h; macOS has the same 2 in sys/stdio.h
    try:
        library = ctypes.CDLL(None)
        if hasattr(library, "renameat2"):
            return bool(library.renameat2(at_cwd, names[0], at_cwd, names[1], swap) == 0)
        return hasattr(library, "renamex_np") and bool(library.renamex_np(*names, swap) == 0)
    except (OSError, TypeError):  # no C library to ask
        return False


def _beside(target: str, content: bytes) -> str:
    """A finished temporary file in the same folder, on disk, with the mode and owner of the old one."""

    def finish(descriptor: int) -> None:
        os.fsync(descriptor)
        _with_rights_of(target, descriptor)

    return write_temporary(target, content, finish=finish)


def _with_rights_of(target: str, descriptor: int) -> None:
    try:
        old = os.stat(target)
    except OSError:
        os.fchmod(descriptor, 0o644)
    else:
        os.fchmod(descriptor, old.st_mode & 0o7777)
        with contextlib.suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
