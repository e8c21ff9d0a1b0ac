"""Context size from the end of a transcript, without parsing it.

The last main-chain `usage` says how full the window is; it stands within the last few rows. Rows are cut
at newlines and only rows that can hold a usage are parsed. Hot-path module: lean imports only.
"""

from holdfast.hot.files import read_from, size_of
from holdfast.hot.jsonc import loads_object, sane


def read_tail(path: str, limit: int = 65_536) -> bytes:
    """The last `limit` bytes from a row's start on; b"" when there is no file. An assistant's row is a few KB."""
    start = max(0, size_of(path) - limit)
    data = read_from(path, start, limit, follow=True)
    return data if start == 0 else data[data.find(b"\n") + 1 :]


def newest(path: str, limit: int = 65_536) -> "tuple[int, str]":
    """The last context size and its model; (0, "") for none. Where the end of the file has none, as behind an image
    that a tool has brought, it is looked for once more, ten times as far.
    """
    found = sizes(read_tail(path, limit))
    if not found and size_of(path) > limit:
        found = sizes(read_tail(path, 10 * limit))
    return found[0] if found else (0, "")


def sizes(data: bytes, wanted: int = 1) -> "list[tuple[int, str]]":
    """The last `wanted` context sizes, newest first, as (tokens, model).

    Walks back over the rows to the last compaction at most: what stands before it says nothing of the
    window now. One API message is written as several rows with the same usage, so message ids count once.
    """
    found: "list[tuple[int, str]]" = []
    seen: "set[str]" = set()
    end = len(data)
    while end > 0 and len(found) < wanted:
        start = data.rfind(b"\n", 0, end - 1) + 1
        row = data[start:end]
        end = start
        if b'"compact_boundary"' in row and loads_object(row).get("subtype") == "compact_boundary":
            break
        if b'"usage"' not in row or b'"assistant"' not in row:
            continue
        reading = _reading(loads_object(row), seen)
        if reading:
            found.append(reading)
    return found


def ends_with(data: bytes, said: str) -> bool:
    """Whether the last answer in these rows, of whichever agent, is this text."""
    for line in reversed(data.split(b"\n")):
        row = loads_object(line) if b'"assistant"' in line else {}
        message = row.get("message")
        if row.get("type") == "assistant" and isinstance(message, dict):
            content = message.get("content")
            blocks = content if isinstance(content, list) else []
            texts = [str(block.get("text") or "") for block in blocks if isinstance(block, dict)]
            return said.strip() in "\n".join(texts)
    return False


def _reading(row: "dict[str, object]", seen: "set[str]") -> "tuple[int, str] | None":
    message = row.get("message")
    if row.get("type") != "assistant" or row.get("isSidechain") or not isinstance(message, dict):
        return None
    model, usage, name = message.get("model"), message.get("usage"), str(message.get("id"))
    if model == "<synthetic>" or row.get("isApiErrorMessage") or name in seen:
        return None
    seen.add(name)
    tokens = context_tokens(usage)
    return (tokens, str(model or "")) if tokens else None


def context_tokens(usage: object) -> int:
    """Tokens in the window after the request that this usage is of; 0 when it does not tell.

    With `iterations` (server-side loops) the last of them is the window's state.
    """
    if not isinstance(usage, dict):
        return 0
    rounds = usage.get("iterations")
    if isinstance(rounds, list) and rounds and isinstance(rounds[-1], dict):
        usage = rounds[-1]
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    return sum(max(0, sane(usage.get(part))) for part in parts)
