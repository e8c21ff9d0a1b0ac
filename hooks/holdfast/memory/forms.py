"""The forms into which a record's values are put before they are checked, by schema.py and by record.py alike.

Each raises ValueError for what cannot have it.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from holdfast.text.dates import is_time
from holdfast.text.quoting import clean


def text(value: Any) -> str:
    """Without what could pose as something else."""
    if not isinstance(value, str):
        raise ValueError(value)  # noqa: TRY004 - the only fault of a value that pydantic knows
    return clean(value)


def line(value: Any) -> str:
    """A text on one line."""
    return " ".join(text(value).split())


@lru_cache(maxsize=1_000)  # most records bear one of a few tags
def tag(value: Any) -> str:
    """A word in small letters; blanks become hyphens."""
    return "-".join(line(value).lower().split())


def time(value: Any) -> str:
    """An ISO 8601 time with its zone, or ""."""
    if not isinstance(value, str) or (value and not is_time(value)):
        raise ValueError(value)
    return value


def items(value: Any) -> Any:
    """A list; what says nothing is an empty one."""
    return list(value or ()) if isinstance(value, tuple) or not value else value


FORMS: Mapping[str, Callable[[Any], Any]] = {"text": text, "line": line, "tag": tag, "time": time, "items": items}
"""By the names that the schema has for them."""
