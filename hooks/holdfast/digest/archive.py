"""Whole texts kept outside the window, so that whatever left it can be read again.

Files are named by kind and content (`bash-3f2a…txt`): the same text is stored once, and a second writer
finds it there. Hot-path module: lean imports only.
"""

from holdfast.hot.files import claim, make_folder, safe_name, size_of, write_atomic


def path_for(folder: str, kind: str, mark: str) -> str:
    """Where a text with this fingerprint is kept."""
    return f"{folder}/{safe_name(kind.lower(), 40)}-{mark}.txt"


def keep(path: str, data: bytes) -> None:
    """Store `data` at the path that `path_for` gave. Raises OSError: then nothing may leave the window."""
    if size_of(path) < 0:
        make_folder(path.rpartition("/")[0])
        write_atomic(path, data)


def first_seen(folder: str, window: str, mark: str) -> bool:
    """True when a text with this fingerprint comes up for the first time in this window.

    window: names one agent's context since its last compaction; what another one has read is not in it. Also True where
    that cannot be noted: only what exists has been seen.
    """
    return claim(f"{folder}/{safe_name(window)}-{mark}", unsure=True)
