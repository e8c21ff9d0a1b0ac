"""Where a tool's result keeps its text, and how to put another text in its place.

The client drops an `updatedToolOutput` that does not fit the tool's own output schema, so a replacement
copies `tool_response` and changes the text fields only. Shapes as recorded from client 2.1.329
(tests/payloads). Hot-path module: imports nothing else.
"""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# Tool -> the keys that hold its text, as paths. A value there is a string or a list of strings.
TEXT_FIELDS = {
    "Bash": (("stdout",), ("stderr",)),
    "Grep": (("content",), ("filenames",)),
    "Glob": (("filenames",),),
    "WebFetch": (("result",),),
    "Read": (("file", "content"),),
}
IN_BLOCKS = (("text",), ("resource", "text"))
"""Where a content block has its text."""
EDIT_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
"""Tools that change a file."""


def is_data_file(path: str) -> bool:
    """Whether a file is a log (x.log.3 too) or data by its name: of Read only these are cut, nobody edits them."""
    name = path.rsplit("/", 1)[-1].lower()
    data = (".csv", ".tsv", ".sarif", ".har", ".lcov", ".jsonl", ".ndjson")
    return name.endswith((".log", ".out", ".err", ".trace", *data)) or (
        name.rpartition(".log.")[2][:1].isdigit() and ".log." in name
    )


def text_fields(tool: str, response: "Any") -> "list[tuple[tuple[str | int, ...], str]]":
    """(path, text) of every text in a tool's response; [] when the shape is not known."""
    if isinstance(response, str):
        return [((), response)]
    if tool in TEXT_FIELDS and isinstance(response, dict):
        found = [(path, _get(response, path)) for path in TEXT_FIELDS[tool]]
        found = [(path, "\n".join(map(str, value)) if isinstance(value, list) else value) for path, value in found]
        return [(path, value) for path, value in found if isinstance(value, str) and value]
    blocks, prefix = _blocks(response)
    if blocks and all(isinstance(block, str) for block in blocks):
        return [(prefix, "\n".join(blocks))]
    places = [(index, inner) for index in range(len(blocks)) for inner in IN_BLOCKS]
    texts = [((*prefix, index, *inner), _get(blocks[index], inner)) for index, inner in places]
    return [(path, text) for path, text in texts if isinstance(text, str)]


def joined_fields(tool: str, response: "Any") -> "list[tuple[tuple[str | int, ...], str]]":
    """As `text_fields`, with a list's blocks as one text: many small ones take as much room as a large one."""
    fields = text_fields(tool, response)
    if len(fields) > 1 and fields[0][0][-1] == "text":
        _, prefix = _blocks(response)
        return [(prefix, "\n".join(text for _, text in fields))]
    return fields


def report_fields(response: "Any") -> "list[tuple[tuple[str | int, ...], str]]":
    """(path, text) of a sub-agent's report: its blocks without the notes that the client puts around them."""
    if not isinstance(response, dict) or not isinstance(response.get("content"), list):
        return []
    notes, tail = response.get("harnessNoteCount"), response.get("harnessTailCount")
    fields = text_fields("Agent", response)
    first = notes if isinstance(notes, int) else 0
    last = len(response["content"]) - (tail if isinstance(tail, int) else 0)
    return [(path, text) for path, text in fields if first <= int(path[1]) < last]


def with_report(response: "dict[str, Any]", text: str) -> "dict[str, Any]":
    """A copy with `text` as the report, the client's notes around it kept."""
    paths = [path for path, _ in report_fields(response)]
    content = list(response["content"])
    first, last = int(paths[0][1]), int(paths[-1][1])
    return {**response, "content": [*content[:first], {"type": "text", "text": text}, *content[last + 1 :]]}


def _blocks(response: "Any") -> "tuple[list[Any], tuple[str | int, ...]]":
    """An MCP or Agent result: content blocks, bare or under `content`."""
    if isinstance(response, list):
        return response, ()
    content = response.get("content") if isinstance(response, dict) else None
    return (content, ("content",)) if isinstance(content, list) else ([], ())


def _get(value: "Any", path: "tuple[str, ...]") -> "Any":
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def with_text(response: "Any", path: "tuple[str | int, ...]", text: str) -> "Any":
    """A copy of `response` with `text` at `path`; what was a list of lines stays one, of one of blocks those stay that
    are no text.
    """
    if not path:
        if not isinstance(response, list):
            return text
        blocks = [block for block in response if isinstance(block, dict)]
        kept = [block for block in blocks if not any(isinstance(_get(block, inner), str) for inner in IN_BLOCKS)]
        return [{"type": "text", "text": text}, *kept] if blocks else text.split("\n")
    copy: "Any" = list(response) if isinstance(response, list) else dict(response)
    copy[path[0]] = with_text(copy[path[0]], path[1:], text)
    return copy


def without_preview(response: "Any") -> "Any":
    """A copy without the keys that make the client show its own 2 KB preview instead of `stdout`."""
    if not isinstance(response, dict) or "persistedOutputPath" not in response:
        return response
    return {key: value for key, value in response.items() if not key.startswith("persistedOutput")}
