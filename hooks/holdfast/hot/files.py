"""How files are written: whole-file replacement, one-write appends, claims and bounded locks.

A reader never sees half a file; a log line is one `write` on O_APPEND, so that the kernel keeps parallel writers apart;
folders are 0700 and files 0600, since transcripts hold whatever the user's tools printed; nobody waits longer for a
lock than 200 ms. Hot-path module: what needs more of `os` than `posix` has imports it itself.
"""

import sys
import time
from io import FileIO  # loaded with every interpreter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os as os  # noqa: PLC0414 - said to mypy: the hot modules take it from here
    from collections.abc import Iterator
else:
    try:
        import posix as os  # what `os` wraps; importing `os` itself costs a tenth of a hot hook
    except ImportError:
        import os

FILE_MODE, FOLDER_MODE = 0o600, 0o700
LOCK_WAIT = 0.2  # seconds
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has none
LINK = 0o120000  # the kind of file in st_mode

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def variable(name: str) -> str:
    """An environment variable, "" when it is not set."""
    full = sys.modules.get("os")  # where it is loaded anyway, it knows changes made since the start
    if full is not None:
        return str(full.environ.get(name, ""))
    value: "str | bytes" = os.environ.get(name.encode(), b"")  # type: ignore[call-overload]  # noqa: PLW1508 - bytes in posix
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def safe_name(text: str, limit: int = 100) -> str:
    """`text` from stdin as a file name: other characters become `_`, no leading dot, bounded length."""
    name = "".join(character if character in _SAFE else "_" for character in text[:limit])
    return name.lstrip(".") or "_"


def make_folder(path: str) -> None:
    """Create `path` and its parents, private to the user; nothing when it exists."""
    if size_of(path) < 0:
        import os as os  # noqa: PLC0414 - said to mypy: the hot modules take it from here

        os.makedirs(path, FOLDER_MODE, exist_ok=True)


def read_text(path: str, limit: int = 64_000_000) -> str:
    """The file's text, or "" when it cannot be read. Damaged bytes become U+FFFD."""
    return read_bytes(path, limit).decode("utf-8", "replace")


def read_bytes(path: str, limit: int = 64_000_000) -> bytes:
    """Up to `limit` bytes of the file, or b"" when it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return read_fd(fd, limit)
    except OSError:  # a folder, or a disk that fails
        return b""
    finally:
        os.close(fd)


def read_fd(fd: int, limit: int = -1) -> bytes:
    """Everything, or up to `limit` bytes, that a descriptor gives until its end.

    Without a limit in one growing buffer: of 1 MB on a pipe that takes two thirds of the time.
    """
    if limit < 0:
        return FileIO(fd, closefd=False).readall() or b""
    parts, size = [], 0
    while size < limit:
        part = os.read(fd, min(1 << 16, limit - size))  # what a pipe gives at once
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def say(text: "str | bytes") -> None:
    """Write a hook's answer to stdout in full. Half an emoji (a lone surrogate) becomes a question mark."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    while data:
        data = data[os.write(1, data) :]


def read_from(path: str, offset: int, limit: int) -> bytes:
    """Up to `limit` bytes from `offset`; b"" when the file or that part of it is not there."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        os.lseek(fd, offset, 0)
        return read_fd(fd, limit)
    except OSError:
        return b""
    finally:
        os.close(fd)


def size_of(path: str) -> int:
    """Bytes of the file, or -1 when there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return -1


def write_atomic(path: str, data: "str | bytes", mode: int = FILE_MODE) -> None:
    """Replace the file as a whole. Raises OSError (full disk, read-only folder); the old file then stays."""
    payload = data.encode("utf-8", "replace") if isinstance(data, str) else data
    temporary = f"{path}.{os.getpid()}.{time.monotonic_ns():x}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        try:
            _write_all(fd, payload)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:  # gone already; the first error is the one to tell
            pass
        raise


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def append(path: str, data: str) -> None:
    """Append `data` (whole lines) in one write. Raises OSError, also for a link: a clone may bring one."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK, FILE_MODE)
    try:
        os.write(fd, data.encode("utf-8", "replace"))
    finally:
        os.close(fd)


def append_capped(path: str, line: str, lines: int) -> None:
    """Append one line and keep the last `lines` of the file. Raises OSError, also where its folder is a link.

    Note: trimming replaces the file, so both happen under the lock; where it is not had in time the line is only
    appended, and a later writer trims.
    """
    folder = path.rpartition("/")[0]
    if os.lstat(folder).st_mode & 0o170000 == LINK:
        raise NotADirectoryError(20, "a link stands in the place of a folder", folder)
    with Lock(path + ".lock") as held:
        append(path, line.rstrip("\n") + "\n")
        rows = read_bytes(path).splitlines(keepends=True) if held else []
        if len(rows) > lines:
            write_atomic(path, b"".join(rows[-lines:]))


def claim(path: str) -> bool:
    """True for exactly one caller: whoever creates the file. False when it exists or cannot be made."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
    except OSError:
        return False
    return True


def names_in(folder: str) -> "list[str]":
    """Sorted names in a folder; [] when there is none."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


class Lock:
    """An advisory lock on a file, waited for at most `LOCK_WAIT` seconds.

    `with Lock(path) as held:` gives False when somebody else kept it, or when the platform has no such
    lock; the caller then does what is safe without. The kernel drops it when its holder dies.
    """

    def __init__(self, path: str, wait: float = LOCK_WAIT) -> None:
        self.path, self.wait, self.fd = path, wait, -1

    def __enter__(self) -> bool:
        try:
            self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT | NO_LINK, FILE_MODE)
        except OSError:
            return False
        held = any(self._try() for _ in _ticks(self.wait))
        if not held:
            os.close(self.fd)
            self.fd = -1
        return held

    def _try(self) -> bool:
        if sys.platform == "win32":
            return True  # no fcntl; single writers there are good enough for a status file
        import fcntl

        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def __exit__(self, *_: object) -> None:
        if self.fd >= 0:
            os.close(self.fd)


def _ticks(wait: float) -> "Iterator[None]":
    """Yield once at once, then every 5 ms until `wait` seconds are over."""
    end = time.monotonic() + wait
    yield
    while time.monotonic() < end:
        time.sleep(0.005)
        yield
