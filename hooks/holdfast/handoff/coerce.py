"""A handoff's fields as the types they should have had; each liberty taken is added to `problems`."""

from typing import Any


def text(name: str, value: Any, problems: list[str]) -> str:
    """A field that holds one text."""
    if value is None or isinstance(value, str):
        return (value or "").strip()
    problems.append(f"{name} is {_kind(value)}, not text")
    return plain(value)


def names(name: str, value: Any, problems: list[str]) -> tuple[str, ...]:
    """A field that holds a list of texts."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        problems.append(f"{name} is text, not a list")
        return tuple(lines(value))
    if not isinstance(value, list):
        problems.append(f"{name} is {_kind(value)}, not a list")
        return (plain(value),)
    return tuple(plain(item) for item in value if item not in (None, ""))


def whole_number(value: Any, problems: list[str]) -> int:
    """The field `tokens_used`; 0 when it says nothing."""
    if value is None or value == "":
        return 0
    digits = str(value).replace(",", "").replace("_", "").strip()
    if isinstance(value, (int, float, str)) and not isinstance(value, bool) and digits.isascii() and digits.isdigit():
        return int(digits[:18])
    problems.append(f"tokens_used is {str(value)[:40]!r}, not a whole number")
    return 0


def _kind(value: Any) -> str:
    kinds = {bool: "a truth value", int: "a number", float: "a number", dict: "an object", list: "a list"}
    return kinds.get(type(value), type(value).__name__)


def plain(value: Any) -> str:
    """Any JSON value as text that a person reads."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        path = value.get("path") or value.get("file") or value.get("file_path")
        if isinstance(path, str) and len(value) <= 3:
            others = [str(v) for v in value.values() if v != path]
            return f"{path} ({'; '.join(others)})" if others else path
        return "; ".join(f"{key}: {plain(inner)}" for key, inner in value.items())
    return ", ".join(map(plain, value)) if isinstance(value, list) else str(value)


def lines(body: str) -> list[str]:
    """A list written as lines, with or without bullets."""
    return [line.strip().lstrip("-*• ").strip() for line in body.replace(",\n", "\n").split("\n") if line.strip(" -*•")]
