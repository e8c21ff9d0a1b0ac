"""At a start: remove the files of sessions that nobody will come back to, and log which.

Those go in which nothing has happened for `retention.days`, in a second run (aging.py); 0 keeps everything. The newest
stay however old they are, so that a project that is taken up again after a year has its state. Sources: the client
removes its own transcripts after 30 days, and without its transcript no session is resumed; requirements H3 and W3.
"""

import contextlib
import os
from collections.abc import Mapping

from holdfast.hot.files import append_capped
from holdfast.hot.paths import InState
from holdfast.session import aging, folders, liveness
from holdfast.session.context import Session, stamp
from holdfast.text.dates import DAY

AT_ONCE = 10
"""Sessions removed at one start, at most: nobody should wait for it."""


def prune(session: Session) -> None:
    """Remove what may go. A disk that refuses keeps its files; the start goes on."""
    days = session.config["retention.days"]
    if days <= 0:
        return
    used = {one: folders.last_used(one) for one in liveness.past(session.state) if one != session.folder}
    old = [folder for folder in expired(used, session.now, days) if not _runs(folder)]
    going = aging.due(session.state, map(os.path.basename, old), session.now)
    for folder in [folder for folder in old if os.path.basename(folder) in going][:AT_ONCE]:
        with contextlib.suppress(OSError):
            files = folders.remove(folder)
            told = f"{os.path.basename(folder)}: {files} files, not used for more than {days} days"
            append_capped(f"{session.state}/{InState.REMOVED}", f"{stamp(session.now)} {told}", 200)


def _runs(folder: str) -> bool:
    """Whether the client that opened the session is still there."""
    last = liveness.last_of(folder)
    return bool(last.get("open")) and not liveness.is_over(last)


def expired(used: Mapping[str, float], now: float, days: int) -> list[str]:
    """Of these sessions (folder -> epoch seconds of its last use) those that may go, the oldest first."""
    oldest_first = sorted(used, key=lambda name: (used[name], name))
    old = oldest_first[: max(0, len(used) - 5)]  # the newest five stay
    return [name for name in old if now - used[name] > days * DAY]
