"""Messages in the Messages API's own shape: checked, read block by block, and given back with texts replaced.

Nothing here decides. Messages that come in are never changed: `replaced` copies the few that differ, so that a caller
may keep the whole history and send another view of it. Sizes are tokens. The rules are those that the API itself checks
and that can be told from the messages alone; sorts of blocks that are not known pass, and are read as their JSON.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import ceil
from typing import Any, NamedTuple

from holdfast.engine.blocks import BlockKind, is_ours
from holdfast.errors import BadInput
from holdfast.text.tokens import IMAGE_TOKENS
from holdfast.transcript.rows import BESIDE, HANDED_IN, input_text, is_frame
from holdfast.transcript.speaker import heard, is_held

Message = Mapping[str, Any]
Part = Mapping[str, Any]
Place = tuple[int, int]  # Index of the message, and of the block in its content

SPOKEN = ("text", "image", "document", "search_result")
"""Sorts of blocks in which user and assistant speak: one such may stand in another's place."""


class ContentBlock(NamedTuple):
    """One block of a message, read."""

    place: Place
    kind: BlockKind
    text: str
    pair: str = ""
    tool: str = ""  # of a call and of its result
    inputs: Mapping[str, Any] = {}  # what the call handed to its tool
    beside: int = 0  # tokens beside its text: of images and pages
    stored: str = ""  # what is archived of it where that is not its text


def content(message: Message) -> list[Part]:
    """The message's blocks; a plain string is one text block."""
    found = message.get("content")
    if isinstance(found, str):
        return [{"type": "text", "text": found}] if found else []
    return [block for block in map(_plain, found) if block] if isinstance(found, Sequence) else []


def _plain(block: Any) -> Part:
    """A block as a mapping; a client's own objects tell their form by `to_dict`."""
    told = block.to_dict() if hasattr(block, "to_dict") else block
    return told if isinstance(told, Mapping) else {}


def pieces(messages: Sequence[Message], start: int = 0) -> Iterator[ContentBlock]:
    """The blocks of the messages from `start` on; the calls before it are looked at, so that results know theirs."""
    calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for index in range(max(0, start - 1), len(messages)):
        role, parts = str(messages[index].get("role")), content(messages[index])
        found = [_piece((index, number), role, block, calls) for number, block in enumerate(parts)]
        if index >= start:
            yield from found if index else _with_task(found)


def _with_task(found: Sequence[ContentBlock]) -> Iterator[ContentBlock]:
    """The blocks of the first message, of which one that seems to be injected may be the user's task.

    Before the summary of a hand-over each of them is: the hand-over has carried them there. Without a summary it is the
    last one, and only where no block is the user's; what a client puts beside a task counts only if there is no other.
    What it hands in of somebody else's is carried anyway, and is not the user's.
    """
    ours = next((at for at, piece in enumerate(found) if is_ours(piece.text)), 0)
    told = [
        piece
        for piece in found[: ours or None]
        if piece.kind == BlockKind.MEMORY or piece.text.lstrip().startswith(HANDED_IN)
    ]
    if not ours and any(piece.kind == BlockKind.USER and piece not in told for piece in found):
        told = []
    elif not ours:
        told = sorted(told, key=lambda one: (not is_frame(one.text, BESIDE), one.place))[-1:]
    places = {piece.place for piece in told}
    return (piece._replace(kind=BlockKind.USER) if piece.place in places else piece for piece in found)


def _piece(place: Place, role: str, block: Part, calls: dict[str, tuple[str, Mapping[str, Any]]]) -> ContentBlock:
    sort = str(block.get("type"))
    if sort == "tool_use":
        call, inputs = str(block.get("id")), block.get("input")
        known = calls[call] = (str(block.get("name")), inputs if isinstance(inputs, Mapping) else {})
        return ContentBlock(place, BlockKind.CALL, input_text(known[1]), call, *known)
    text, beside = read_block(block)
    if sort == "tool_result":
        call = str(block.get("tool_use_id"))
        return ContentBlock(
            place, BlockKind.RESULT, text, call, *calls.get(call, ("", {})), beside, _archived_form(block)
        )
    if sort not in SPOKEN:
        return ContentBlock(
            place, BlockKind.THINKING if sort in ("thinking", "redacted_thinking") else BlockKind.OTHER, text
        )
    kind = BlockKind.ASSISTANT if role == "assistant" else _speaker(text)
    return ContentBlock(place, kind, text, beside=beside, stored=_archived_form(block))


