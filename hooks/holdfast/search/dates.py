"""Which days does a question name, and how near to them is a text?

Rule: J7 searches by time too. "on 8 May 2023", "in May 2023", "in May", "2023-05-08" name days or months. A text of
that day is as near as can be; one of the days after is nearer than one of the days before, since people tell of a thing
when it has happened. Reach: about 10 days after, 5 before. A year alone names no day: it is looked up as a word.
"""

import functools
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.text.dates import seconds

AFTER, BEFORE = 10.0, 5.0
"""Days in which nearness falls to 1/e; set by hand, not fitted."""
MONTH_ONLY = 0.6
"""A month is a weaker hint than a day."""
NEVER = -10_000_000
"""A day so long ago that it is near to none."""
MONTHS = ["january", "february", "march", "april", "may", "june"]
MONTHS += ["july", "august", "september", "october", "november", "december"]

_NAME = "|".join(MONTHS) + "|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
_NAMED = re.compile(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b({_NAME})\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?"
    r"(?:,?\s*\b(\d{4})\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?(?!\d)")
_MODAL = re.compile(r"[a-z]")


class Span(NamedTuple):
    """A day (day > 0) or a whole month."""

    year: int
    """0 for any."""
    month: int
    day: int


def named(question: str) -> list[Span]:
    """The days and months that a question names, in order."""
    found = [_span(int(year), int(month), int(day or 0)) for year, month, day in _ISO.findall(question)]
    for match in _NAMED.finditer(question):
        before, name, after, year = match.groups()
        if not _MODAL.match(name):  # "may" and "march" in small letters are verbs
            month = [one[:3] for one in MONTHS].index(name[:3].lower()) + 1
            found.append(_span(int(year or 0), month, int(before or after or 0)))
    return found


def _span(year: int, month: int, day: int) -> Span:
    return Span(year, min(max(month, 1), 12), min(day, 31))


def near(spans: Sequence[Span], time: str) -> float:
    """0 to 1: how near a text of this ISO time is to the nearest of the spans."""
    when = day_of(time) if spans else NEVER
    if when == NEVER:
        return 0.0
    year = int(time[:4])
    return max(
        (_near(when, span, own) for span in spans for own in ([span.year] if span.year else _years(span, year))),
        default=0.0,
    )


def _years(span: Span, year: int) -> tuple[int, ...]:
    """Years to try where the question names none: a month alone is the text's own."""
    return (year - 1, year, year + 1) if span.day else (year,)


def _near(when: int, span: Span, year: int) -> float:
    if span.day:
        off = when - _day(year, span.month, span.day)
        return math.exp(-off / AFTER if off > 0 else off / BEFORE)
    first, following = _day(year, span.month, 1), _day(year + span.month // 12, span.month % 12 + 1, 1)
    return MONTH_ONLY * math.exp(-max(0, when - following + 1) / AFTER) if when >= first else 0.0


@functools.lru_cache(maxsize=4_096)  # one search asks for the same few days again and again
def day_of(time: str) -> int:
    """Days from 1970 to an ISO time, whose hour does not count; `NEVER` when it names no day."""
    found = _ISO.match(time)
    return _day(int(found[1]), int(found[2]), int(found[3] or 1)) if found else NEVER


def _day(year: int, month: int, day: int) -> int:
    try:
        return int(seconds(f"{year:04}-{month:02}-{day:02}T00:00:00Z") // 86_400)
    except ValueError:  # there is no such day
        return NEVER


def spelled(time: str) -> str:
    """An ISO time as people write it, to be found by its words: "8 May 2023"; "" when it names no day."""
    found = _ISO.match(time)
    if not found or not 1 <= int(found[2]) <= 12:
        return ""
    return f"{int(found[3] or 1)} {MONTHS[int(found[2]) - 1]} {found[1]}"
