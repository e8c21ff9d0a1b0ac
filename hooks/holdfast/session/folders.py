"""The folders of past sessions: when each was last used, and how one is removed."""

import contextlib
import os
from collections.abc import Iterator

from holdfast.hot import provenance
from holdfast.hot.files import names_in
from holdfast.hot.fingerprint import fingerprint


def shown(name: str) -> str:
    """By which what is shared names the session of this folder: who knew its id could commit a file for the folder."""
    return fingerprint(name.encode("utf-8", "replace"))


def listed(state: str) -> list[str]:
    """Folders of all sessions; links in the place of one, or of them all, are none."""
    root = f"{state}/sessions"
    return [f"{root}/{name}" for name in provenance.real_within(root, names_in(root))]


def last_used(folder: str) -> float:
    """Epoch seconds of the newest of the folder and what stands directly in it; infinity where that cannot be told."""
    try:
        with os.scandir(folder) as entries:
            return max([os.stat(folder).st_mtime, *(entry.stat(follow_symlinks=False).st_mtime for entry in entries)])
    except OSError:  # it may just be going
        return float("inf")


def set_back(folder: str, when: float) -> None:
    """Date what is newer here back to epoch seconds `when`: others have written there, and that is no use of it."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:  # it may just be going
        own_paths = (entry.path for entry in entries if entry.name != provenance.HERE)  # its date is the folder's mark
        for path in (*own_paths, folder):
            if os.stat(path, follow_symlinks=False).st_mtime > when:
                os.utime(path, (when, when), follow_symlinks=False)


@contextlib.contextmanager
def unused(folder: str) -> Iterator[None]:
    """What a command writes there meanwhile is no sign of life of the session."""
    used = last_used(folder)
    try:
        yield
    finally:
        set_back(folder, used)


def transcripts_of_agents(transcript: str) -> list[str]:
    """Paths of what a session's sub-agents have written beside its own; nothing is looked at through a link."""
    beside = transcript.removesuffix(".jsonl")
    walked = os.walk(f"{beside}/subagents") if provenance.real_within(beside, ["subagents"]) else ()
    found = ((place, name) for place, _, names in walked for name in sorted(names))
    return [f"{place}/{name}" for place, name in found if name.startswith("agent-") and name.endswith(".jsonl")]


def remove(folder: str) -> int:
    """Remove the folder with all that is in it, and say how many files that were. Links are removed, not followed.

    Raises OSError; what has gone by then is gone, and the rest goes another time.
    """
    files, places = 0, [folder]
    for place in places:  # it grows: a clone's folders may be deeper than calls go
        for entry in list(os.scandir(place)):
            if entry.is_dir(follow_symlinks=False):
                places.append(entry.path)
            else:
                os.unlink(entry.path)
                files += 1
    for place in reversed(places):
        os.rmdir(place)
    return files
