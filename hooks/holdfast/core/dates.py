"""ISO 8601 times as epoch seconds, and back, without a clock and without the time zone of the machine."""

import re

_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|([+-])(\d\d):?(\d\d))\Z", re.ASCII)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EPOCH = 719_469
"""Days from the first of March of the year 0 to 1970, counted from 1."""


def seconds(time: str) -> float:
    """Epoch seconds of an ISO 8601 time with a zone, without its fraction. Raises ValueError for anything else."""
    found = _TIME.match(time)
    if not found:
        raise ValueError(f"{time!r} is no ISO 8601 time")
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1] - (month == 2 and not leap):
        raise ValueError(f"{time!r} is no ISO 8601 time")
    if hour > 23 or minute > 59 or second > 60:
        raise ValueError(f"{time!r} is no ISO 8601 time")
    before = year - (month <= 2)  # days by the civil calendar, the year beginning in March
    days = 365 * before + before // 4 - before // 100 + before // 400 + (153 * ((month - 3) % 12) + 2) // 5 + day
    zone = (1 if found[7] == "+" else -1) * (int(found[8]) * 60 + int(found[9])) if found[7] else 0
    return float((days - _EPOCH) * 86_400 + hour * 3_600 + (minute - zone) * 60 + second)


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
