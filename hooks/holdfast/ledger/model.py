"""An entry of the ledger: what one session has saved and cost, by day.

A session's files tell what it has come to so far. What that has grown by since the last look counts for the day of the
look. So looking twice adds nothing, and a session that runs over midnight has two days. Figures are whole
numbers; no text of the conversation is among them.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, cast

VERSION = 1
Figures = dict[str, int]
NAMES = (
    *("turns", "calls", "agents"),
    *("put_in", "steering"),  # tokens, estimated
    *("digests", "digests_before", "digests_after"),  # tool results; tokens, estimated
    *("handoffs", "handoffs_before", "handoffs_after", "send_backs"),
    *("compactions", "compactions_before", "compactions_after", "facts_kept", "facts_corrected", "facts_lost"),
    "lines_corrected",  # of summaries' records
    *("warm_runs", "warm_ms", "hot_runs"),
    "agents_unknown",  # sub-agents of whom not all is known that they spent
)
"""What is counted. Beside it stands what the API has recorded: "spent MODEL KIND", and "spent_by_agents MODEL KIND"."""


class Entry(TypedDict):
    """One session. project: its folder; state: where its files are; seen: what it had come to at the last look."""

    v: int
    session: str
    project: str
    state: str
    started: float
    """Epoch seconds of the first look and of the last one."""
    used: float
    seen: Figures
    days: dict[str, Figures]


def load(data: Mapping[str, Any]) -> Entry | None:
    """A stored entry; None where it is torn, damaged or of another version."""
    texts, times, days = ("session", "project", "state"), ("started", "used"), data.get("days")
    if data.get("v") != VERSION or not all(isinstance(data.get(key), str) for key in texts):
        return None
    if not all(isinstance(data.get(key), (int, float)) for key in times):
        return None
    if not isinstance(days, dict) or not all(map(_are_figures, (data.get("seen"), *days.values()))):
        return None
    if not all(map(_is_day, days)):
        return None
    return cast("Entry", dict(data))


def _is_day(text: str) -> bool:
    """Whether it is an ISO day that there is. `datetime` would know, and takes 1 ms to load, at each turn's end."""
    try:
        year, month, day = map(int, text.split("-"))
    except ValueError:
        return False
    is_leap = year % 4 == 0 and (year % 100 > 0 or year % 400 == 0)
    last = 28 + is_leap if month == 2 else 30 + (month + (month > 7)) % 2
    return 0 < year < 10_000 and 0 < month <= 12 and 0 < day <= last and text == f"{year:04}-{month:02}-{day:02}"


def _are_figures(value: object) -> bool:
    return isinstance(value, dict) and all(type(one) is int for one in value.values())


def grown(entry: Entry, now: Figures, day: str, when: float) -> Entry:
    """The entry after a look at `when` (epoch seconds) on `day` (ISO), at which the session had come to `now`."""
    more = total([entry["days"].get(day, {}), _since(entry["seen"], now)])
    days = {day: more} if more or not entry["days"] else {}  # a day on which nothing came is none
    return {**entry, "seen": now, "used": when, "days": {**entry["days"], **days}}


def _since(seen: Figures, now: Figures) -> Figures:
    """What was added. Files that were cleared away begin anew; the log of compactions forgets the oldest ones."""
    if now.get("warm_runs", 0) < seen.get("warm_runs", 0):
        return now
    forgot = now.get("compactions", 0) < seen.get("compactions", 0)
    stays = ("compactions", "facts_") if forgot else ()
    return {key: now.get(key, 0) - seen.get(key, 0) for key in {**seen, **now} if not key.startswith(stays)}


def spendings(head: str, spent: Any) -> Figures:
    """What was spent by model, as figures."""
    by_model = spent.items() if isinstance(spent, dict) else ()
    return {
        f"{head} {name} {kind}": count
        for name, counts in by_model
        for kind, count in (counts.items() if isinstance(counts, dict) else ())
        if type(count) is int and " " not in name
    }


def total(parts: Iterable[Figures]) -> Figures:
    """Their sums; what comes to nothing is left out."""
    sums: Figures = {}
    for part in parts:
        for key, value in part.items():
            sums[key] = sums.get(key, 0) + value
    return {key: value for key, value in sums.items() if value}
