"""What of JSON, or of a log that has one JSON object a line, does the model need to see?

Rule: every key, each list with its size and its first values, texts cut, as much of them as there is room for; of a
list of objects also those whose level says trouble, and the keys that only others have. An object of many objects that
have fewer keys between them than there are of them is a list by another name. Of a log the lines of trouble are those
whose level says so, whatever their words; without a level, or with a calm one, those that have a word of trouble in
what they say: a key with nothing behind it says nothing, as in `"error": null`. Hot-path module: no regular
expressions.
"""

from holdfast import TYPE_CHECKING
from holdfast.hot.jsonc import scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Problem = tuple[int, str, str]

LEVELS = dict.fromkeys(
    ("level", "severity", "levelname", "log_level", "loglevel", "log.level", "lvl", "PRIORITY", "severity_text")
)
"""Where pino, bunyan, winston, zap, zerolog, logrus, structlog, log4j, ECS, journald and OpenTelemetry put a level."""
ERRORS, WARNINGS = ("err", "fatal", "crit", "panic", "emerg", "alert", "severe", "dpanic"), ("warn",)
"""How its names begin, in small letters. Numbers: pino's and bunyan's, 50 an error; journald's and GELF's, 3 an error.
"""
ERROR, WARNING, CALM = range(3)
MANY = 20
"""Values of a list that nobody wrote by hand."""
LEAST = (1, 80)
STEPS: "tuple[tuple[int, ...], ...]" = ((50, 400), (20, 300), (10, 200), (5, 200), (3, 150), (2, 150), (1, 300), LEAST)
"""Values of a list, characters of a text: from generous to least."""
DEEP = 8
"""Levels that are opened, where there is room for them."""


def settled(text: str, problems: "list[Problem]", speaks: "Callable[[str], bool]") -> "list[Problem]":
    """The lines of trouble, errors first; as they were found where the text has not an object on each line.

    problems: found by words; speaks: whether a text in small letters has one.
    """
    lines = text.split("\n")
    first = [parsed(line) for line in lines[:20] if line.strip()]
    if len(first) < 3 or not all(isinstance(record, dict) for record in first):
        return problems
    by_words = {number for number, _, _ in problems}
    if any(str(record.get(key)).isdecimal() for record in first for key in LEVELS):  # no word tells
        problems = problems + [(at, line, "") for at, line in enumerate(lines, 1) if at not in by_words]
    found: "list[tuple[int, int, Problem]]" = []
    for problem in problems:
        record = parsed(problem[1])
        rank = level(record)
        if rank < CALM or (problem[0] in by_words and (record is None or speaks(_said(record).lower()))):
            found.append((rank, problem[0], problem))
    return [problem for _, _, problem in sorted(found)]


def _said(value: "Any") -> str:
    """Keys and values, but those of nothing."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_said(one)}" for key, one in value.items() if one)
    return "\n".join(map(_said, value)) if isinstance(value, list) else str(value)


def parsed(text: str) -> "Any":
    """The object or list that the text is; None for any other text."""
    start = text[:100].lstrip(" \t\r\n\ufeff")[:1]
    if start not in ("{", "["):
        return None
    try:
        value, end = scan(text, text.index(start))
    except (StopIteration, ValueError, RecursionError):
        return None
    return None if text[end:].strip() else value


def is_data(value: "Any") -> bool:
    """Whether more of its values are records of long lists than stand around them; a notebook is source."""
    records, around, inside = 0, 0, [value]
    while inside:
        one = inside.pop()
        if isinstance(one, list) and len(one) >= MANY:
            records += len(one)
        elif isinstance(one, (dict, list)):
            around += len(one)
            inside += one.values() if isinstance(one, dict) else one
    return records > around and not (isinstance(value, dict) and "nbformat" in value)


def digest(value: "Any", room: int, safe: "Callable[[str], str]", is_cut: bool = False) -> "list[str]":
    """The value in so many characters, or at its least.

    safe: takes the secrets out of a text, before it is cut; is_cut: whether the value goes on where the text ends.
    """
    shown, steps = rendered(value, *LEAST, safe), STEPS
    if len(shown) > room:  # it is wide or deep, not long
        steps = ((*LEAST, 4), (*LEAST, 2), (*LEAST, 1))
    for most, cut, *deep in steps:
        shown = rendered(value, most, cut, safe, *deep)
        if len(shown) <= room:
            break
    size = f"{len(value):,} {'keys' if isinstance(value, dict) else 'values'}"
    size += " before it breaks off, sizes are of what is there" * is_cut
    return [f"--- JSON, {size}; lists and texts are cut where a number in brackets says so ---", *shown.split("\n")]


def wrapped(value: "Any", size: int) -> str:
    """The text that makes up more than half of a JSON of this size, as a server's tool wraps one; "" for none."""
    text = _longest(value)
    return text if len(text) * 2 > size else ""


