"""Which files are loaded beforehand, which when they are needed, which only when somebody asks?

Rule: a score of 0 to 100: half relevance, three tenths recency, two tenths dependency. The source's points for each
are brought to 0-100 before they are weighed; weighed as they stand no file could pass 38 (R2), and 70 asks for
preloading. 70 and more is loaded beforehand, 40 to 69 just in time, less on demand; above 10,000 tokens, or with the
window more than 80 % full, nothing is loaded beforehand, and loading stops at 70 % of the room for active work.
Source: requirement N (file loading score).
"""

from collections.abc import Iterable
from typing import NamedTuple

PRELOAD, JUST_IN_TIME, ON_DEMAND = "preload", "just_in_time", "on_demand"
BEFOREHAND, IN_TIME = 70, 40
LARGE, FULL, SHARE = 10_000, 0.80, 0.70

WEIGHTS = {"relevance": 0.5, "recency": 0.3, "dependency": 0.2}
MOST = {"relevance": 50, "recency": 30, "dependency": 20}
"""Points that count as 100; the signs of relevance add up to more and are capped."""
HOUR = 3_600
RECENT = ((HOUR, 30), (4 * HOUR, 20), (24 * HOUR, 10), (7 * 24 * HOUR, 5))
"""(changed at most so many seconds ago, points)."""
RELATED = {"direct": 20, "importer": 15, "second": 10}
"""How it hangs together with the file at work: that uses it, it uses that one, over one between."""


class File(NamedTuple):
    """What is known of a file. `age`: seconds since its last change, None when it is not known."""

    path: str
    tokens: int
    mentioned: bool = False  # in the task's description
    just_changed: bool = False  # in the last five operations
    open_issue: bool = False
    core: bool = False  # configuration, schema
    helper: bool = False
    age: float | None = None
    relation: str = ""  # a key of RELATED, "" for none


_SIGNS = (("mentioned", 25), ("just_changed", 15), ("open_issue", 10), ("core", 20), ("helper", 5))


class Placed(NamedTuple):
    """What is done about one file."""

    path: str
    score: float
    mode: str
    reason: str
    tokens: int


def score(file: File) -> float:
    """0..100."""
    points = {
        "relevance": sum(worth for sign, worth in _SIGNS if getattr(file, sign)),
        "recency": 0 if file.age is None else next((worth for most, worth in RECENT if file.age <= most), 0),
        "dependency": RELATED.get(file.relation, 0),
    }
    return sum(WEIGHTS[name] * min(100.0, 100 * points[name] / MOST[name]) for name in WEIGHTS)


def plan(files: Iterable[File], active: int, used: float = 0.0) -> list[Placed]:
    """What is done about each, the highest score first.

    active: tokens of the room for active work; used: share of the whole window that is in use, 0..1.
    """
    room, found = int(active * SHARE), []
    for value, file in sorted(((score(file), file) for file in files), key=lambda one: (-one[0], one[1].path)):
        mode, reason = _mode(value, file, used, room)
        room -= file.tokens if mode == PRELOAD else 0
        found.append(Placed(file.path, round(value, 1), mode, reason, file.tokens))
    return found


def _mode(value: float, file: File, used: float, room: int) -> tuple[str, str]:
    if value < IN_TIME:
        return ON_DEMAND, f"scores less than {IN_TIME}"
    rules = (
        (value < BEFOREHAND, f"scores less than {BEFOREHAND}"),
        (file.tokens > LARGE, f"larger than {LARGE:,} tokens"),
        (used > FULL, f"the window is more than {FULL:.0%} full"),
        (file.tokens > room, f"{SHARE:.0%} of the room for active work is taken"),
    )
    reason = next((reason for holds, reason in rules if holds), "")
    return (JUST_IN_TIME, reason) if reason else (PRELOAD, f"scores {BEFOREHAND} or more")
