"""Which sessions of a project are so old that their files may go?

Rule: those in which nothing has happened for `retention.days`; 0 keeps everything. The newest sessions stay however
old they are, so that a project that is taken up again after a year has its state. Source: the client removes its own
transcripts after 30 days, and without its transcript a session cannot be resumed. Requirements H3 and W3: what a
start draws on is the newest state, never an old one.
"""

from collections.abc import Mapping

from holdfast.text.dates import DAY

NEWEST = 5
AT_ONCE = 10
"""Sessions removed at one start, at most: nobody should wait for it."""


def expired(used: Mapping[str, float], now: float, days: int) -> list[str]:
    """Of these sessions (name -> epoch seconds of its last use) those that may go, the oldest first."""
    oldest_first = sorted(used, key=lambda name: (used[name], name))
    old = oldest_first[: max(0, len(used) - NEWEST)]
    return [name for name in old if days > 0 and now - used[name] > days * DAY]
