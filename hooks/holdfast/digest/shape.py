"""What of JSON does the model need to see?

Rule: every key, each list with its size and its first values, texts cut, as much of them as there is room for; of a
list of objects also those whose level says trouble, and the keys that only others have. Hot-path module: no regular
expressions.
"""

from holdfast import TYPE_CHECKING
from holdfast.hot.jsonc import scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LEVELS = ("level", "severity", "levelname", "log_level", "loglevel", "log.level", "lvl", "PRIORITY", "severity_text")
"""Where pino, bunyan, winston, zap, zerolog, logrus, structlog, log4j, ECS, journald and OpenTelemetry put a level."""
ERRORS, WARNINGS = ("err", "fatal", "crit", "panic", "emerg", "alert", "severe", "dpanic"), ("warn",)
"""How its names begin, in small letters. Numbers: pino's and bunyan's, 50 an error; journald's and GELF's, 3 an error.
"""
ERROR, WARNING, CALM = range(3)
MANY = 20
"""Values of a list that nobody wrote by hand."""
STEPS = ((50, 400), (20, 300), (10, 200), (5, 200), (3, 150), (2, 150), (1, 300), (1, 80))
"""Values of a list, characters of a text: from generous to least."""


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


def digest(value: "Any", room: int, safe: "Callable[[str], str]") -> "list[str]":
    """The value in so many characters, or at its least. safe: takes the secrets out of a text, before it is cut."""
    shown = ""
    for most, cut in STEPS:
        shown = rendered(value, most, cut, safe)
        if len(shown) <= room:
            break
    size = f"{len(value):,} {'keys' if isinstance(value, dict) else 'values'}"
    return [f"--- JSON, {size}; lists and texts are cut where a number in brackets says so ---", *shown.split("\n")]


def wrapped(value: "Any", size: int) -> str:
    """The text that makes up more than half of a JSON of this size, as a server's tool wraps one; "" for none."""
    text = _longest(value)
    return text if len(text) * 2 > size else ""


def _longest(value: "Any") -> str:
    if isinstance(value, (dict, list)):
        return max(map(_longest, value.values() if isinstance(value, dict) else value), key=len, default="")
    return value if isinstance(value, str) else ""


def rendered(value: "Any", most: int, cut: int, safe: "Callable[[str], str]", depth: int = 0) -> str:
    """`{id: 7, rows: [12] [{name: "x"}]}`, in lines where it is long. most: values of a list; cut: of a text."""
    if isinstance(value, (dict, list)) and depth >= 8:
        return f"[{len(value)} {'keys' if isinstance(value, dict) else 'values'}]"
    if isinstance(value, dict):
        return _block("{}", [f"{key}: {rendered(one, most, cut, safe, depth + 1)}" for key, one in value.items()])
    if isinstance(value, list):
        shown = value[:most] + sorted((one for one in value[most:] if level(one) < CALM), key=level)[:most]
        rows = [rendered(one, most, cut, safe, depth + 1) for one in shown]
        return f"[{len(value)}] " * (len(value) > most) + _block("[]", [*rows, *_more(value, shown)])
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
    said = next((str(record[key]).lower() for key in LEVELS if key in record), "")
    if said.isdecimal():
        bad, doubtful = (range(4), 4) if "PRIORITY" in record or "short_message" in record else (range(50, 100), 40)
        return ERROR if int(said[:4]) in bad else WARNING if int(said[:4]) == doubtful else CALM
    return ERROR if said.startswith(ERRORS) else WARNING if said.startswith(WARNINGS) else CALM


def _more(values: "list[Any]", shown: "list[Any]") -> "list[str]":
    """How many values are not shown, and the keys that none of those shown has."""
    known = {key for one in shown if isinstance(one, dict) for key in one}
    new = dict.fromkeys(key for one in values if isinstance(one, dict) for key in one if key not in known)
    keys = f", with the keys {', '.join(new)}" if new else ""
    return [f"[{len(values) - len(shown)} more{keys}]"] if len(values) > len(shown) else []


def _block(ends: str, rows: "list[str]") -> str:
    line = f"{ends[0]}{', '.join(rows)}{ends[1]}"
    if len(line) <= 120 or not rows:
        return line
    return "\n".join([ends[0], *(f" {part}" for row in rows for part in row.split("\n")), ends[1]])
