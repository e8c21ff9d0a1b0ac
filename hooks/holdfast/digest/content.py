"""A large result, and what several ask of it, each found once: to parse a megabyte of JSON costs several starts of an
interpreter.

Rule: cheap guesses from its beginning say what besides a log it may be; only those are looked for in all of it.
Hot-path module: lean imports only and no regular expressions.
"""

from holdfast import TYPE_CHECKING
from holdfast.digest import found, hits

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from holdfast.digest.diff import Diff
    from holdfast.digest.found import Found
    from holdfast.digest.hits import Hits

    Value = TypeVar("Value")


class Content:
    """A text and its kinds."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._known: "dict[Any, Any]" = {}

    def _once(self, find: "Callable[[Content], Value]") -> "Value":
        if find not in self._known:
            self._known[find] = find(self)
        value: "Value" = self._known[find]
        return value

    @property
    def lines(self) -> "list[str]":
        return self._once(_lines)

    @property
    def may_be(self) -> "list[str]":
        """Cheap guess, from its beginning, what besides a log it may be."""
        return self._once(_may_be)

    @property
    def json(self) -> "Found":
        return self._once(_json)

    @property
    def inner(self) -> "Content":
        """The text that a server's tool has wrapped into JSON; any other as it is."""
        return self._once(_inner)

    @property
    def diff(self) -> "Diff | None":
        return self._once(_diff)

    @property
    def hits(self) -> "Hits | None":
        return self._once(_hits)


def _lines(content: Content) -> "list[str]":
    return content.text.split("\n")


def _may_be(content: Content) -> "list[str]":
    text = content.text
    kinds = {"JSON": found.begins(text), "diff": text.find("@@ -", 0, 50_000) >= 0, "hits": hits.begins(text)}
    return [kind for kind, may in kinds.items() if may]


def _json(content: Content) -> "Found":
    return found.find(content.text)


def _inner(content: Content) -> Content:
    if "JSON" not in content.may_be:
        return content
    from holdfast.digest import shape

    text = shape.wrapped(content.json[0], len(content.text))
    return Content(text) if text else content


def _diff(content: Content) -> "Diff | None":
    if "diff" not in content.may_be:
        return None
    from holdfast.digest import diff

    return diff.of(content.lines)


def _hits(content: Content) -> "Hits | None":
    return hits.of(content.lines) if "hits" in content.may_be else None
