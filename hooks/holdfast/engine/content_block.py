"""One content block of the Messages API: what it says, what it weighs beside its text, and which rule it breaks.

Sizes are tokens. The rules are those that the API itself checks and that can be told from the block alone; sorts of
blocks that are not known pass, and are read as their JSON.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from math import ceil
from typing import Any, NamedTuple

from holdfast.text.tokens import IMAGE_TOKENS

Part = Mapping[str, Any]

LONG_INPUT = 200
"""Characters from which on a call's text input is content and not an argument."""
PAGE_TOKENS, PAGE_BYTES, PAGES = 2_000 + IMAGE_TOKENS, 100_000, 600
"""A page of a PDF is sent as its text and as an image. How many there are is told by the file's size, at most as many
as the API takes; the bytes of a page are ours, between those of printed text and of a scan."""


class Read(NamedTuple):
    """What a block says, and what it weighs beside that."""

    text: str = ""
    beside: int = 0
    """Tokens of images and pages."""


def read(part: Part) -> Read:
    """Text and further weight of a block; of one that is not known its JSON."""
    reader = _READERS.get(str(part.get("type")))
    return reader(part) if reader else Read(told(part))


def told(part: Part) -> str:
    """The block as JSON."""
    return json.dumps(part, ensure_ascii=False, default=str)


def stored(part: Part) -> str:
    """What is archived of a block whose text is not all of it; "" where the text is."""
    return "" if _is_text(part) else told(part)


def _is_text(part: Part) -> bool:
    sort, inner = part.get("type"), part.get("content")
    if sort == "tool_result":
        return not isinstance(inner, list) or all(_is_text(one) for one in inner if isinstance(one, Mapping))
    return not part.get("citations") if sort == "text" else sort not in _MEDIA


def _joined(value: Any) -> Read:
    """A content: a text, or blocks."""
    if isinstance(value, str):
        return Read(value)
    found = [read(one) for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
    return Read("\n".join(one.text for one in found if one.text), sum(one.beside for one in found))


def _document(part: Part) -> Read:
    """Title and text; a PDF by its size, one page where the size is not known."""
    head = _strings(part.get("title"), part.get("context"))
    source = part.get("source")
    known: Part = source if isinstance(source, Mapping) else {}
    data = known.get("data")
    if known.get("type") == "text":
        return Read("\n".join([*head, *_strings(data)]))
    if known.get("type") == "content":
        inner = _joined(known.get("content"))
        return Read("\n".join([*head, *_strings(inner.text)]), inner.beside)
    pages = ceil(len(data) * 3 / 4 / PAGE_BYTES) if isinstance(data, str) else 1
    return Read("\n".join(head), min(PAGES, max(1, pages)) * PAGE_TOKENS)


def _search_result(part: Part) -> Read:
    inner = _joined(part.get("content"))
    return Read("\n".join(_strings(part.get("title"), part.get("source"), inner.text)), inner.beside)


def _strings(*values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str) and value]


_MEDIA: Mapping[str, Callable[[Part], Read]] = {
    "image": lambda part: Read("", IMAGE_TOKENS),
    "document": _document,
    "search_result": _search_result,
}
_READERS: Mapping[str, Callable[[Part], Read]] = {
    "text": lambda part: Read("\n".join(_strings(part.get("text")))),
    "tool_result": lambda part: _joined(part.get("content")),
    "thinking": lambda part: Read("\n".join(_strings(part.get("thinking")))),
    "redacted_thinking": lambda part: Read("\n".join(_strings(part.get("data")))),
    **_MEDIA,
}
SPOKEN = frozenset({"text", *_MEDIA})
"""Sorts of blocks in which user and assistant speak; one may stand in another's place."""

Rule = tuple[Callable[[Part, str], bool], str]
_RULES: Mapping[str, tuple[Rule, ...]] = {
    "text": ((lambda part, _: not _strings(part.get("text")), "an empty text"),),
    "tool_use": (
        (lambda part, role: role != "assistant", "a call that is not the assistant's"),
        (lambda part, _: not _strings(part.get("id")), "a call without an id"),
        (lambda part, _: not _strings(part.get("name")), "a call without the tool's name"),
        (lambda part, _: not isinstance(part.get("input"), Mapping), "a call whose input is no object"),
    ),
    "tool_result": (
        (lambda part, role: role != "user", "a result that is not the user's"),
        (lambda part, _: not _strings(part.get("tool_use_id")), "a result without its call's id"),
        (lambda part, _: not _is_content(part.get("content")), "a result that is neither text nor blocks"),
    ),
}
"""Sort -> (what breaks the rule, how it is told)."""


def _is_content(value: Any) -> bool:
    blocks = isinstance(value, list) and all(isinstance(one, Mapping) and one.get("type") for one in value)
    return blocks or value is None or isinstance(value, str)


def fault(part: Part, role: str) -> str:
    """What the API would refuse of this block in a message of `role`; "" for nothing."""
    if not _strings(part.get("type")):
        return "no content block with a type"
    return next((what for breaks, what in _RULES.get(part["type"], ()) if breaks(part, role)), "")


def replaced(part: Part, text: str | None) -> Part | None:
    """The block with another text: of a result its content, of a call its long inputs; None where nothing is left."""
    sort = part.get("type")
    if sort == "tool_use":
        return {**part, "input": shortened(part.get("input"), text or "")}
    if sort == "tool_result":
        return {**part, "content": text or ""}
    mark = {"cache_control": part["cache_control"]} if "cache_control" in part else {}
    return {**mark, "type": "text", "text": text} if text else None


def shortened(value: Any, text: str) -> Any:
    """A call's input with `text` in place of each long text in it, however deep."""
    if isinstance(value, str):
        return text if len(value) >= max(LONG_INPUT, len(text) + 1) else value
    if isinstance(value, Mapping):
        return {key: shortened(inner, text) for key, inner in value.items()}
    return [shortened(inner, text) for inner in value] if isinstance(value, list) else value


def marks(parts: Iterable[Part]) -> int:
    """How many cache marks these blocks bear, within results too."""
    return sum(bool(part.get("cache_control")) + marks(_inner(part)) for part in parts)


def unmarked(part: Part) -> dict[str, Any]:
    """A block without its cache marks."""
    found = {key: value for key, value in part.items() if key != "cache_control"}
    return {**found, "content": list(map(unmarked, _inner(part)))} if _inner(part) else found


def _inner(part: Part) -> list[Part]:
    inner = part.get("content")
    blocks = isinstance(inner, list) and all(isinstance(one, Mapping) for one in inner)
    return inner if blocks and isinstance(inner, list) else []
