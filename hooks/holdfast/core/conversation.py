"""Messages in the Messages API's own shape: checked, read piece by piece, and given back with texts replaced.

Nothing here decides. Messages that come in are never changed: `replaced` copies the few that differ, so that a caller
may keep the whole history and send another view of it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from holdfast.core import blocks
from holdfast.core.transcript import block_text
from holdfast.errors import BadInput

Message = Mapping[str, Any]
Place = tuple[int, int]
"""Index of the message, and of the block in its content."""

LONG_INPUT = 200
"""Characters from which on a call's text input is content and not an argument."""
IMAGE_TOKENS = 1_600
"""What an image costs at most after the API's own scaling (about 1.15 megapixels)."""
MEMORY_TAG = "<memory"
"""A user's text block that begins so was put there from a memory and is no word of the user's."""

_KINDS = {"tool_use": blocks.CALL, "tool_result": blocks.RESULT, "thinking": blocks.THINKING}
_KINDS["redacted_thinking"] = blocks.THINKING
_SHAPE = "See the Messages API: user and assistant take turns, and each tool_use has its tool_result next"


class Piece(NamedTuple):
    """One block of a message, read."""

    place: Place
    kind: str
    text: str
    pair: str = ""
    tool: str = ""
    """Of a call and of its result."""
    inputs: Mapping[str, Any] = {}
    """What the call handed to its tool."""
    images: int = 0


def content(message: Message) -> list[Mapping[str, Any]]:
    """The message's blocks; a plain string is one text block."""
    found = message.get("content")
    if isinstance(found, str):
        return [{"type": "text", "text": found}] if found else []
    return [block for block in map(_plain, found) if block] if isinstance(found, Sequence) else []


def _plain(block: Any) -> Mapping[str, Any]:
    """A block as a mapping; a client's own objects tell their form by `to_dict`."""
    if isinstance(block, Mapping):
        return block
    told = block.to_dict() if hasattr(block, "to_dict") else None
    return told if isinstance(told, Mapping) else {}


def pieces(messages: Sequence[Message], start: int = 0) -> Iterator[Piece]:
    """The blocks of the messages from `start` on; the calls before it are looked at, so that results know theirs."""
    calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for index in range(max(0, start - 1), len(messages)):
        for number, block in enumerate(content(messages[index])):
            piece = _piece((index, number), str(messages[index].get("role")), block, calls)
            if index >= start:
                yield piece


def _piece(place: Place, role: str, block: Mapping[str, Any], calls: dict[str, tuple[str, Mapping[str, Any]]]) -> Piece:
    sort = str(block.get("type"))
    if sort == "tool_use":
        inputs = block.get("input")
        known = calls[str(block.get("id"))] = (str(block.get("name")), inputs if isinstance(inputs, Mapping) else {})
        return Piece(place, blocks.CALL, input_text(known[1]), str(block.get("id")), *known)
    if sort == "tool_result":
        call = str(block.get("tool_use_id"))
        return Piece(place, blocks.RESULT, block_text(dict(block)), call, *calls.get(call, ("", {})), _images(block))
    if sort in _KINDS:
        return Piece(place, _KINDS[sort], str(block.get("thinking") or block.get("data") or ""))
    text = block_text(dict(block))
    kind = blocks.ASSISTANT if role == "assistant" else blocks.USER
    memory = kind == blocks.USER and text.lstrip().startswith(MEMORY_TAG)
    return Piece(place, blocks.MEMORY if memory else kind, text, images=int(sort in ("image", "document")))


def _images(block: Mapping[str, Any]) -> int:
    parts = block.get("content")
    return (
        sum(part.get("type") == "image" for part in parts if isinstance(part, Mapping))
        if isinstance(parts, list)
        else 0
    )


def input_text(inputs: Mapping[str, Any]) -> str:
    """What a call hands to its tool, as the model wrote it: names and values, line by line."""
    shown = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in inputs.values())
    return "\n".join(f"{name}: {text}" for name, text in zip(inputs, shown, strict=True))


def check(messages: Sequence[Any], start: int = 0, known: AbstractSet[str] = frozenset()) -> None:
    """Raises BadInput where the messages break the API's rules; it says where.

    start: messages before it have been checked already; known: the ids of their calls.
    """
    opened: dict[str, int] = {}
    seen: set[str] = set()
    begin = next((index for index in range(start - 1, -1, -1) if messages[index]["role"] == "assistant"), 0)
    for index in range(begin, len(messages)):
        message, where = messages[index], f"messages[{index}]"
        if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
            raise BadInput("is no message with role user or assistant", where, _SHAPE)
        if index == 0 and message["role"] != "user":
            raise BadInput("the first message must be the user's", where, _SHAPE)
        if not content(message):
            raise BadInput("has no content", where, "Give a text or a list of content blocks")
        if message["role"] == "assistant":
            _missing(opened, where)
            opened = _opened(message, where, seen)
            twice = opened.keys() & known if index >= start else ()
            if twice:
                raise BadInput(f"the id {min(twice)} is used twice", where, _SHAPE)
        else:
            _answered(message, where, opened)
    if messages and messages[-1]["role"] == "user":
        _missing(opened, f"messages[{len(messages) - 1}]")


