"""The place of the work: as a checkpoint records it, as it is found later, and what is no longer as it was.

Rule: a difference that can be seen is stated in one sentence each: directory, branch, commit, files that are gone,
files that changed on disk. What is not known is no difference, and what the session did itself is none either. Files
are named from the project's folder on, so that a record stays small. Sources: requirements W3, W4.
"""

import os

from holdfast.checkpoint import git
from holdfast.checkpoint.model import Environment
from holdfast.hot.jsonc import field
from holdfast.hot.paths import InSession
from holdfast.session.context import Session
from holdfast.text.lines import one_line
from holdfast.transcript.commands import commit_hash
from holdfast.worklog.model import Worklog


def place(session: Session, work: Worklog) -> Environment:
    """The environment as far as it can be read without starting git: what every turn's end notes."""
    branch, commit = git.head(session.project)
    own = [path for path in work["changed"] if path.startswith(f"{session.project}/")]
    there = [path[len(session.project) + 1 :] for path in own if os.path.exists(path)]
    return {"directory": session.project, "branch": branch, "commit": commit, "files": there[-8:]}


def environment(session: Session, work: Worklog) -> Environment:
    """The whole of it."""
    here, found = place(session, work), git.status(session.project)
    here |= {"upstream": found.upstream, "ahead": found.ahead, "behind": found.behind}
    if found.dirty is None:
        return here
    starts = tuple(f"/{path}".rstrip("/") + "/" for path in found.dirty)
    dirty = [name for name in here["files"] if f"/{name}/".startswith(starts)]
    clean = [name for name in git.indexed(session.project, here["files"]) if name not in dirty]
    here |= {"dirty": dirty, "clean": clean}
    return here if found.staged is None or len(found.staged) > 40 else {**here, "staged": found.staged}


def drift(session: Session, work: Worklog, before: Environment, noted: float, goes_on: bool = False) -> tuple[str, ...]:
    """What differs from the environment that was noted then (epoch seconds), one sentence each.

    goes_on: the session was at work up to now; else what changed on disk after its last call was somebody else.
    """
    now, seen = place(session, work), session.now if goes_on else max(noted, _changed_at(session.path(InSession.CALLS)))
    recorded = [f"{session.project}/{name}" for name in field(before, "files", list[str]())]
    missing = [path for path in recorded if not os.path.exists(path)]
    touched = [path for path in recorded if _changed_at(path) > seen + 2]  # seconds in which a date is still its own
    moved = [
        ("the directory", field(before, "directory", ""), now["directory"]),
        ("the branch", field(before, "branch", ""), now["branch"]),
    ]
    if not any(now["commit"].startswith(commit_hash(mine) or "?") for mine in work["commits"]):
        moved.append(("HEAD", field(before, "commit", "")[:9], now["commit"][:9]))
    known = ((kind, old, new) for kind, old, new in moved if old and new)
    return (
        *(f"{kind} is now {one_line(new)}; it was {one_line(old)}" for kind, old, new in known if old != new),
        *([f"{_named(missing)} {'is' if len(missing) == 1 else 'are'} gone"] if missing else []),
        *([f"{_named(touched)} {'has' if len(touched) == 1 else 'have'} changed on disk since"] if touched else []),
    )


def _named(paths: list[str]) -> str:
    """ "/a, /b and 3 more"."""
    rest = f" and {len(paths) - 6} more" if len(paths) > 6 else ""
    return ", ".join(map(one_line, paths[:6])) + rest


def _changed_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except (OSError, ValueError):  # a damaged note may hold any name
        return 0.0
