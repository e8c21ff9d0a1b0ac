"""What a project's repository says of itself, read from `.git`: starting git would cost more than the hook.

Branch and commit, commits made since another one (from the reflog), and which files differ from what was committed.
Nothing here is certain where a repository is laid out in a rarer way (compressed or split index); then it says less.
"""

import os

from holdfast.hot.files import names_in, read_bytes, read_from, read_text, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

REFLOG_BYTES = 65_536
INDEX_BYTES = 16_000_000
MADE = ("commit", "commit (initial)", "commit (merge)", "cherry-pick", "revert", "am")
"""Reflog entries that are one new commit each; of others (reset, pull, rebase) the number cannot be told."""
STAT_BYTES = 62  # of an index entry before its name, with SHA-1; SHA-256 takes 12 more


def head(project: str) -> "tuple[str, str]":
    """(branch, commit) of the project's checkout; "" for what cannot be told (detached, no repository)."""
    _, folder = _places(project)
    if not folder:
        return "", ""
    text = read_text(f"{folder}/HEAD", 4_096).strip()
    if not text.startswith("ref: "):
        return "", text
    ref = text[5:]
    common = read_text(f"{folder}/commondir", 4_096).strip()
    shared = os.path.normpath(f"{folder}/{common}") if common else folder
    commit = read_text(f"{folder}/{ref}", 100).strip() or read_text(f"{shared}/{ref}", 100).strip()
    return ref.removeprefix("refs/heads/"), commit or _packed(shared, ref)


def main_checkout(project: str) -> str:
    """The place of this project in the checkout that all worktrees of its repository share; else the project itself."""
    top, folder = _places(project)
    common = read_text(f"{folder}/commondir", 4_096).strip() if folder else ""
    main, name = os.path.split(os.path.normpath(f"{folder}/{common}")) if common else ("", "")
    if name != ".git" or not _is_worktree(f"{main}/.git", folder, f"{top}/.git"):  # a bare repository's has another
        return os.path.abspath(project)
    return os.path.normpath(f"{main}/{os.path.relpath(os.path.abspath(project), top)}")


def _is_worktree(common: str, folder: str, pointer: str) -> bool:
    """Whether the repository knows of the checkout: an archive may bring a `.git` that names anybody's."""
    if os.path.dirname(folder) != f"{common}/worktrees" or os.path.islink(pointer):
        return False
    back = os.path.join(folder, read_text(f"{folder}/gitdir", 4_096).strip())  # newer versions may write a relative one
    try:
        return os.path.samefile(back, pointer)
    except OSError:  # it has moved, or the repository has
        return False


def commits_since(project: str, commit: str) -> "list[str]":
    """Full hashes of the commits made here since HEAD was `commit`, oldest first; [] where it cannot be told."""
    _, folder = _places(project)
    entries = _reflog(folder) if folder and commit else []
    places = [place for place, (new, _, _) in enumerate(entries) if new == commit]
    later = entries[places[-1] + 1 :] if places else []
    return [new for new, _, _ in later] if all(kind in MADE for _, _, kind in later) else []


def uncommitted(project: str, paths: "Iterable[str]") -> "list[str]":
    """Those of the absolute paths whose file differs from what was committed; [] without a repository.

    New files count. A file that is only staged is known by being younger than the newest reflog entry.
    """
    top, folder = _places(project)
    size = size_of(f"{folder}/index")
    plain = 0 <= size <= INDEX_BYTES and not any(name.startswith("sharedindex.") for name in names_in(folder))
    index = read_bytes(f"{folder}/index") if folder and plain else b""
    if index[:8] not in (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3"):
        return []
    last = max((stamp for _, stamp, _ in _reflog(folder)), default=0)
    width = STAT_BYTES + 12 * (len(head(project)[1]) == 64)
    return [
        path for path in paths if path.startswith(f"{top}/") and _differs(path, _entry(index, path, top, width), last)
    ]


def _differs(path: str, entry: "tuple[int, int, int] | None", last: int) -> bool:
    try:
        now = os.stat(path)
    except OSError:  # gone: told apart from a change
        return False
    seconds, rest = divmod(now.st_mtime_ns, 1_000_000_000)
    if entry is None or entry[0] != seconds or entry[2] != now.st_size & 0xFFFFFFFF:
        return True
    return entry[1] not in (0, rest) or seconds > last > 0


def _entry(index: bytes, path: str, top: str, width: int) -> "tuple[int, int, int] | None":
    """(mtime seconds, nanoseconds, size) of a path in the index; None when it is not there."""
    name = os.fsencode(path[len(top) + 1 :])
    place = index.find(name + b"\0")
    while place >= 0:
        length = int.from_bytes(index[place - 2 : place], "big") & 0xFFF
        if length == min(len(name), 0xFFF) and place >= width + 12:
            entry = index[place - width :]
            return (
                int.from_bytes(entry[8:12], "big"),
                int.from_bytes(entry[12:16], "big"),
                int.from_bytes(entry[36:40], "big"),
            )
        place = index.find(name + b"\0", place + 1)
    return None


def _reflog(folder: str) -> "list[tuple[str, int, str]]":
    """(commit, epoch seconds, kind) of HEAD's newest moves, oldest first."""
    path = f"{folder}/logs/HEAD"
    start = max(0, size_of(path) - REFLOG_BYTES)
    rows = []
    for line in read_from(path, start, REFLOG_BYTES).decode("utf-8", "replace").splitlines()[1 if start else 0 :]:
        moved, _, why = line.partition("\t")
        words = moved.split(" ")
        if len(words) > 4 and words[-2].isdigit() and words[0] != words[1]:  # a new branch at the same commit: no move
            rows.append((words[1], int(words[-2]), why.partition(":")[0]))
    return rows


def _places(project: str) -> "tuple[str, str]":
    """(top of the checkout, its .git folder), of the project or a parent; a worktree's .git is a file that names it."""
    place = os.path.abspath(project)
    while True:
        path = f"{place}/.git"
        if os.path.isdir(path):
            return place, path
        pointer = read_text(path, 4_096).strip()
        if pointer.startswith("gitdir: "):
            return place, os.path.normpath(os.path.join(place, pointer[8:]))
        parent = os.path.dirname(place)
        if parent == place:
            return "", ""
        place = parent


def _packed(folder: str, ref: str) -> str:
    for line in read_text(f"{folder}/packed-refs").splitlines():
        if line.endswith(f" {ref}"):
            return line.split(" ", 1)[0]
    return ""
