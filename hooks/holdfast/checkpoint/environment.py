"""The place of the work: as a checkpoint records it, as it is found later, and what is no longer as it was.

Rule: a difference that can be seen is stated in one sentence each: directory, branch, commits, files that are gone,
files that changed on disk. What is not known is no difference, and what the session did itself is none either. Files
are named from the project's folder on, so that a record stays small. Sources: requirements W3, W4.
"""

import os

from holdfast.checkpoint import git
from holdfast.checkpoint.model import Environment
from holdfast.session.context import Session
from holdfast.worklog.model import Worklog

FILES = 8  # of those changed last; their absence is noticed
NAMED = 6  # files that a sentence names; the rest is counted
SETTLED = 2.0  # seconds after the last sign of the session in which a file's date still is the session's own doing


def place(session: Session, work: Worklog) -> Environment:
    """The environment as far as it can be read without starting git: what every turn's end notes."""
    branch, commit = git.head(session.project)
    own = [path for path in work["changed"] if path.startswith(f"{session.project}/")]
    there = [path[len(session.project) + 1 :] for path in own if os.path.exists(path)][-FILES:]
    return {"directory": session.project, "branch": branch, "commit": commit, "files": there}


def environment(session: Session, work: Worklog) -> Environment:
    """The whole of it."""
    here, found = place(session, work), git.status(session.project)
    dirty = [name for name in here["files"] if any(path == name or path.endswith(f"/{name}") for path in found.dirty)]
    return {**here, "dirty": dirty, "upstream": found.upstream, "ahead": found.ahead, "behind": found.behind}


def drift(session: Session, work: Worklog, before: Environment, seen: float) -> tuple[str, ...]:
    """What differs from the recorded environment, one sentence each.

    seen: when the session showed its last sign, epoch seconds; what changed on disk after that was somebody else.
    """
    now = place(session, work)
    recorded = [f"{session.project}/{name}" for name in before.get("files") or ()]
    missing = [path for path in recorded if not os.path.exists(path)]
    touched = [path for path in recorded if _changed_at(path) > seen + SETTLED]
    return (
        *(
            f"the {key} is now {is_now}; it was {was}"
            for key, was, is_now in (
                ("directory", before.get("directory"), now["directory"]),
                ("branch", before.get("branch"), now["branch"]),
            )
            if was and is_now and was != is_now
        ),
        *_head(session, work, before.get("commit", ""), now["commit"]),
        *([f"{_named(missing, 'is', 'are')} gone"] if missing else []),
        *([f"{_named(touched, 'has', 'have')} changed on disk since"] if touched else []),
    )


def _head(session: Session, work: Worklog, old: str, new: str) -> list[str]:
    """That HEAD has moved, unless the session itself moved it; with the number of commits that others made."""
    mine = tuple(entry.split(" ", 1)[0] for entry in work["commits"] if len(entry.split(" ", 1)[0]) >= 7)
    if not old or not new or old == new or (mine and new.startswith(mine)):
        return []
    count = sum(not (mine and commit.startswith(mine)) for commit in git.commits_since(session.project, old))
    made = f"{count} new commit{'s' if count > 1 else ''} since: " if count else ""
    return [f"{made}HEAD is now {new[:9]}; it was {old[:9]}"]


def _named(paths: list[str], one: str, many: str) -> str:
    """ "/a, /b and 3 more are": who is spoken of, with the verb."""
    shown, more = ", ".join(paths[:NAMED]), len(paths) - NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"{shown}{rest} {one if len(paths) == 1 else many}"


def last_sign(journal: str, recorded: float) -> float:
    """When a session was last seen at work: the date of its journal of calls or of its record."""
    return max(recorded, _changed_at(journal))


def _changed_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
