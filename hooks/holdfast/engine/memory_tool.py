"""The API's memory tool (memory_20250818) with files under one folder behind it; docs/engine.md shows its use.

Paths begin with /memories, which stands for the folder. What the model reads back is worded as the SDK's own tool words
it, since models know those answers. Every fault is a BadInput that says what to do; nothing outside the folder can be
named, whether by `..`, by an encoded or absolute path, or by a link. Writes are whole or not at all, and several
processes take turns.
"""

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from holdfast.engine.archive import locked
from holdfast.errors import BadInput, Fault
from holdfast.hot.files import make_folder, names_in, read_bytes, write_atomic

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAbstractMemoryTool

TOOL = {"type": "memory_20250818", "name": "memory"}  # for a request's list of tools
TOP = "/memories"


class MemoryFiles:
    """One folder of memories. Names that begin with a dot or end in .tmp are ours and are not shown."""

    most_bytes = 100_000  # of a file
    most_files = 1_000
    deepest = 8

    def __init__(self, root: str) -> None:
        """root: the folder; it is made, private to the user, when the first file is written."""
        self.root = os.path.abspath(root)

    def run(self, inputs: Any) -> str:
        """One call of the tool: its input as the model gave it, {"command": …, …}. Raises BadInput and OSError."""
        given = {"new_str": "", **inputs} if isinstance(inputs, Mapping) else {}
        command = str(given.get("command"))
        if command not in self._commands:
            raise BadInput(f"Unknown command: {command}", "", f"Allowed: {', '.join(self._commands)}")
        run, fields = self._commands[command]
        for name, form in fields.items():
            if not isinstance(given.get(name), form) or isinstance(given.get(name), bool):
                raise BadInput(f"`{command}` needs `{name}` as {'a whole number' if form is int else 'a text'}")
        if command == "view":
            return self.view(given)
        with locked(self.root):  # what is read and written back is read anew, when another process has just written
            return run(self, given)

    def view(self, given: Mapping[str, Any]) -> str:
        """A folder's files, or a file's lines with numbers, from and to `view_range` where it is given."""
        path, shown = self._path(given["path"]), given["path"].rstrip("/") or TOP
        if os.path.isdir(path) or path == self.root:
            head = f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items:"
            return "\n".join([head, f"{_size(_bytes(path))}\t{shown}", *self._listed(path, shown)])
        lines = self._text(given["path"]).split("\n")
        first, last = _range(given.get("view_range"), len(lines))
        numbered = (_numbered(number, lines[number - 1]) for number in range(first, last + 1))
        return "\n".join([f"Here's the content of {shown} with line numbers:", *numbered])

    def create(self, given: Mapping[str, Any]) -> str:
        """A new file; one that is there already is not replaced."""
        path = self._path(given["path"])
        if path == self.root or os.path.lexists(path):
            raise BadInput(f"File {given['path']} already exists", "", "Change it with `str_replace`, or `delete` it")
        if sum(map(_plain, (name for _, _, names in os.walk(self.root) for name in names))) >= self.most_files:
            raise BadInput(f"There are {self.most_files:,} memory files already", "", "Delete what is no longer needed")
        self._write(path, given["file_text"])
        return f"File created successfully at: {given['path']}"

    def str_replace(self, given: Mapping[str, Any]) -> str:
        """Replace a text that stands once in the file; the lines around it."""
        text, old, new = self._text(given["path"]), given["old_str"], given["new_str"]
        places = [at for at in range(len(text)) if text.startswith(old, at)] if old else []
        if not places:
            raise BadInput(f"No replacement was performed, old_str `{old}` did not appear verbatim in {given['path']}.")
        lines = [text[:place].count("\n") + 1 for place in places]
        if len(lines) > 1:
            where = ", ".join(map(str, lines))
            raise BadInput(
                "No replacement was performed. "
                f"Multiple occurrences of old_str `{old}` in lines: {where}. Please ensure it is unique"
            )
        changed = text.replace(old, new)
        self._write(self._path(given["path"]), changed)
        found = changed.split("\n")
        near = range(max(1, lines[0] - 2), min(len(found), lines[0] + 2) + 1)
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return "\n".join([head, *(_numbered(number, found[number - 1]) for number in near)])

    def insert(self, given: Mapping[str, Any]) -> str:
        """Put a text behind a line; 0 is the top."""
        lines = self._text(given["path"]).split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        at = given["insert_line"]
        if not 0 <= at <= len(lines):
            raise BadInput(f"Invalid `insert_line` parameter: {at}. It should be within the range [0, {len(lines)}].")
        lines.insert(at, given["insert_text"].rstrip("\n"))
        self._write(self._path(given["path"]), "\n".join(lines) + "\n")
        return f"The file {given['path']} has been edited."

    def delete(self, given: Mapping[str, Any]) -> str:
        """A file, or a folder with all that is in it; never the top."""
        path = self._there(given["path"])
        if os.path.isdir(path):
            shutil.rmtree(path)  # a link in it goes, what it points to stays
        else:
            os.unlink(path)
        return f"Successfully deleted {given['path']}"

    def rename(self, given: Mapping[str, Any]) -> str:
        """Move a file or folder to a name that is free."""
        old, new = self._there(given["old_path"]), self._path(given["new_path"])
        if new == self.root or os.path.lexists(new):
            raise BadInput(f"The destination {given['new_path']} already exists")
        if new.startswith(f"{old}/"):
            raise BadInput(f"{given['new_path']} lies within {given['old_path']}", "", "Choose a place outside of it")
        make_folder(os.path.dirname(new))
        os.rename(old, new)
        return f"Successfully renamed {given['old_path']} to {given['new_path']}"

    _commands: Mapping[str, tuple[Callable[..., str], Mapping[str, type]]] = {
        "view": (view, {"path": str}),
        "create": (create, {"path": str, "file_text": str}),
        "str_replace": (str_replace, {"path": str, "old_str": str, "new_str": str}),
        "insert": (insert, {"path": str, "insert_line": int, "insert_text": str}),
        "delete": (delete, {"path": str}),
        "rename": (rename, {"old_path": str, "new_path": str}),
    }
    """Command -> what does it, and the fields that it must have."""

    def _path(self, given: str) -> str:
        """The place on disk. Raises BadInput for what lies, or could lead, outside."""
        if given.rstrip("/") != TOP and not given.startswith(f"{TOP}/"):
            raise BadInput(f"Path must start with {TOP}, got: {given}")
        parts = [part for part in given[len(TOP) :].split("/") if part]
        if len(parts) > self.deepest or any(not _plain(part) for part in parts):
            raise BadInput(
                f"Path {given} would escape {TOP} directory, or is no plain name",
                "",
                f"Letters, digits and `_ - .` within 120 characters a part and {self.deepest} parts; no leading dot",
            )
        path = self.root
        for part in parts:
            path = f"{path}/{part}"
            if os.path.islink(path):
                raise BadInput(f"Path would escape {TOP} directory via symlink")
        return path

    def _there(self, given: str) -> str:
        path = self._path(given)
        if path == self.root:
            raise BadInput(f"Cannot delete or rename the {TOP} directory itself")
        if not os.path.lexists(path):
            raise BadInput(f"The path {given} does not exist")
        return path

    def _text(self, given: str) -> str:
        path = self._path(given)
        if not os.path.lexists(path):
            raise BadInput(f"The path {given} does not exist. Please provide a valid path.")
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise BadInput(f"The path {given} is not a file.")
        return read_bytes(path, self.most_bytes).decode("utf-8", "replace")

    def _write(self, path: str, text: str) -> None:
        size = len(text.encode("utf-8", "replace"))
        if size > self.most_bytes:
            raise BadInput(f"The file would have {size:,} bytes", "", f"At most {self.most_bytes:,}; split it")
        folder = os.path.dirname(path)
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder):
            raise BadInput(f"{TOP}{folder[len(self.root) :]} is a file and cannot hold others")
        make_folder(os.path.dirname(path))
        write_atomic(path, text)

    def _listed(self, folder: str, shown: str, level: int = 1) -> list[str]:
        rows: list[str] = []
        for name in names_in(folder):
            path = f"{folder}/{name}"
            if not _plain(name) or os.path.islink(path):
                continue
            inside = os.path.isdir(path)
            rows.append(f"{_size(_bytes(path))}\t{shown}/{name}{'/' if inside else ''}")
            if inside and level < 2:
                rows += self._listed(path, f"{shown}/{name}", level + 1)
        more = len(rows) - 200
        return [*rows[:200], f"({more} more; view their folders)"] if more > 0 else rows


