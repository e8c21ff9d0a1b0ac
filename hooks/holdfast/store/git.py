"""Branch and commit of a project, read from `.git` itself: starting git would cost more than the hook."""

import os

from holdfast.store.files import read_text


def head(project: str) -> "tuple[str, str]":
    """(branch, commit) of the project's checkout; "" for what cannot be told (detached, no repository)."""
    folder = _git_folder(project)
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


def _git_folder(project: str) -> str:
    """The .git folder of the project or of a parent; a worktree's .git is a file that names it."""
    place = os.path.abspath(project)
    while True:
        path = f"{place}/.git"
        if os.path.isdir(path):
            return path
        pointer = read_text(path, 4_096).strip()
        if pointer.startswith("gitdir: "):
            return os.path.normpath(os.path.join(place, pointer[8:]))
        parent = os.path.dirname(place)
        if parent == place:
            return ""
        place = parent


def _packed(folder: str, ref: str) -> str:
    for line in read_text(f"{folder}/packed-refs").splitlines():
        if line.endswith(f" {ref}"):
            return line.split(" ", 1)[0]
    return ""
