"""Which lines of a log that has one JSON object a line tell of trouble?

Rule: those whose level says so (`shape.level`), whatever their words; without a level, or with a calm one, those that
have a word of trouble in what they say: a key with nothing behind it says nothing, as in `"error": null`. Hot-path
module: no regular expressions.
"""

from holdfast import TYPE_CHECKING
from holdfast.digest import shape
from holdfast.digest.shape import CALM

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Problem = tuple[int, str, int]


def settled(text: str, problems: "list[Problem]", speaks: "Callable[[str], bool]") -> "list[Problem]":
    """The lines of trouble, errors first; as they were found where the text has not an object on each line.

    problems: found by words; speaks: whether a text in small letters has one.
    """
    lines = text.split("\n")
    first = [shape.parsed(line) for line in lines[:20] if line.strip()]
    if len(first) < 3 or not all(isinstance(record, dict) for record in first):
        return problems
    found: "list[tuple[int, int, Problem]]" = []
    by_words = {number for number, _, _ in problems}
    if any(str(record.get(key)).isdecimal() for record in first for key in shape.LEVELS):  # no word tells
        problems = problems + [(at, line, 1) for at, line in enumerate(lines, 1) if at not in by_words]
    for problem in problems:
        record = shape.parsed(problem[1])
        rank = shape.level(record)
        if rank < CALM or (problem[0] in by_words and (record is None or speaks(_said(record).lower()))):
            found.append((rank, problem[0], problem))
    return [problem for _, _, problem in sorted(found)]


def _said(value: "Any") -> str:
    """Keys and values, but those of nothing."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_said(one)}" for key, one in value.items() if one)
    return "\n".join(map(_said, value)) if isinstance(value, list) else str(value)