def _speaker(text: str) -> BlockKind:
    """As whose a text in the user's place is carried along."""
    return BlockKind.OTHER if is_ours(text) else BlockKind.MEMORY if is_held(text) else BlockKind.USER


def check(messages: Sequence[Any], start: int = 0, known: AbstractSet[str] = frozenset()) -> None:
    """Raises BadInput where the messages break the API's rules; it says where.

    start: messages before it have been checked already; known: the ids of their calls. Sizes and media are left to the
    API, and so is a call that is still open at the end.
    """
    begin = next((index for index in range(start - 1, -1, -1) if messages[index]["role"] == "assistant"), start)
    before = [block for message in messages[begin:start] for block in content(message)]
    opened = {str(block.get("id")) for block in before if block.get("type") == "tool_use"}  # that wait for their result
    opened -= {str(block.get("tool_use_id")) for block in before if block.get("type") == "tool_result"}
    seen = set(known)
    for index, message in enumerate(messages[start:], start):
        where = f"messages[{index}]"
        _form(message, where, index)
        if message["role"] == "assistant":
            _missing(opened, where)
        _pair(message, where, opened, seen)
    if messages and messages[-1]["role"] == "user":
        _missing(opened, f"messages[{len(messages) - 1}]")


def _refused(what: str, where: str) -> BadInput:
    todo = "See the Messages API: user and assistant take turns, and each tool_use has its tool_result next"
    return BadInput(what, where, todo)


def _form(message: Any, where: str, index: int) -> None:
    """A message by itself: its role, its blocks, and that results come before texts."""
    if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
        raise _refused("is no message with role user or assistant", where)
    if index == 0 and message["role"] != "user":
        raise _refused("the first message must be the user's", where)
    given = message.get("content")
    found = list(map(_plain, given)) if isinstance(given, list | tuple) else content(message)
    if not found:
        raise BadInput("has no content", where, "Give a text or a list of content blocks")
    spoken = False
    for number, block in enumerate(found):
        late = "a result after a text of the same message" if spoken and block.get("type") == "tool_result" else ""
        fault = _fault_of(block, message["role"]) or late
        if fault:
            raise _refused(fault, f"{where}.content[{number}]")
        spoken = spoken or block.get("type") == "text"


def _pair(message: Message, where: str, opened: set[str], seen: set[str]) -> None:
    """Open the calls of a message, and close those that it has results for; seen: the ids of all calls so far."""
    called = set[str]()
    for number, block in enumerate(content(message)):
        if block.get("type") == "tool_use":
            call = str(block.get("id"))
            if call in seen:
                raise _refused(f"the id {call} is used twice", f"{where}.content[{number}]")
            seen.add(call)
            called.add(call)
        if block.get("type") == "tool_result":
            call = str(block.get("tool_use_id"))
            if call not in opened:
                what = f"a result for {call}, which the message before did not call"
                raise _refused(what, f"{where}.content[{number}]")
            opened.remove(call)
    opened |= called


def _missing(opened: set[str], where: str) -> None:
    if opened:
        raise _refused(f"no result for {', '.join(sorted(opened))}", where)


def replaced(messages: Sequence[Message], texts: Mapping[Place, str | None]) -> list[Message]:
    """The messages with other texts at some places; None takes the block away. Messages left as they were are shared.

    A result keeps its call's id, a call its name and short arguments: of those only long texts are replaced. A message
    of which nothing would be left keeps "…" as its text, since the API takes no empty one.
    """
    found = list(messages)
    for index in sorted({index for index, _ in texts}):
        kept = (
            with_text(block, texts[index, number]) if (index, number) in texts else block
            for number, block in enumerate(content(found[index]))
        )
        left = [block for block in kept if block]
        found[index] = {**found[index], "content": left or [{"type": "text", "text": "…"}]}
    return found


