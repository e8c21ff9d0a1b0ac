"""Which kinds of package there are, how large each may be, and what of the material it takes.

Rule: the upper bound is a hard limit, the lower one what it may use where there is material: nothing is padded. It is
smaller than what it was made from by at least `reduction` per cent; only what is asked, ruled, decided and open and the
state go over that, up to the upper bound. The parts come in the order in which the next agent needs them. Each first
gets its share of the room, so that none starves another; what is left goes to the parts in their order. An entry is
told whole or not at all, and what is not is said. Source: requirement O (budgets, reduction).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

Count = Callable[[str], int]


class PackageKind(NamedTuple):
    """low, high: tokens; reduction: per cent, at least; when: what it is for."""

    low: int
    high: int
    reduction: int
    when: str


KINDS = {
    "complete": PackageKind(15_000, 25_000, 20, "a task or phase is done; for whoever goes on from it"),
    "specialist": PackageKind(5_000, 10_000, 20, "one question for an expert; give it with --task"),
    "continuation": PackageKind(30_000, 40_000, 40, "the window is full; for a fresh agent that goes on"),
    "emergency": PackageKind(10_000, 15_000, 20, "an agent failed or was cut off; for whoever recovers its work"),
}


class PackagePart(NamedTuple):
    """Something to tell; entries: texts, the most important first."""

    title: str
    entries: Sequence[str]
    share: int = 100
    """Per cent of the room that it may take before all others have had theirs."""
    backwards: bool = False
    """The entries are the newest first: they are told in their own order, without a gap."""
    about: str = ""
    """A line below the title, of ours."""
    is_kept: bool = False
    """Asked, ruled, decided, open: told while the kind's upper bound has room, whatever the reduction asks."""


class FilledPart(NamedTuple):
    """What of a part is told, in the order in which it is read; left: entries that had no room."""

    part: PackagePart
    entries: list[str]
    left: int


def most(kind: PackageKind, material: int, ceiling: int = 0) -> int:
    """Tokens that the package may have. material: of what it is made from; ceiling: of whoever reads it, 0 for none."""
    bounds = (kind.high, material * (100 - kind.reduction) // 100, ceiling or kind.high)
    return max(0, min(bounds))


def reduction(tokens: int, material: int) -> int:
    """By how many per cent a package of so many tokens is smaller than its material, rounded down; 0 for a larger."""
    return max(0, 100 - -(-tokens * 100 // material)) if material else 0


def fill(parts: Sequence[PackagePart], room: int, count: Count, spare: int = 0) -> list[FilledPart]:
    """The entries that fit into `room` tokens.

    spare: tokens beyond it for what is left of the parts that are kept.
    """
    costs = [[count(entry) + 1 for entry in part.entries] for part in parts]
    heads = [count(f"## {part.title}\n{part.about}") + 8 for part in parts]  # with the line on what is left out
    taken: list[set[int]] = [set() for _ in parts]
    left = room
    for stage in ("share", "rest", "kept"):
        left += spare if stage == "kept" else 0
        for number, part in enumerate(parts):
            spent = _spent(taken[number], costs[number], heads[number])
            bound = min(left, room * part.share // 100 - spent) if stage == "share" else left
            if stage == "kept" and not part.is_kept:
                continue
            new = _fitting(part, costs[number], taken[number], bound - (0 if taken[number] else heads[number]))
            taken[number] |= new
            left -= _spent(taken[number], costs[number], heads[number]) - spent
    return [_chosen(part, sorted(own)) for part, own in zip(parts, taken, strict=True)]


def _spent(taken: set[int], costs: list[int], head: int) -> int:
    return sum(costs[at] for at in taken) + head if taken else 0


def _fitting(part: PackagePart, costs: list[int], taken: set[int], room: int) -> set[int]:
    """Which further entries fit."""
    found: set[int] = set()
    for at in (at for at in range(len(costs)) if at not in taken):
        if costs[at] <= room:
            found.add(at)
            room -= costs[at]
        elif part.backwards:
            break
    return found


def _chosen(part: PackagePart, places: list[int]) -> FilledPart:
    entries = [part.entries[at] for at in places]
    return FilledPart(part, entries[::-1] if part.backwards else entries, len(part.entries) - len(entries))
