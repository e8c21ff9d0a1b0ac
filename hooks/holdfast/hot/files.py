"""How files are opened, read and written: the one opener, whole-file replacement, one-write appends, claims, locks.

A reader never sees half a file, and waits for nothing: what is no regular file is not read. A log line is one `write`
on O_APPEND, so that the kernel keeps parallel writers apart; folders are 0700 and files 0600, since transcripts hold
whatever the user's tools printed; nobody waits longer for a lock than 200 ms. Hot-path module: what needs more of `os`
than `posix` has imports it itself.
"""

import sys
import time
from io import FileIO  # loaded with every interpreter

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    import os as os  # noqa: PLC0414 - said to mypy: the hot modules take it from here
    from collections.abc import Callable
else:
    import posix as os  # what `os` wraps; importing `os` itself costs a tenth of a hot hook

_KINDS = {0o040000: "folder", 0o100000: "file", 0o120000: "link"}


def variable(name: str) -> str:
    """An environment variable, "" when it is not set."""
    full = sys.modules.get("os")  # where it is loaded anyway, it knows changes made since the start
    if full is not None:
        return str(full.environ.get(name, ""))
    value: bytes = os.environ.get(name.encode(), b"")  # type: ignore[call-overload]  # bytes in posix
    return value.decode("utf-8", "surrogateescape")


def safe_name(text: str, limit: int = 100) -> str:
    """`text` from stdin as a file name: other characters become `_`, no leading dot, bounded length."""
    name = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "_" for sign in text[:limit])
    return name.lstrip(".") or "_"


def kind_of(path: str, follow: bool = False) -> str:
    """What stands at this name itself, or where its link leads: folder, file, link, other; "" for nothing."""
    try:
        return _KINDS.get((os.stat if follow else os.lstat)(path).st_mode & 0o170000, "other")
    except (OSError, ValueError):  # a name from a note may hold anything, NUL included
        return ""


def size_of(path: str) -> int:
    """Bytes of the file, or -1 when there is none."""
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):  # as above
        return -1


def names_in(folder: str) -> "list[str]":
    """Sorted names in a folder; [] when there is none."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def make_folder(path: str) -> None:
    """Create `path` and its parents, private to the user; nothing when it exists."""
    if size_of(path) < 0:
        import os as os  # noqa: PLC0414 - said to mypy: the hot modules take it from here

        os.makedirs(path, 0o700, exist_ok=True)


def open_file(path: str, flags: int = os.O_RDONLY, follow: bool = False) -> int:
    """A descriptor of the regular file there. Raises OSError for anything else, and waits for nothing.

    A clone may bring a pipe or a link to a terminal, whose opening or reading would last as long as the client allows,
    or a link to what the user keeps elsewhere. follow: also what a link leads to; for what a clone cannot bring.
    """
    flags |= os.O_NONBLOCK | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW)
    fd = os.open(path, flags, 0o600)  # not inherited, as Python opens all
    if os.fstat(fd).st_mode & 0o170000 != 0o100000:
        os.close(fd)
        raise OSError(22, "no regular file", path)
    return fd


def read_from(path: str, offset: int, limit: int, follow: bool = False) -> bytes:
    """Up to `limit` bytes from `offset`; b"" where `open_file` refuses or that part is not there."""
    try:
        fd = open_file(path, follow=follow)
    except (OSError, ValueError):
        return b""
    try:
        os.lseek(fd, offset, 0)
        return read_fd(fd, limit)
    except OSError:  # a disk that fails
        return b""
    finally:
        os.close(fd)


def read_bytes(path: str, limit: int = 64_000_000, follow: bool = False) -> bytes:
    """Up to `limit` bytes of the file; b"" as in `read_from`."""
    return read_from(path, 0, limit, follow)


def read_text(path: str, limit: int = 64_000_000, follow: bool = False) -> str:
    """As `read_bytes`, as text. Damaged bytes become U+FFFD."""
    return read_bytes(path, limit, follow).decode("utf-8", "replace")


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
    write_all(1, text.encode("utf-8", "replace") if isinstance(text, str) else text)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it, in as many writes as it takes. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_temporary(path: str, data: bytes, mode: int = 0o600, finish: "Callable[[int], object] | None" = None) -> str:
    """A new file beside `path` with this in it; gives its name. Raises OSError of `path`, and then there is none.

    finish: what is done with its descriptor then.
    """
    temporary = f"{path}.{os.getpid()}.{time.monotonic_ns():x}.tmp"
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            write_all(fd, data)
            if finish:
                finish(fd)
        except BaseException:
            os.unlink(temporary)
            raise
        finally:
            os.close(fd)
    except OSError as error:  # a write names nothing
        error.filename = path
        raise
    return temporary


def write_atomic(path: str, data: "str | bytes", mode: int = 0o600) -> None:
    """Replace the file as a whole. Raises OSError (full disk, read-only folder); the old file then stays."""
    temporary = write_temporary(path, data.encode("utf-8", "replace") if isinstance(data, str) else data, mode)
    try:
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def append(path: str, data: str) -> None:
    """Append `data` (whole lines) in one write. Raises OSError, also for a link: a clone may bring one.

    A line that was torn, by a kill or a full disk, ends there: it takes none of those behind it with it.
    """
    fd = open_file(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        size = os.lseek(fd, 0, 2)
        os.lseek(fd, max(0, size - 1), 0)
        is_torn = size > 0 and os.read(fd, 1) != b"\n"
        write_all(fd, b"\n" * is_torn + data.encode("utf-8", "replace"))
    finally:
        os.close(fd)


def append_capped(path: str, line: str, lines: int) -> None:
    """Append one line and keep the last `lines` of the file. Raises OSError, also where its folder is a link.

    Note: trimming replaces the file, so both happen under the lock; where it is not had in time the line is only
    appended, and a later writer trims.
    """
    folder = path.rpartition("/")[0]
    if kind_of(folder) == "link":
        raise NotADirectoryError(20, "a link stands in the place of a folder", folder)
    with Lock(path + ".lock") as held:
        append(path, line.rstrip("\n") + "\n")
        rows = read_bytes(path).splitlines(keepends=True) if held else []
        if len(rows) > lines:
            write_atomic(path, b"".join(rows[-lines:]))


def jot(path: str, data: bytes, flags: int = 0) -> None:
    """Write a few bytes into the file, made if need be; where a disk refuses, nothing."""
    try:
        fd = open_file(path, os.O_WRONLY | os.O_CREAT | flags)
    except OSError:
        return
    try:
        os.write(fd, data)
    except OSError:
        pass
    finally:
        os.close(fd)


def claim(path: str, unsure: bool = False) -> bool:
    """True for exactly one caller: whoever creates the file. `unsure` where a disk refuses, so that nobody knows."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return unsure
    return True


class Lock:
    """An advisory lock on a file, waited for at most `wait` seconds.

    `with Lock(path) as held:` gives False when somebody else kept it; the caller then does what is safe without. The
    kernel drops it when its holder dies.
    """

    def __init__(self, path: str, wait: float = 0.2) -> None:
        self.path, self.wait, self.fd = path, wait, -1

    def __enter__(self) -> bool:
        try:
            self.fd = open_file(self.path, os.O_RDWR | os.O_CREAT)
        except OSError:
            return False
        import fcntl

        end = time.monotonic() + self.wait
        while True:
            try:
                fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except OSError:
                if time.monotonic() > end:
                    self.__exit__()
                    return False
            time.sleep(0.005)

    def __exit__(self, *_: object) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
