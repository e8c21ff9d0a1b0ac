"""Edits JSON as text: what is not edited stays as it was, byte for byte.

A settings file belongs to its user: key order, indentation, long numbers, escapes and line ends must survive.
So nothing is parsed and written again; members and elements are found by their span in the text, put in after
the last one in the style of their neighbours, and cut out with the comma that belongs to them.
"""

import json
from json.decoder import JSONDecoder
from typing import Any, NamedTuple

from holdfast.errors import BadInput

SPACE = " \t\n\r"
DEFAULT_UNIT = "  "


class JsonTextError(BadInput):
    """The text is not JSON: where and why."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"not valid JSON ({reason})", f"line {line}, column {column}")
        self.line, self.column = line, column


class Item(NamedTuple):
    """A member of an object or an element of an array: its span, and its value's start."""

    key: str
    start: int
    value: int
    end: int


class Container(NamedTuple):
    """An object or array in the text: index of its open and close bracket, and its items."""

    open: int
    close: int
    items: tuple[Item, ...]

    def last(self, key: str) -> Item | None:
        """The member that counts: of doubled keys the last wins, as in every JSON reader."""
        return next((item for item in reversed(self.items) if item.key == key), None)


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = JSONDecoder(parse_constant=_constant)


def parse(text: str) -> Any:
    """The value of a whole text; raises JsonTextError with line and column."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise JsonTextError(error.msg, error.lineno, error.colno) from None
    except RecursionError:
        raise JsonTextError("nested too deeply", 1, 1) from None
    except ValueError as error:
        raise JsonTextError(str(error), 1, 1) from None


def skip(text: str, at: int) -> int:
    """The next index that is not white space."""
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def container(text: str, at: int) -> Container:
    """The object or array that opens at an index of a valid JSON text."""
    keyed, close = text[at] == "{", "}" if text[at] == "{" else "]"
    items: list[Item] = []
    here = skip(text, at + 1)
    while text[here] != close:
        start, key = here, ""
        if keyed:
            key, here = _DECODER.raw_decode(text, here)
            here = skip(text, skip(text, here) + 1)
        value = here
        _, here = _DECODER.raw_decode(text, value)
        items.append(Item(key, start, value, here))
        here = skip(text, here)
        if text[here] == ",":
            here = skip(text, here + 1)
    return Container(at, here, tuple(items))


def newline(text: str) -> str:
    """The line end that the text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def unit(text: str) -> str:
    """One step of indentation, read off the first member; two spaces when the text has none."""
    top = skip(text, 0)
    first = skip(text, top + 1)
    gap = text[top + 1 : first]
    indent = gap.rpartition("\n")[2] if "\n" in gap else ""
    return indent or DEFAULT_UNIT


def indent_of(text: str, at: int) -> str:
    """The white space with which the line of an index starts."""
    line = text.rfind("\n", 0, at) + 1
    return text[line : skip(text[line:at], 0) + line]


def render(value: Any, text: str, base: str | None) -> str:
    """A value in the text's own style: on one line when `base` is None, else indented from `base`."""
    if base is None:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=unit(text)).split("\n")
    return (newline(text) + base).join(lines)


def append(text: str, at: int, value: Any, key: str | None = None) -> str:
    """Puts a value in as the last item of the container that opens at `at`."""
    box = container(text, at)
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if not box.items:
        return _fill(text, box, label, value)
    last = box.items[-1]
    before = box.items[-2].end if len(box.items) > 1 else box.open
    gap = text[before : last.start]
    base = gap.rpartition("\n")[2] if "\n" in gap else None
    lead = " " if base is None else newline(text) + base
    return text[: last.end] + "," + lead + label + render(value, text, base) + text[last.end :]


def _fill(text: str, box: Container, label: str, value: Any) -> str:
    """Puts the first item into an empty container."""
    outer = indent_of(text, box.open)
    whole = text.strip(SPACE)
    if "\n" not in whole and len(whole) > len("{ }"):
        inside = label + render(value, text, None)
        return text[: box.open + 1] + inside + text[box.close :]
    base, end = outer + unit(text), newline(text)
    inside = end + base + label + render(value, text, base) + end + outer
    return text[: box.open + 1] + inside + text[box.close :]


def remove(text: str, at: int, index: int) -> str:
    """Cuts item number `index` out of the container that opens at `at`, with its comma."""
    box = container(text, at)
    items = box.items
    if len(items) == 1:
        return text[: box.open + 1] + text[box.close :]
    if index == len(items) - 1:
        return text[: items[index - 1].end] + text[items[index].end :]
    return text[: items[index].start] + text[items[index + 1].start :]


def locate(text: str, *path: str) -> int | None:
    """Index at which the value of a path of keys starts; None when a key is missing or not in an object."""
    at = skip(text, 0)
    for key in path:
        if text[at] != "{":
            return None
        item = container(text, at).last(key)
        if item is None:
            return None
        at = item.value
    return at


def drop_member(text: str, key: str, *path: str) -> str:
    """Cuts the member `key` out of the object at `path`."""
    at = locate(text, *path)
    if at is None:
        return text
    for index, item in reversed(tuple(enumerate(container(text, at).items))):
        if item.key == key:
            return remove(text, at, index)
    return text
