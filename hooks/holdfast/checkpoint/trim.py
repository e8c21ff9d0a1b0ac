"""What of the state of the work must a checkpoint hold, so that the work can go on from it alone?

Rule: the same keys as the state, so that `worklog.load` takes it back and one road restores from either. The
goal and everything still open stay; of the rest the newest, and within about LIMIT bytes. What is cut first is
what can be found again: files read, older prompts, finished items. The pools that only a packet draws on are
left empty. Paths are never shortened: half a path is a wrong one. Source: W1 (2-5 KB typical).
"""

from typing import Any, NamedTuple

from holdfast.hot.jsonc import dumps
from holdfast.worklog import fold

LIMIT = 2_400  # bytes of JSON without the goal; a checkpoint's head and environment come to about 1,000 more
TEXT = 360  # characters of a plain text, e.g. what was said last
LATEST = 400  # of the newest prompt
PLAN = 240  # of a plan's text; its file has the rest
TRIED = 2  # attempts that are kept of an open error


class Bound(NamedTuple):
    """How much of a list is kept."""

    most: int
    least: int
    """Kept even when space is short."""
    chars: int
    """Of each text in it; 0 leaves texts as they are."""


BOUNDS = {
    "read": Bound(10, 2, 0),
    "fixed": Bound(3, 0, 100),
    "instructions": Bound(8, 3, 0),
    "prompts": Bound(5, 2, 200),
    "boundaries": Bound(2, 1, 0),
    "changed": Bound(24, 5, 0),
    "notes": Bound(16, 5, 150),
    "left_over": Bound(8, 4, 110),
    "errors": Bound(5, 2, 170),
    "commits": Bound(3, 2, 90),
    "tests": Bound(2, 2, 90),
}
"""What may be cut when space is short comes first."""
FINISHED = Bound(10, 3, 0)
"""Of the plan's items, those that are done or called off."""
ITEM = 140
CLOSED = ("completed", "cancelled", "deleted")
WHOLE = ("goal",)
FIRST = ("constraint", "correction", "cancelled", "failed", "decision", "bug", "approval", "todo", "learning")
"""Kinds of notes, those that are dearest first: what the user said once and nobody can find again."""


def slim(work: dict[str, Any]) -> dict[str, Any]:
    """The state as a checkpoint keeps it; `worklog.load` gives it back unchanged."""
    most = {**{key: bound.most for key, bound in BOUNDS.items()}, "plan": FINISHED.most}
    cut = _cut(work, most)
    for key in ("plan", *BOUNDS):
        least = FINISHED.least if key == "plan" else BOUNDS[key].least
        while _size(cut) > LIMIT and most[key] > least:
            most[key] = max(least, most[key] * 2 // 3)
            cut = _cut(work, most)
    return cut


def _size(cut: dict[str, Any]) -> int:
    return len(dumps(cut)) - len(cut["goal"])


def _cut(work: dict[str, Any], most: dict[str, int]) -> dict[str, Any]:
    kept = dict(fold.empty())
    for key, blank in kept.items():
        value = work.get(key, blank)
        if key in BOUNDS and isinstance(value, list):
            kept[key] = [_clipped(entry, BOUNDS[key].chars) for entry in _chosen(key, value, most[key])]
        elif isinstance(value, str):
            kept[key] = value if key in WHOLE else _short(value, TEXT)
        elif isinstance(value, (bool, int, float)):
            kept[key] = value
    kept["todos"] = [item for _, item in _items(list(enumerate(work["todos"])), most["plan"])]
    kept["tasks"] = dict(_items(list(work["tasks"].items()), most["plan"]))
    if isinstance(kept.get("planned"), dict):
        kept["planned"] = _clipped(work["planned"], PLAN)
    if kept["prompts"]:
        kept["prompts"][-1] = _clipped(work["prompts"][-1], LATEST)
    return kept


def _chosen(key: str, entries: list[Any], count: int) -> list[Any]:
    """The newest, notes the dearest first; in their old order. Nothing for a count of 0."""
    places = range(len(entries))
    if key == "notes":
        places = sorted(places, key=lambda at: (_dearness(entries[at]), -at))[:count]  # type: ignore[assignment]  # both are int sequences
        return [entries[at] for at in sorted(places)]
    return [entries[at] for at in places[max(0, len(entries) - count) :]]


def _dearness(note: dict[str, Any]) -> int:
    kind = note.get("kind")
    return FIRST.index(kind) if kind in FIRST else len(FIRST)


def _items(items: list[tuple[Any, dict[str, Any]]], finished: int) -> list[tuple[Any, dict[str, Any]]]:
    """All that is open and the newest that is finished, in order."""
    closed = [place for place, (_, item) in enumerate(items) if item.get("status") in CLOSED]
    left_out = set(closed[: max(0, len(closed) - finished)])
    return [(key, _clipped(item, ITEM)) for place, (key, item) in enumerate(items) if place not in left_out]


def _clipped(entry: Any, chars: int) -> Any:
    """A text, or a mapping of texts, each at most `chars` long; 0 is any length."""
    if isinstance(entry, str):
        return _short(entry, chars)
    if isinstance(entry, dict):
        return {key: _clipped(value, chars) for key, value in entry.items()}
    if isinstance(entry, list):
        return [_clipped(value, chars) for value in entry[-TRIED:]]
    return entry


def _short(text: str, chars: int) -> str:
    return text if not chars or len(text) <= chars else text[: chars - 1].rstrip() + "…"
