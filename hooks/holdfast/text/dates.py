"""ISO 8601 times as epoch seconds, and back, without a clock and without the time zone of the machine."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

DAY = 86_400
"""Seconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def is_time(text: str) -> bool:
    """Whether this is an ISO 8601 time with a zone, of a day that there is."""
    try:
        seconds(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=4_000)  # a search asks for the times of the same records again and again
def seconds(time: str) -> float:
    """Epoch seconds of an ISO 8601 time with a zone, without its fraction. Raises ValueError for anything else."""
    try:
        when = datetime.fromisoformat(time)
    except ValueError:
        when = None
    first, end = -62_135_596_800, 253_402_300_800  # the years 1 to 9999 in UTC: another zone's may begin before
    found = (when - _EPOCH) // timedelta(seconds=1) if when and when.tzinfo else end
    if not first <= found < end or time[10:11] != "T" or not time.isascii():
        raise ValueError(f"{time!r} is no ISO 8601 time")
    return float(found)


def iso(when: float) -> str:
    """Epoch seconds (years 1 to 9999) as `2026-11-04T14:32:00Z`."""
    return (_EPOCH + timedelta(seconds=when // 1)).replace(tzinfo=None).isoformat() + "Z"
