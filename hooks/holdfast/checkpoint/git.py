"""What a project's repository says of itself.

Branch and commit are read from `.git`, since starting git costs more than the hook that asks; what else is to be known
(not committed, ahead, behind, what a rewrite replaced) git itself is asked, where a moment's wait is no matter. Where
there is no repository, no git, or it takes too long, nothing is said.
"""

import os
from typing import NamedTuple

from holdfast.hot.files import read_text
from holdfast.transcript.commands import commit_hash

LOGGED = 10_000  # commits that are looked at


class Status(NamedTuple):
    """What `git status` tells; ahead and behind are 0 without an upstream."""

    dirty: list[str]
    """Paths from the checkout's top on: changed, staged or new."""
    upstream: str = ""
    ahead: int = 0
    behind: int = 0


def head(project: str) -> tuple[str, str]:
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
    packed = (line for line in read_text(f"{shared}/packed-refs").splitlines() if line.endswith(f" {ref}"))
    return ref.removeprefix("refs/heads/"), commit or next(packed, "").split(" ", 1)[0]


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


def status(project: str) -> Status:
    """What is not committed below the project, and how the branch stands to its upstream."""
    if not _places(project)[1]:
        return Status([])
    rows = _git(project, "status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--", ".").split("\0")
    heads = dict(row[2:].split(" ", 1) for row in rows if row.startswith("# ") and row.count(" ") > 1)
    counts = [int(count) for count in heads.get("branch.ab", "+0 -0").split()]
    fields = {"1": 8, "u": 10, "?": 1}  # first letter of a row of porcelain v2 -> fields before its path
    dirty = [row.split(" ", fields[row[0]])[-1] for row in rows if row[:1] in fields]
    return Status(dirty, heads.get("branch.upstream", ""), *map(abs, counts))


def in_history(project: str, commits: list[str]) -> list[str]:
    """Of these ("hash subject") the ones that HEAD still descends from: a rewrite replaces the others.

    One that told no hash stays, since nothing says otherwise. All of them where git does not tell, or the history is
    longer than what is looked at.
    """
    if not commits or not _places(project)[1]:
        return commits
    known = _git(project, "rev-list", f"--max-count={LOGGED}", "HEAD").split()
    if not 0 < len(known) < LOGGED:
        return commits
    hashes = [commit_hash(one) for one in commits]
    return [one for one, short in zip(commits, hashes, strict=True) if any(full.startswith(short) for full in known)]


def _git(project: str, *arguments: str) -> str:
    """What git prints; "" when it fails, is not there or takes too long."""
    import subprocess

    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    command, quiet = ["git", "-c", "core.fsmonitor=false", *arguments], subprocess.DEVNULL
    try:
        out = subprocess.check_output(command, cwd=project, env=environment, timeout=3, stdin=quiet, stderr=quiet)
    except (OSError, subprocess.SubprocessError):
        return ""
    return out.decode("utf-8", "replace")


def _places(project: str) -> tuple[str, str]:
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
