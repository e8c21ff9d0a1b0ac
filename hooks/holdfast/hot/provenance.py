"""What stands at a name itself, and which folders were made on this machine.

A clone or a pull may bring any file below the state folder, and links. Nothing is read, written or removed through
such a link, and a folder's notes count only where they bear its mark: the inode and the time of the last change (ctime)
of an empty file in it, which neither git nor an archive nor a copy can set, and nobody elsewhere can know.

Hot-path module: lean imports only.
"""

from holdfast import TYPE_CHECKING
from holdfast.hot.files import claim, kind_of, make_folder, os, read_text, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

HERE = "here"
"""The empty file."""
IGNORE, ALL = "*\n!config.json\n", "*\n"
"""What git sees of a state folder: only what people have written there for a team. ALL: nothing at all."""
SHARING = f"{IGNORE}!memory/\n"
"""The same where the memory has an ignore file of its own that lets git see what is shared."""
OF_STATE = (IGNORE, SHARING, ALL)
OF_MEMORY = (ALL, f"{ALL}!.gitignore\n!shared/\n!shared/**\n")
"""What git sees of a memory: nothing, or what the user has let through (`Memory.share`)."""
PRIVATE = ("logs", "packages", "unsaved", "knowledge")
"""Folders in the state folder that hide themselves: the ignore file above them may be a clone's."""


def is_real(folder: str) -> bool:
    """Whether a folder stands at this name itself, and no link."""
    return kind_of(folder) == "folder"


def is_plain(path: str) -> bool:
    """Whether a plain file stands at this name itself: no link, pipe or device."""
    return kind_of(path) == "file"


def leads_out(project: str, state: str) -> str:
    """Where a link moves the project's own state folder out of the project; "" where it lies within.

    A clone may bring one. What the user names in HOLDFAST_DIR is another folder than this, and may lie anywhere.
    """
    above = f"{project}/.claude"
    if state != f"{above}/holdfast" or "link" not in (kind_of(above), kind_of(state)):
        return ""
    from os import path  # a link is rare

    real, top = path.realpath(state), path.realpath(project)
    return "" if real.startswith(f"{top}/") else real


def has_gone(project: str, state: str) -> bool:
    """Whether the project of this state folder is not there: a worktree that was removed is not to be made anew."""
    return state.startswith(f"{project}/") and kind_of(project, follow=True) != "folder"


def real_folder(folder: str) -> str:
    """The folder, made if need be, private. Raises OSError where a link or a file stands in its place."""
    if not is_real(folder):
        if kind_of(folder) != "link":
            make_folder(folder.rpartition("/")[0] or "/")  # one by one: each is to be private
            make_folder(folder)
        if not is_real(folder):
            raise NotADirectoryError(20, "a link or a file stands in the place of a folder", folder)
    return folder


def is_there(path: str) -> bool:
    """Whether a plain file stands at this name itself, in a folder that is no link either."""
    return is_real(path.rpartition("/")[0]) and is_plain(path)


def private_folder(folder: str, hides: "tuple[str, ...]" = (ALL,)) -> str:
    """As `real_folder`, with an ignore file of its own that says one of these: whatever one above it says, git sees no
    more. Raises OSError.
    """
    path = f"{real_folder(folder)}/.gitignore"
    if not is_plain(path) or read_text(path, 200) not in hides:  # git reads none through a link
        write_atomic(path, hides[0])
    return folder


def hide_again(state: str) -> None:
    """Once more for what is there: a pull puts its own ignore file in the place of one that git does not track."""
    folders: dict[str, tuple[str, ...]] = {f"{state}/{name}": (ALL,) for name in PRIVATE}
    if state.endswith("/.claude/holdfast"):  # elsewhere are those of many projects
        folders[f"{state}/memory"] = OF_MEMORY
    for folder, hides in folders.items():
        try:
            if is_real(folder):
                private_folder(folder, hides)
        except OSError:  # the next writer is refused
            pass


def real_within(folder: str, names: "Iterable[str]") -> "list[str]":
    """Those of the names at which the folder has a real one itself; none where the folder is a link."""
    return [name for name in names if is_real(f"{folder}/{name}")] if is_real(folder) else []


def keep_out_of_git(folder: str) -> None:
    """The ignore file of a state folder that is there; the one that people have put there stays. Raises OSError."""
    if kind_of(f"{folder}/.gitignore") in ("", "other"):  # git itself would wait for a pipe
        write_atomic(f"{folder}/.gitignore", IGNORE)


def mark(folder: str) -> str:
    """What notes must bear that were made in this folder on this machine; "" where it has no such mark."""
    try:
        info = os.lstat(f"{folder}/{HERE}")
    except OSError:
        return ""
    is_own = info.st_mode & 0o170000 == 0o100000 and info.st_nlink == 1  # a plain file
    return f"{info.st_ino} {info.st_ctime_ns}" if is_own and _is_users(folder, info.st_uid) else ""


def _is_users(folder: str, owner: int) -> bool:
    """Whether this owner is the user: another one of the machine can make any mark. To root all are, and on a disk that
    is mounted so, each file has the same owner, a new one too.
    """
    if os.geteuid() in (owner, 0):
        return True
    probe = f"{folder}/{HERE}.{os.getpid()}"
    try:
        is_same = claim(probe) and os.lstat(probe).st_uid == owner
        os.unlink(probe)
    except OSError:  # a folder that is not the user's
        return False
    return is_same


def marked(folder: str) -> str:
    """The folder's mark, made if need be; "" where a link or the like stands in its place, or the disk refuses."""
    claim(f"{folder}/{HERE}")
    return mark(folder)


def born(folder: str) -> float:
    """Epoch seconds of the mark: when it was made here, or its owner or rights were changed last; 0 for none."""
    return int(mark(folder).partition(" ")[2] or 0) / 1e9


def bears(folder: str, made: "Any") -> bool:
    """Whether this, read from a note in the folder, is its mark; never where it has none."""
    here = mark(folder)
    return bool(here) and made == here