def same(known: Sequence[Message], given: Sequence[Message]) -> bool:
    """Whether these are the same messages, wherever their cache marks stand. Fast for objects that are the same."""
    return len(known) == len(given) and all(
        one is other or one == other or bare(one) == bare(other) for one, other in zip(known, given, strict=True)
    )


def bare(message: Message) -> Message:
    """The message without cache marks."""
    return {**message, "content": list(map(unmarked, content(message)))}


Alias = tuple[str, Mapping[str, str]]
"""A tool's name in the house, and its inputs' names there: ("Read", {"path": "file_path"})."""

_EDIT = {"path": "file_path", "old_str": "old_string", "new_str": "new_string"}
ALIASES: Mapping[str, Alias] = {
    "bash": ("Bash", {}),
    "read_file": ("Read", {"path": "file_path"}),
    "write_file": ("Write", {"path": "file_path"}),
    "edit_file": ("Edit", _EDIT),
    "str_replace_based_edit_tool:view": ("Read", {"path": "file_path"}),
    "str_replace_based_edit_tool:create": ("Write", {"path": "file_path", "file_text": "content"}),
    "str_replace_based_edit_tool:str_replace": ("Edit", _EDIT),
    "str_replace_based_edit_tool:insert": ("Edit", {"path": "file_path", "insert_text": "new_string"}),
}
"""Tools of the API's own and usual names in loops. A tool with commands has one entry for each."""


