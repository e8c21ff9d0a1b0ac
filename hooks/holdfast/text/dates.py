"""ISO 8601 times as epoch seconds, and back, without a clock and without the time zone of the machine."""

import re
from functools import lru_cache

DAY = 86_400.0
"""Seconds."""
_TIME = re.compile(
    r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d{1,9})?(?:Z|([+-])(\d\d):?(\d\d))\Z", re.ASCII
)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EPOCH = 719_469
"""Days from the first of March of the year 0 to 1970, counted from 1."""


def is_time(text: str) -> bool:
    """Whether this is an ISO 8601 time with a zone, of a day that there is."""
    return _TIME.match(text) is not None and _days(text[:10]) is not None


def seconds(time: str) -> float:
    """Epoch seconds of an ISO 8601 time with a zone, without its fraction. Raises ValueError for anything else."""
    found = _TIME.match(time)
    days = _days(time[:10]) if found else None
    if not found or days is None:
        raise ValueError(f"{time!r} is no ISO 8601 time")
    hour, minute, second, sign, hours, minutes = found.groups()
    zone = (1 if sign == "+" else -1) * (int(hours) * 60 + int(minutes)) if sign else 0
    return float(days * 86_400 + int(hour) * 3_600 + (int(minute) - zone) * 60 + int(second))


@lru_cache(maxsize=4_000)  # the times of a memory fall on few days
def _days(date: str) -> int | None:
    """Days from 1970 to a date YYYY-MM-DD; None for one that the calendar does not have."""
    year, month, day = map(int, date.split("-"))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1] - (month == 2 and not leap):
        return None
    before = year - (month <= 2)  # by the civil calendar, the year beginning in March
    days = 365 * before + before // 4 - before // 100 + before // 400 + (153 * ((month - 3) % 12) + 2) // 5 + day
    return days - _EPOCH


def iso(when: float) -> str:
    """Epoch seconds (years 1 to 9999) as `2026-11-04T14:32:00Z`."""
    days, rest = divmod(int(when // 1), 86_400)
    days += _EPOCH - 1
    era, day_of_era = divmod(days, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    march, day = (5 * day_of_year + 2) // 153, day_of_year - (153 * ((5 * day_of_year + 2) // 153) + 2) // 5 + 1
    month = march + 3 if march < 10 else march - 9
    year = year_of_era + era * 400 + (month <= 2)
    return f"{year:04d}-{month:02d}-{day:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"
