"""At a start: remove the files of sessions that nobody will come back to, and log which."""

import contextlib
import itertools
import os

from holdfast.hot import paths
from holdfast.hot.files import append_capped
from holdfast.session import folders, liveness, retention
from holdfast.session.context import Session, stamp

LINES = 200


def prune(session: Session) -> None:
    """Remove what session/retention.py lets go. A disk that refuses keeps its files; the start goes on."""
    days = session.config["retention.days"]
    if days <= 0:
        return
    used = {
        os.path.basename(folder): folders.last_used(folder) for folder in folders.past(session.state, session.folder)
    }
    old = (f"{session.state}/sessions/{name}" for name in retention.expired(used, session.now, days))
    for folder in itertools.islice(itertools.filterfalse(_runs, old), retention.AT_ONCE):
        with contextlib.suppress(OSError):
            files = folders.remove(folder)
            told = f"{os.path.basename(folder)}: {files} files, not used for more than {days} days"
            append_capped(f"{session.state}/{paths.REMOVED}", f"{stamp(session.now)} {told}", LINES)


def _runs(folder: str) -> bool:
    """Whether the client that opened the session is still there."""
    last = liveness.last_of(folder)
    return bool(last.get("open")) and not liveness.was_cut_off(last)
