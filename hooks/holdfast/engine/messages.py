"""Messages in the Messages API's own shape: checked, read piece by piece, and given back with texts replaced.

Nothing here decides. Messages that come in are never changed: `replaced` copies the few that differ, so that a caller
may keep the whole history and send another view of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from holdfast.engine import blocks, content_block
from holdfast.errors import BadInput
from holdfast.transcript.rows import input_text

Message = Mapping[str, Any]
Place = tuple[int, int]
"""Index of the message, and of the block in its content."""

CACHE_MARKS = 4
"""Breakpoints that the API takes in one request."""
MEMORY_TAG = "<memory"
"""A user's text block that begins so was put there from a memory and is no word of the user's."""

_KINDS = {"thinking": blocks.THINKING, "redacted_thinking": blocks.THINKING}
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
    beside: int = 0
    """Tokens beside its text: of images and pages."""
    stored: str = ""
    """What is archived of it where that is not its text."""


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
    text, beside = content_block.read(block)
    if sort == "tool_result":
        call = str(block.get("tool_use_id"))
        return Piece(place, blocks.RESULT, text, call, *calls.get(call, ("", {})), beside, content_block.stored(block))
    if sort not in content_block.SPOKEN:
        return Piece(place, _KINDS.get(sort, blocks.OTHER), text)
    kind = blocks.ASSISTANT if role == "assistant" else blocks.USER
    memory = kind == blocks.USER and text.lstrip().startswith(MEMORY_TAG)
    return Piece(place, blocks.MEMORY if memory else kind, text, beside=beside, stored=content_block.stored(block))


def check(messages: Sequence[Any], start: int = 0, known: AbstractSet[str] = frozenset()) -> None:
    """Raises BadInput where the messages break the API's rules; it says where.

    start: messages before it have been checked already; known: the ids of their calls. Sizes and media are left to the
    API, and so is a call that is still open at the end.
    """
    opened: dict[str, int] = {}
    seen: set[str] = set()
    begin = next((index for index in range(start - 1, -1, -1) if messages[index]["role"] == "assistant"), 0)
    for index in range(begin, len(messages)):
        message, where = messages[index], f"messages[{index}]"
        if index >= start:
            _form(message, where, index)
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
    _marked(messages, start)


def _marked(messages: Sequence[Any], start: int) -> None:
    """No more cache marks than the API takes; only a new message can bring one too many, so else none are counted."""
    if not any(content_block.marks(content(message)) for message in messages[start:]):
        return
    marks = sum(content_block.marks(content(message)) for message in messages)
    if marks > CACHE_MARKS:
        raise BadInput(
            f"{marks} cache marks", "messages", f"The API takes {CACHE_MARKS} in a request: take the oldest off"
        )


def _form(message: Any, where: str, index: int) -> None:
    """A message by itself: its role, its blocks, and that results come before texts."""
    if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
        raise BadInput("is no message with role user or assistant", where, _SHAPE)
    if index == 0 and message["role"] != "user":
        raise BadInput("the first message must be the user's", where, _SHAPE)
    given = message.get("content")
    listed = isinstance(given, Sequence) and not isinstance(given, str)
    found = list(map(_plain, given)) if listed and isinstance(given, Sequence) else content(message)
    if not found:
        raise BadInput("has no content", where, "Give a text or a list of content blocks")
    spoken = False
    for number, block in enumerate(found):
        fault = content_block.fault(block, message["role"])
        late = spoken and block.get("type") == "tool_result"
        if fault or late:
            raise BadInput(fault or "a result after a text of the same message", f"{where}.content[{number}]", _SHAPE)
        spoken = spoken or block.get("type") == "text"


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
            content_block.replaced(block, texts[index, number]) if (index, number) in texts else block
            for number, block in enumerate(content(found[index]))
        )
        found[index] = {
            **found[index],
            "content": [block for block in kept if block] or [{"type": "text", "text": "…"}],
        }
    return found


def same(known: Sequence[Message], given: Sequence[Message]) -> bool:
    """Whether these are the same messages, wherever their cache marks stand. Fast for objects that are the same."""
    return len(known) == len(given) and all(
        one is other or one == other or _bare(one) == _bare(other) for one, other in zip(known, given, strict=True)
    )


def _bare(message: Message) -> dict[str, Any]:
    return {**message, "content": list(map(content_block.unmarked, content(message)))}


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
    """The messages as rows of a transcript, for the extraction that the hooks use as well (worklog/fold.py)."""
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
