"""Changes a file that another program may be writing at the same moment.

Read, change, write beside, compare again, rename over, look back: what another program wrote between is seen
and the change is made anew on top of it, a bounded number of times.
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable

from holdfast.errors import Fault

TRIES = 8
SETTLE_S = (0.0, 0.03, 0.1)
AT_CWD, SWAP = -100, 2  # from linux/fcntl.h and linux/fs.h; macOS has the same 2 in sys/stdio.h
Change = Callable[[bytes | None], bytes | None]


class SwapError(Fault):
    """The file could not be changed: says which and why."""


def read(path: str) -> bytes | None:
    """The content, or None when there is no such file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def edit(path: str, change: Change) -> bytes | None:
    """Applies `change` until it holds; gives the content that stands there in the end.

    `change` takes the content (None: no file) and gives the new one (None: remove the file). It must be
    idempotent, for that is how a lost write is noticed.
    """
    target = os.path.realpath(path)
    written: bytes | None = None
    late: bytes | None = None
    for _ in range(TRIES):
        old = read(target)
        new = change(late if late is not None and old == written else old)
        done, late = _put(target, old, new)
        written = new
        if done and _holds(target, change):
            return new
    raise SwapError("another program keeps rewriting this file", path, "Close that program and try again")


def _holds(target: str, change: Change) -> bool:
    """Whether the change is still there after the moments in which a parallel writer would have undone it."""
    for pause in SETTLE_S:
        time.sleep(pause)
        now = read(target)
        if change(now) != now:
            return False
    return True


def _put(target: str, old: bytes | None, new: bytes | None) -> tuple[bool, bytes | None]:
    """Puts `new` in the place of `old`: (whether it held `old`, what another program had written instead)."""
    if new == old:
        return True, None
    if read(target) != old:
        return False, None
    if new is None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(target)
        return True, None
    if old is None:
        return _create(target, new), None
    displaced = _replace(target, new)
    return displaced == old, displaced if displaced != old else None


def _create(target: str, new: bytes) -> bool:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    temporary = _beside(target, new, 0o644)
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError:
        if os.path.exists(target):
            return False
        os.replace(temporary, target)
        return True
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    return True


def _replace(target: str, new: bytes) -> bytes | None:
    """Puts `new` there and gives what it took the place of, at that very moment."""
    try:
        held = open(target, "rb")  # noqa: SIM115 - closed by the with below, once it is known to exist
    except FileNotFoundError:
        return None
    with held:
        temporary = _beside(target, new, os.fstat(held.fileno()).st_mode & 0o7777)
        try:
            if exchange(temporary, target):
                return read(temporary)
            os.replace(temporary, target)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        held.seek(0)
        return held.read()


def exchange(one: str, other: str) -> bool:
    """Lets two files change places in one step, where the system can (Linux, macOS)."""
    import ctypes

    try:
        library = ctypes.CDLL(None)
        names = os.fsencode(one), os.fsencode(other)
        if hasattr(library, "renameat2"):
            return bool(library.renameat2(AT_CWD, names[0], AT_CWD, names[1], SWAP) == 0)
        if hasattr(library, "renamex_np"):
            return bool(library.renamex_np(*names, SWAP) == 0)
    except (OSError, TypeError):  # no C library to ask
        return False
    return False


def _beside(target: str, content: bytes, mode: int) -> str:
    """A finished temporary file in the same folder, on disk, with the mode and owner of the old one."""
    descriptor, name = tempfile.mkstemp(prefix=".holdfast-", dir=os.path.dirname(target))
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        os.fchmod(file.fileno(), mode)
        with contextlib.suppress(OSError):
            owner = os.stat(target)
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
    return name