def named(tool: str, inputs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """A call under the names that the rest of the house knows; unknown tools stay as they are."""
    told = f"{tool}:{inputs.get('command')}"
    name, keys = ALIASES.get(tool, ALIASES.get(told, (tool, {})))
    found = {keys.get(key, key): value for key, value in inputs.items()}
    return name, {key: value for key, value in found.items() if key != "command" or told not in ALIASES}


def rows(messages: Sequence[Message], start: int = 0) -> list[dict[str, Any]]:
    """The messages from `start` on as rows of a transcript, for the extraction that the hooks use as well
    (worklog/fold.py).

    What a summary, a memory or a client says is not the user's and is left out, but for frames: the reader knows them.
    Of what is carried as the user's that stands there as a quotation.
    """
    kinds = {piece.place: piece.kind for piece in pieces(messages, start)}
    told = list[dict[str, Any]]()
    for index, one in enumerate(messages[start:], start):
        parts = (_row_block(part, kinds[index, number]) for number, part in enumerate(content(one)))
        told.append({"type": one["role"], "promptSource": "sdk", "message": {**one, "content": [*filter(None, parts)]}})
    return told


def _row_block(block: Part, kind: BlockKind) -> Part:
    """{} for one that is left out."""
    text, inputs = str(block.get("text") or ""), block.get("input")
    if is_ours(text) or (kind == BlockKind.MEMORY and not is_frame(text)):
        return {}
    if kind == BlockKind.USER and text:
        return {**block, "text": heard(text)}
    if kind != BlockKind.CALL or not isinstance(inputs, Mapping):
        return dict(block)
    name, known = named(str(block.get("name")), inputs)
    return {**block, "name": name, "input": known}


class BlockText(NamedTuple):
    """What a block says, and what it weighs beside that."""

    text: str = ""
    beside: int = 0  # tokens of images and pages


def read_block(part: Part) -> BlockText:
    """Text and further weight of a block; of one that is not known its JSON."""
    reader = _READERS.get(str(part.get("type")))
    return reader(part) if reader else BlockText(_as_json(part))


def _as_json(part: Part) -> str:
    return json.dumps(part, ensure_ascii=False, default=str)


def _archived_form(part: Part) -> str:
    """What is archived of a block whose text is not all of it; "" where the text is."""
    return "" if _is_text(part) else _as_json(part)


def _is_text(part: Part) -> bool:
    sort, inner = part.get("type"), part.get("content")
    if sort == "tool_result":
        return not isinstance(inner, list) or all(_is_text(one) for one in inner if isinstance(one, Mapping))
    return not part.get("citations") if sort == "text" else sort not in SPOKEN


def _joined(value: Any) -> BlockText:
    """A content: a text, or blocks."""
    if isinstance(value, str):
        return BlockText(value)
    found = [read_block(one) for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
    return BlockText(_text(*(one.text for one in found)), sum(one.beside for one in found))


def _document(part: Part) -> BlockText:
    """Title and text; a PDF by its size, one page where the size is not known.

    A page is sent as its text and as an image; it is taken to have 100,000 bytes, between print and scan, and the API
    takes 600 at most.
    """
    title, context, source = part.get("title"), part.get("context"), part.get("source")
    known: Part = source if isinstance(source, Mapping) else {}
    data = known.get("data")
    if known.get("type") == "text":
        return BlockText(_text(title, context, data))
    if known.get("type") == "content":
        inner = _joined(known.get("content"))
        return BlockText(_text(title, context, inner.text), inner.beside)
    pages = ceil(len(data) * 3 / 4 / 100_000) if isinstance(data, str) else 1
    return BlockText(_text(title, context), min(600, max(1, pages)) * (2_000 + IMAGE_TOKENS))


def _search_result(part: Part) -> BlockText:
    inner = _joined(part.get("content"))
    return BlockText(_text(part.get("title"), part.get("source"), inner.text), inner.beside)


def _text(*values: Any) -> str:
    """Those of the values that are texts, one below the other."""
    return "\n".join(value for value in values if isinstance(value, str) and value)


_READERS: Mapping[str, Callable[[Part], BlockText]] = {
    "text": lambda part: BlockText(_text(part.get("text"))),
    "image": lambda part: BlockText("", IMAGE_TOKENS),
    "document": _document,
    "search_result": _search_result,
    "tool_result": lambda part: _joined(part.get("content")),
    "thinking": lambda part: BlockText(_text(part.get("thinking"))),
    "redacted_thinking": lambda part: BlockText(_text(part.get("data"))),
}


def _fault_of(part: Part, role: str) -> str:
    """What the API would refuse of this block in a message of `role`; "" for nothing."""
    if not _text(part.get("type")):
        return "no content block with a type"
    inner = part.get("content")
    listed = isinstance(inner, list) and all(isinstance(one, Mapping) and one.get("type") for one in inner)
    rules: dict[str, tuple[tuple[bool, str], ...]] = {
        "text": ((bool(_text(part.get("text"))), "an empty text"),),
        "tool_use": (
            (role == "assistant", "a call that is not the assistant's"),
            (bool(_text(part.get("id"))), "a call without an id"),
            (bool(_text(part.get("name"))), "a call without the tool's name"),
            (isinstance(part.get("input"), Mapping), "a call whose input is no object"),
        ),
        "tool_result": (
            (role == "user", "a result that is not the user's"),
            (bool(_text(part.get("tool_use_id"))), "a result without its call's id"),
            (listed or inner is None or isinstance(inner, str), "a result that is neither text nor blocks"),
        ),
    }
    return next((what for holds, what in rules.get(part["type"], ()) if not holds), "")


def with_text(part: Part, text: str | None) -> Part | None:
    """The block with another text: of a result its content, of a call its long inputs; None where nothing is left."""
    sort = part.get("type")
    if sort == "tool_use":
        return {**part, "input": with_short_inputs(part.get("input"), text or "")}
    if sort == "tool_result":
        return {**part, "content": text or ""}
    return {"type": "text", "text": text} if text else None


def with_short_inputs(value: Any, text: str) -> Any:
    """A call's input with `text` in place of each text of 200 characters and more, however deep."""
    if isinstance(value, str):
        return text if len(value) >= max(200, len(text) + 1) else value
    if isinstance(value, Mapping):
        return {key: with_short_inputs(inner, text) for key, inner in value.items()}
    return [with_short_inputs(inner, text) for inner in value] if isinstance(value, list) else value


def marks_in(part: Any) -> int:
    """How many cache marks a message or a block bears, within it too. Fast: asked of all, each turn."""
    told = part if isinstance(part, dict) else _plain(part)
    inner = told.get("content")
    return bool(told.get("cache_control")) + (sum(map(marks_in, inner)) if isinstance(inner, list | tuple) else 0)


def unmarked(part: Any) -> Any:
    """A block without its cache marks."""
    if not isinstance(part, Mapping):
        return part
    found, inner = {key: value for key, value in part.items() if key != "cache_control"}, part.get("content")
    return {**found, "content": list(map(unmarked, inner))} if isinstance(inner, list) else found
