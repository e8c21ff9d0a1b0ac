"""Whole texts of what left a window, under short names, so that a placeholder can say where in a few tokens.

Two of a kind: in memory, for loops that need nothing afterwards, and in a folder, one readable file each. Any object
with `keep`, `where` and `read` serves as well.
"""

import os
from typing import Protocol

from holdfast.engine.blocks import Block
from holdfast.errors import BadInput
from holdfast.hot.files import claim, make_folder, names_in, read_bytes, size_of, write_atomic


class Archive(Protocol):
    """Where whole texts go before they leave a window."""

    def keep(self, text: str, about: str) -> str:
        """Store a text; its name. Raises OSError: then it must not leave the window."""

    def where(self, name: str) -> str:
        """What a placeholder says of it, e.g. a path."""

    def read(self, name: str) -> str:
        """The whole text. Raises BadInput for a name that is not there."""


class MemoryArchive:
    """Texts by name, gone with the process. Names are a1, a2, …"""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def keep(self, text: str, about: str) -> str:  # noqa: ARG002 - one shape for all archives
        """Store a text; its name."""
        name = f"a{len(self._texts) + 1}"
        self._texts[name] = text
        return name

    def where(self, name: str) -> str:
        """The name alone: `read` gives the text."""
        return name

    def read(self, name: str) -> str:
        """The whole text. Raises BadInput for a name that is not there."""
        if name not in self._texts:
            raise BadInput("no such text", name, f"Names are a1 to a{len(self._texts)}")
        return self._texts[name]


class FolderArchive:
    """One file per text; what it is stands in the first line. Folder 0700, files 0600.

    The same text with the same first line has one file, also in a later process, so that what names it stays the same;
    of several archives on one folder none writes over another's file.
    """

    def __init__(self, folder: str, shown: str = "") -> None:
        """shown: the folder's path as placeholders give it, e.g. relative to the agent's working directory."""
        self.folder, self._shown = folder.rstrip("/"), (shown or folder).rstrip("/")
        self._sizes: dict[int, list[str]] = {}
        self._last = 0
        for name in filter(_is_ours, names_in(self.folder)):
            self._sizes.setdefault(size_of(f"{self.folder}/{name}"), []).append(name[:-4])
            self._last = max(self._last, int(name[1:-4]))

    def keep(self, text: str, about: str) -> str:
        """Store a text; its name. Raises OSError."""
        make_folder(self.folder)
        data = f"[{' '.join(about.split())}]\n{text}".encode("utf-8", "surrogatepass")
        alike = self._sizes.setdefault(len(data), [])
        name = next((name for name in alike if read_bytes(self._path(name), len(data) + 1) == data), "")
        if not name:
            name = self._claimed()
            try:
                write_atomic(self._path(name), data)
            except OSError:
                os.unlink(self._path(name))
                raise
            alike.append(name)
        return name

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}.txt"

    def _claimed(self) -> str:
        """The next name that nobody has, with an empty file under it. Raises OSError."""
        while True:
            name = f"a{self._last + 1}"
            if claim(self._path(name)):
                self._last += 1
                return name
            if size_of(self._path(name)) < 0:
                raise OSError(f"{self.folder} cannot be written to")
            self._last += 1

    def where(self, name: str) -> str:
        """The file's path."""
        return f"{self._shown}/{name}.txt"

    def read(self, name: str) -> str:
        """The whole text without its first line. Raises BadInput for a name that is not there."""
        data = read_bytes(self._path(name)) if _is_ours(f"{name}.txt") else b""
        if not data:
            raise BadInput("no such text", name, f"Texts are in {self.folder}")
        return _decoded(data).partition("\n")[2]


class Shelf:
    """All of a window's blocks in an archive, each stored once, when it is asked for first.

    Stored is the text, or the JSON of a block that holds more than text.
    """

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._names: dict[str, str] = {}

    def __call__(self, block: Block) -> str:
        """Where the block's whole text is. Raises OSError when it cannot be stored."""
        name = self._names.get(block.id) or self.archive.keep(block.whole, block.about or block.kind)
        return self.archive.where(self._names.setdefault(block.id, name))


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # somebody else has written to the file
        return data.decode("utf-8", "replace")


def _is_ours(name: str) -> bool:
    return name.startswith("a") and name.endswith(".txt") and name[1:-4].isdecimal()
