"""Whole texts of what left a window, under short names, so that a placeholder can say where in a few tokens.

Two of a kind: in memory, for loops that need nothing afterwards, and in a folder, one readable file each. Any object
with `keep`, `where` and `read` serves as well.
"""

from typing import Protocol

from holdfast.core.blocks import Block
from holdfast.errors import BadInput
from holdfast.store.files import make_folder, names_in, read_bytes, write_atomic


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
    """One file per text; what it is stands in the first line. Folder 0700, files 0600."""

    def __init__(self, folder: str, shown: str = "") -> None:
        """shown: the folder's path as placeholders give it, e.g. relative to the agent's working directory."""
        self.folder, self._shown = folder.rstrip("/"), (shown or folder).rstrip("/")
        self._last = max((int(name[1:-4]) for name in names_in(self.folder) if _is_ours(name)), default=0)

    def keep(self, text: str, about: str) -> str:
        """Store a text; its name. Raises OSError."""
        make_folder(self.folder)
        name = f"a{self._last + 1}"
        write_atomic(f"{self.folder}/{name}.txt", f"[{' '.join(about.split())}]\n{text}".encode("utf-8", "replace"))
        self._last += 1
        return name

    def where(self, name: str) -> str:
        """The file's path."""
        return f"{self._shown}/{name}.txt"

    def read(self, name: str) -> str:
        """The whole text without its first line. Raises BadInput for a name that is not there."""
        data = read_bytes(f"{self.folder}/{name}.txt") if _is_ours(f"{name}.txt") else b""
        if not data:
            raise BadInput("no such text", name, f"Texts are in {self.folder}")
        return data.decode("utf-8", "replace").partition("\n")[2]


class Shelf:
    """The whole texts of a window's blocks in an archive, each stored once, when it is asked for first."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._names: dict[str, str] = {}

    def __call__(self, block: Block) -> str:
        """Where the block's whole text is. Raises OSError when it cannot be stored."""
        name = self._names.get(block.id) or self.archive.keep(block.text, block.about or block.kind)
        return self.archive.where(self._names.setdefault(block.id, name))


def _is_ours(name: str) -> bool:
    return name.startswith("a") and name.endswith(".txt") and name[1:-4].isdecimal()