def _longest(value: "Any") -> str:
    level, longest = [value], ""
    while level:  # a call for each value would take four times as long
        longest = max([longest, *(one for one in level if isinstance(one, str))], key=len)
        some = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list)))
        level = [one for inner in some for one in inner]
    return longest


def _is_map(value: "Any") -> bool:
    """Whether an object is a list by another name, of which the keys are ids."""
    if not isinstance(value, dict) or len(value) < MANY:
        return False
    return all(isinstance(one, dict) for one in value.values()) and len(_keys(value.values())) < len(value)


def _keys(values: "Iterable[Any]") -> "dict[Any, None]":
    return dict.fromkeys(key for one in values if isinstance(one, dict) for key in one)


def rendered(value: "Any", most: int, cut: int, safe: "Callable[[str], str]", deep: int = DEEP) -> str:
    """`{id: 7, rows: [12] [{name: "x"}]}`, in lines where it is long. most: values of a list; cut: of a text."""
    if isinstance(value, (dict, list)) and deep <= 0:
        return f"[{len(value)} {'keys' if isinstance(value, dict) else 'values'}]"
    if isinstance(value, (dict, list)):
        ends = "{}" if isinstance(value, dict) else "[]"
        values = list(value.items()) if isinstance(value, dict) else [(None, one) for one in value]
        if isinstance(value, list) or _is_map(value):
            others = sorted((pair for pair in values[most:] if level(pair[1]) < CALM), key=lambda pair: level(pair[1]))
            values = values[:most] + others[:most]
        rows = [(f"{key}: " if ends == "{}" else "") + rendered(one, most, cut, safe, deep - 1) for key, one in values]
        left = _more(value, [one for _, one in values]) if len(values) < len(value) else []
        return f"[{len(value)}] " * bool(left) + _block(ends, [*rows, *left])
    if isinstance(value, str):
        text = safe(value[:4_000])
        return f'"{text}"' if len(value) <= cut else f'"{text[:cut]}…"[{len(value):,} characters]'
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def level(record: "Any") -> int:
    """ERROR, WARNING or CALM, by what a record of a log says of itself; CALM for all else."""
    if not isinstance(record, dict):
        return CALM
    if isinstance(record.get("log"), dict):
        record = {**record["log"], **record}
    if LEVELS.keys().isdisjoint(record.keys()):  # asked of each of very many
        return CALM
    said = next(str(record[key]).lower() for key in LEVELS if key in record)
    if said.isdecimal():
        bad, doubtful = (range(4), 4) if "PRIORITY" in record or "short_message" in record else (range(50, 100), 40)
        return ERROR if int(said[:4]) in bad else WARNING if int(said[:4]) == doubtful else CALM
    return ERROR if said.startswith(ERRORS) else WARNING if said.startswith(WARNINGS) else CALM


def _more(value: "Any", shown: "list[Any]") -> "list[str]":
    """How many values are not shown, and the keys that none of those shown has."""
    known = _keys(shown)
    new = [key for key in _keys(value.values() if isinstance(value, dict) else value) if key not in known]
    keys = f", with the keys {', '.join(new)}" if new else ""
    return [f"[{len(value) - len(shown)} more{keys}]"]


def _block(ends: str, rows: "list[str]") -> str:
    line = f"{ends[0]}{', '.join(rows)}{ends[1]}"
    if len(line) <= 120 or not rows:
        return line
    return "\n".join([ends[0], *(f" {part}" for row in rows for part in row.split("\n")), ends[1]])
