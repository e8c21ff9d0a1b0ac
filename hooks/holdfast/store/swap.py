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
    for _ in range(TRIES):
        old = read(target)
        new = change(old)
        if not _put(target, old, new):
            continue
        if _holds(target, change):
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


def _put(target: str, old: bytes | None, new: bytes | None) -> bool:
    """Puts `new` in the place of `old`; False when the file no longer holds `old`."""
    if new == old:
        return True
    if new is None:
        if read(target) != old:
            return False
        with contextlib.suppress(FileNotFoundError):
            os.unlink(target)
        return True
    if old is None:
        return _create(target, new)
    return _replace(target, old, new)


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


def _replace(target: str, old: bytes, new: bytes) -> bool:
    """Renames over, with the old file held open: a write into it that came between is seen there."""
    try:
        held = open(target, "rb")  # noqa: SIM115 - closed by the with below, once it is known to exist
    except FileNotFoundError:
        return False
    with held:
        temporary = _beside(target, new, os.fstat(held.fileno()).st_mode & 0o7777)
        try:
            if read(target) != old:
                return False
            os.replace(temporary, target)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        held.seek(0)
        late = held.read()
    if late == old:
        return True
    _replace(target, new, late)
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
