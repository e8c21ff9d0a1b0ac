"""The API's memory tool (memory_20250818) with files under one folder behind it; docs/engine.md shows its use.

Paths begin with /memories, which stands for the folder. The SDK's own tool reads and writes them, and words what the
model reads back. What stands before it is ours: every fault is a BadInput that says what to do, inputs have their form,
files and their number have bounds, several processes take turns, and nothing outside the folder can be named, whether
by `..`, by an encoded or absolute path, or by a link.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from holdfast.engine.archive import locked
from holdfast.errors import BadInput, Fault
from holdfast.hot.files import size_of

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAbstractMemoryTool

TOOL = {"type": "memory_20250818", "name": "memory"}  # for a request's list of tools
COMMANDS: Mapping[str, Mapping[str, type]] = {
    "view": {"path": str},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}
"""Command -> the fields that it must have."""


class MemoryFiles:
    """One folder of memories. Names that begin with a dot are ours and are not shown."""

    most_bytes = 100_000  # of a file
    most_files = 1_000
    deepest = 8

    def __init__(self, root: str) -> None:
        """root: the folder; it is made, private to the user, at the first call."""
        self.root = os.path.abspath(root)

    def run(self, inputs: Any) -> str:
        """One call of the tool: its input as the model gave it, {"command": …, …}. Raises BadInput, OSError, Fault."""
        given = {"new_str": "", **inputs} if isinstance(inputs, Mapping) else {}
        command = str(given.get("command"))
        if command not in COMMANDS:
            raise BadInput(f"Unknown command: {command}", "", f"Allowed: {', '.join(COMMANDS)}")
        for name, form in COMMANDS[command].items():
            if not isinstance(given.get(name), form) or isinstance(given.get(name), bool):
                raise BadInput(f"`{command}` needs `{name}` as {'a whole number' if form is int else 'a text'}")
        tool, error = _sdk(self.root)
        paths = [self._path(given[name]) for name in COMMANDS[command] if name.endswith("path")]
        with locked(self.root):  # what is read and written back is read anew, when another process has just written
            self._bounded(given, command, paths)
            try:
                return str(tool.call(given))
            except error as wrong:
                raise BadInput(str(wrong)) from None
            except NotADirectoryError:
                raise BadInput(f"A part of {given['path']} is a file and cannot hold others") from None

    def _bounded(self, given: Mapping[str, Any], command: str, paths: list[str]) -> None:
        """Raises BadInput for what would be too large, too much, or in itself."""
        added = "".join(str(given.get(name, "")) for name in ("file_text", "new_str", "insert_text"))
        size = max(0, size_of(paths[0])) + len(added.encode("utf-8", "replace"))
        if command in ("create", "str_replace", "insert") and size > self.most_bytes:
            raise BadInput(f"The file would have {size:,} bytes", "", f"At most {self.most_bytes:,}; split it")
        if command == "create" and sum(len(names) for _, _, names in os.walk(self.root)) > self.most_files:
            raise BadInput(f"There are {self.most_files:,} memory files already", "", "Delete what is no longer needed")
        if command == "rename" and paths[1].startswith(f"{paths[0]}/"):
            raise BadInput(f"{given['new_path']} lies within {given['old_path']}", "", "Choose a place outside of it")

    def _path(self, given: str) -> str:
        """The place on disk. Raises BadInput for what lies, or could lead, outside."""
        top = "/memories"
        if given.rstrip("/") != top and not given.startswith(f"{top}/"):
            raise BadInput(f"Path must start with {top}, got: {given}")
        parts = [part for part in given[len(top) :].split("/") if part]
        if len(parts) > self.deepest or any(not _plain(part) for part in parts):
            raise BadInput(
                f"Path {given} would escape {top} directory, or is no plain name",
                "",
                f"Letters, digits and `_ - .` within 120 characters a part and {self.deepest} parts; no leading dot",
            )
        path = self.root
        for part in parts:
            path = f"{path}/{part}"
            if os.path.islink(path):
                raise BadInput(f"Path would escape {top} directory via symlink")
        return path


def _plain(part: str) -> bool:
    """Whether a part of a path is a name: nothing that any layer could read as another place."""
    plain = unquote(part) == part and part.isprintable() and "\\" not in part
    return plain and len(part) <= 120 and not part.startswith(".")


def _sdk(root: str) -> tuple[Any, type[Exception]]:
    """The SDK's own tool over a folder, and what it raises. Raises Fault where the package is missing or too old."""
    try:
        from anthropic.lib.tools import ToolError  # late: half a second of start-up
        from anthropic.tools import BetaAbstractMemoryTool, BetaLocalFilesystemMemoryTool
    except ImportError:
        raise Fault("the package anthropic has no memory tool", "anthropic", "pip install -U anthropic") from None

    class Local(BetaLocalFilesystemMemoryTool):
        def __init__(self) -> None:
            BetaAbstractMemoryTool.__init__(self)
            self.base_path = self.memory_root = Path(root)

    return Local(), ToolError


def memory_tool(files: MemoryFiles) -> "BetaAbstractMemoryTool":
    """The tool for the SDK's runner. Raises Fault where the package anthropic is missing, or too old to have it."""
    tool, error = _sdk(files.root)

    def call(inputs: object) -> str:
        try:
            return files.run(inputs)
        except BadInput as wrong:
            raise error(str(wrong)) from None
        except OSError as fault:
            raise error(f"The memory cannot be used now: {fault.strerror or fault}") from None

    tool.call = call
    made: BetaAbstractMemoryTool = tool
    return made
