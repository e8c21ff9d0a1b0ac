"""The place of the work: as a checkpoint records it, and as it is found later.

Files are named from the project's folder on, so that a record stays small. Reads `.git` and file dates only;
no process is started.
"""

import os
from typing import Any

from holdfast.checkpoint import git
from holdfast.checkpoint.drift import drift
from holdfast.session.context import Session

FILES = 8  # of those changed last; their absence is noticed
SETTLED = 2.0  # seconds after the last sign of the session in which a file's date still is the session's own doing


def environment(session: Session, work: dict[str, Any]) -> dict[str, Any]:
    """{directory, branch, commit, files, dirty}: "" and [] for what cannot be told.

    files: the changed ones that are there; dirty: those that differ from what was committed.
    """
    branch, commit = git.head(session.project)
    paths = [f"{session.project}/{name}" for name in _own(session, work)]
    there = [path for path in paths if os.path.exists(path)][-FILES:]
    return {
        "directory": session.project,
        "branch": branch,
        "commit": commit,
        "files": _names(session, there),
        "dirty": _names(session, git.uncommitted(session.project, there)),
    }


def _own(session: Session, work: dict[str, Any]) -> list[str]:
    return _names(session, [path for path in work["changed"] if path.startswith(session.project + "/")])


def _names(session: Session, paths: list[str]) -> list[str]:
    return [path[len(session.project) + 1 :] for path in paths]


def found(session: Session, work: dict[str, Any], before: dict[str, Any], seen: float) -> dict[str, Any]:
    """The environment now, with what `drift` compares besides: missing, touched, commits, own.

    before: the recorded one. seen: when the session showed its last sign, epoch seconds; what changed on disk after
    that was somebody else.
    """
    now = environment(session, work)
    recorded = [f"{session.project}/{name}" for name in before.get("files") or ()]
    others, own = _commits(session, work, str(before.get("commit") or ""), now["commit"])
    return {
        **now,
        "missing": [path for path in recorded if not os.path.exists(path)],
        "touched": [path for path in recorded if _changed_at(path) > seen + SETTLED],
        "commits": others,
        "own": own,
    }


def _changed_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _commits(session: Session, work: dict[str, Any], before: str, now: str) -> tuple[int, bool]:
    """(commits since that the session did not make, whether HEAD is one of its own)."""
    mine = tuple(entry.split(" ", 1)[0] for entry in work["commits"] if len(entry.split(" ", 1)[0]) >= 7)
    made = git.commits_since(session.project, before) if before and before != now else []
    return sum(not commit.startswith(mine) for commit in made), bool(mine) and now.startswith(mine)


def differences(session: Session, work: dict[str, Any], before: dict[str, Any], seen: float) -> tuple[str, ...]:
    """What has drifted from the recorded environment, one sentence each."""
    return drift(before, found(session, work, before, seen))


def last_sign(journal: str, recorded: float) -> float:
    """When a session was last seen at work: the date of its journal of calls or of its record."""
    return max(recorded, _changed_at(journal))
