"""Which files are loaded beforehand, which when they are needed, which only when somebody asks?

Rule: a score of 0 to 100: points for relevance (at most 50), recency (30) and dependency (20), which is what the
source's half, three tenths and two tenths come to when each is brought to 100 first; weighed as they stand no file
could pass 38 (R2), and 70 asks for preloading. 70 and more is loaded beforehand, 40 to 69 just in time, less on demand;
above 10,000 tokens, or with the window more than 80 % full, nothing is loaded beforehand, and loading stops at 70 % of
the room for active work. Source: requirement N (file loading score).
"""

from collections.abc import Iterable
from math import inf
from typing import NamedTuple


class File(NamedTuple):
    """What is known of a file."""

    path: str
    tokens: int
    mentioned: bool = False  # in the task's description
    just_changed: bool = False  # in the last five operations
    open_issue: bool = False
    core: bool = False  # configuration, schema
    helper: bool = False
    age: float | None = None  # seconds since its last change; None when it is not known
    relation: str = ""  # to the file at work: direct (that uses it), importer (it uses that one), second (one between)


class LoadingDecision(NamedTuple):
    """What is done about one file."""

    path: str
    score: int
    mode: str  # preload, just_in_time or on_demand
    reason: str
    tokens: int


def score(file: File) -> int:
    """0..100; the signs of relevance add up to more than their 50 points and are capped."""
    signs = {"mentioned": 25, "just_changed": 15, "open_issue": 10, "core": 20, "helper": 5}
    relevance = min(50, sum(points for sign, points in signs.items() if getattr(file, sign)))
    hours = inf if file.age is None else file.age / 3_600
    recency = next((points for most, points in ((1, 30), (4, 20), (24, 10), (7 * 24, 5)) if hours <= most), 0)
    return relevance + recency + {"direct": 20, "importer": 15, "second": 10}.get(file.relation, 0)


def plan(files: Iterable[File], active: int, used: float = 0) -> list[LoadingDecision]:
    """What is done about each, the highest score first.

    active: tokens of the room for active work; used: share of the whole window that is in use, 0..1.
    """
    room, found = active * 70 // 100, []
    for value, file in sorted(((score(file), file) for file in files), key=lambda one: (-one[0], one[1].path)):
        mode, reason = _mode(value, file, used, room)
        room -= file.tokens if mode == "preload" else 0
        found.append(LoadingDecision(file.path, value, mode, reason, file.tokens))
    return found


def _mode(value: int, file: File, used: float, room: int) -> tuple[str, str]:
    if value < 40:
        return "on_demand", "scores less than 40"
    rules = (
        (value < 70, "scores less than 70"),
        (file.tokens > 10_000, "larger than 10,000 tokens"),
        (used * 100 > 80, "the window is more than 80 % full"),
        (file.tokens > room, "70 % of the room for active work is taken"),
    )
    reason = next((reason for holds, reason in rules if holds), "")
    return ("just_in_time", reason) if reason else ("preload", "scores 70 or more")
