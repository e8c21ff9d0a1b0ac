"""Where a tool's result keeps its text, and how to put another text in its place.

The client drops an `updatedToolOutput` that does not fit the tool's own output schema, so a replacement
copies `tool_response` and changes the text fields only. Shapes as recorded from client 2.1.329
(tests/payloads). Hot-path module: no imports.
"""

TYPE_CHECKING = False
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
EDIT_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
"""Tools that change a file."""


def is_data_file(path: str) -> bool:
    """Whether a file is a log or data by its name; rotated logs (x.log.3) count.

    Of Read only these are shortened: nobody makes an exact-match edit in them.
    """
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
    return [
        ((*prefix, index, "text"), block["text"])
        for index, block in enumerate(blocks)
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]


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


def _blocks(response: "Any") -> "tuple[list[Any], tuple[str, ...]]":
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
    """A copy of `response` with `text` at `path`; what was a list of lines stays one."""
    if not path:
        return text.split("\n") if isinstance(response, list) else text
    copy: "Any" = list(response) if isinstance(response, list) else dict(response)
    copy[path[0]] = with_text(copy[path[0]], path[1:], text)
    return copy


def without_preview(response: "Any") -> "Any":
    """A copy without the keys that make the client show its own 2 KB preview instead of `stdout`."""
    if not isinstance(response, dict) or "persistedOutputPath" not in response:
        return response
    return {key: value for key, value in response.items() if not key.startswith("persistedOutput")}