def _plain(part: str) -> bool:
    """Whether a part of a path is a name of ours: nothing that any layer could read as another place."""
    decoded = unquote(part)
    return (
        decoded == part
        and len(part) <= 120
        and part.isprintable()
        and not part.startswith(".")
        and not part.endswith(".tmp")
        and "\\" not in part
    )


def _range(given: Any, count: int) -> tuple[int, int]:
    """First and last line to show. Raises BadInput for a range that is none."""
    if given is None:
        return 1, count
    if not isinstance(given, list | tuple) or len(given) != 2 or not all(isinstance(one, int) for one in given):
        raise BadInput("Invalid `view_range` parameter", "", "Give [first line, last line]; -1 is the last of the file")
    first, last = max(1, given[0]), count if given[1] == -1 else min(count, given[1])
    if first > last:
        raise BadInput(f"Invalid `view_range` parameter: {list(given)}", "", f"The file has {count} lines")
    return first, last


def _numbered(number: int, line: str) -> str:
    return f"{number:>6}\t{line}"


def _bytes(path: str) -> int:
    return os.stat(path).st_size if os.path.lexists(path) else 0


def _size(size: int) -> str:
    """As the SDK's tool words it: 0B, 512B, 1.5K."""
    unit = min(max(size.bit_length() - 1, 0) // 10, 3)
    value = size / 1024**unit
    return f"{int(value) if value == int(value) else f'{value:.1f}'}{'BKMG'[unit]}"


def memory_tool(files: MemoryFiles) -> "BetaAbstractMemoryTool":
    """The tool. Raises Fault where the package anthropic is missing, or too old to have it."""
    try:
        from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError  # late: half a second of start-up
    except ImportError:
        raise Fault("the package anthropic has no memory tool", "anthropic", "pip install -U anthropic") from None

    class MemoryTool(BetaAbstractMemoryTool):
        """All six commands take one road; the SDK's names lead to it."""

        def call(self, input: object) -> str:  # noqa: A002 - the SDK's name
            try:
                return files.run(input)
            except BadInput as wrong:
                raise ToolError(str(wrong)) from None
            except OSError as fault:
                raise ToolError(f"The memory cannot be used now: {fault.strerror or fault}") from None

        def execute(self, command: Any) -> str:
            return self.call(command.to_dict())

        view = create = str_replace = insert = delete = rename = execute

    return MemoryTool()