def _opened(message: Message, where: str, seen: set[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, block in enumerate(content(message)):
        if block.get("type") == "tool_use":
            call = str(block.get("id"))
            if call in seen:
                raise BadInput(f"the id {call} is used twice", f"{where}.content[{number}]", _SHAPE)
            seen.add(call)
            found[call] = number
    return found


def _answered(message: Message, where: str, opened: dict[str, int]) -> None:
    for number, block in enumerate(content(message)):
        if block.get("type") == "tool_result" and opened.pop(str(block.get("tool_use_id")), None) is None:
            call = block.get("tool_use_id")
            raise BadInput(
                f"a result for {call}, which the message before did not call", f"{where}.content[{number}]", _SHAPE
            )


def _missing(opened: dict[str, int], where: str) -> None:
    if opened:
        raise BadInput(f"no result for {', '.join(opened)}", where, _SHAPE)


def replaced(messages: Sequence[Message], texts: Mapping[Place, str | None]) -> list[Message]:
    """The messages with other texts at some places; None takes the block away. Messages left as they were are shared.

    A result keeps its call's id, a call its name and short arguments: of those only long texts are replaced. A message
    of which nothing would be left keeps "…" as its text, since the API takes no empty one.
    """
    found = list(messages)
    for index in sorted({index for index, _ in texts}):
        kept = (
            _with_text(block, texts.get((index, number), ""), (index, number) in texts)
            for number, block in enumerate(content(found[index]))
        )
        found[index] = {
            **found[index],
            "content": [block for block in kept if block] or [{"type": "text", "text": "…"}],
        }
    return found


def _with_text(block: Mapping[str, Any], text: str | None, change: bool) -> Mapping[str, Any] | None:
    if not change:
        return block
    if block.get("type") == "tool_use":
        return {**block, "input": _shortened(block.get("input"), text or "")}
    if block.get("type") == "tool_result":
        return {**block, "content": text or ""}
    return {**_cached(block), "type": "text", "text": text} if text else None


def _cached(block: Mapping[str, Any]) -> dict[str, Any]:
    return {"cache_control": block["cache_control"]} if "cache_control" in block else {}


def _shortened(value: Any, text: str) -> Any:
    if isinstance(value, str):
        return text if len(value) >= max(LONG_INPUT, len(text) + 1) else value
    if isinstance(value, Mapping):
        return {key: _shortened(inner, text) for key, inner in value.items()}
    return [_shortened(inner, text) for inner in value] if isinstance(value, list) else value


def long_inputs(inputs: Mapping[str, Any]) -> bool:
    """Whether a call hands over content that `replaced` would shorten."""
    return bool(_shortened(inputs, "") != inputs)


Alias = tuple[str, Mapping[str, str]]
"""A tool's name in the house, and its inputs' names there: ("Read", {"path": "file_path"})."""

ALIASES: Mapping[str, Alias] = {
    "bash": ("Bash", {}),
    "read_file": ("Read", {"path": "file_path"}),
    "write_file": ("Write", {"path": "file_path"}),
    "edit_file": ("Edit", {"path": "file_path", "old_str": "old_string", "new_str": "new_string"}),
    "str_replace_based_edit_tool:view": ("Read", {"path": "file_path"}),
    "str_replace_based_edit_tool:create": ("Write", {"path": "file_path", "file_text": "content"}),
    "str_replace_based_edit_tool:str_replace": (
        "Edit",
        {"path": "file_path", "old_str": "old_string", "new_str": "new_string"},
    ),
    "str_replace_based_edit_tool:insert": ("Edit", {"path": "file_path", "insert_text": "new_string"}),
}
"""Tools of the API's own and usual names in loops. A tool with commands has one entry for each."""


def named(tool: str, inputs: Mapping[str, Any], aliases: Mapping[str, Alias] = ALIASES) -> tuple[str, dict[str, Any]]:
    """A call under the names that the rest of the house knows; unknown tools stay as they are."""
    name, keys = aliases.get(tool, aliases.get(f"{tool}:{inputs.get('command')}", (tool, {})))
    return name, {keys.get(key, key): value for key, value in inputs.items()}


def rows(messages: Sequence[Message], aliases: Mapping[str, Alias] = ALIASES) -> list[dict[str, Any]]:
    """The messages as rows of a transcript, for the extraction that the hooks use as well (policy/worklog.py)."""
    return [
        {"type": message["role"], "message": {**message, "content": _row_blocks(message, aliases)}}
        for message in messages
    ]


def _row_blocks(message: Message, aliases: Mapping[str, Alias]) -> list[dict[str, Any]]:
    found = []
    for block in content(message):
        if block.get("type") == "tool_use" and isinstance(block.get("input"), Mapping):
            tool, inputs = named(str(block.get("name")), block["input"], aliases)
            found.append({**block, "name": tool, "input": inputs})
        else:
            found.append(dict(block))
    return found
