"""Whole texts of what left a window, under short names, so that a placeholder can say where in a few tokens.

Two of a kind: in memory, for loops that need nothing afterwards, and in a folder, one readable file each. Any object
with `keep`, `where` and `read` serves as well. A model asks for a whole text by the name in the mark that stands in its
place, through RECALL_TOOL; the manager's `recall` answers. A loop whose agent can read files needs no such tool where
the archive is a folder. Source: requirement E (a placeholder says where the full text is).
"""

import contextlib
import itertools
import time
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Any, Protocol

from holdfast.checkpoint import page, store
from holdfast.checkpoint.model import Contents, Draft
from holdfast.engine.blocks import Block
from holdfast.errors import BadInput
from holdfast.hot.files import append, make_folder, names_in, read_bytes, size_of, write_atomic
from holdfast.hot.jsonc import dumps
from holdfast.package import page as handoffs
from holdfast.package import store as packages
from holdfast.package.parts import Material
from holdfast.session.context import stamp
from holdfast.text import late as re
from holdfast.worklog import model as worklog
from holdfast.worklog.model import Worklog

Folder = str | PathLike[str]
BRIEF = "in brief at "
"""Before the path of a checkpoint's page, in the text of a hand-over."""


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
            known = f"Names are a1 to a{len(self._texts)}" if self._texts else "Nothing is stored yet"
            raise BadInput("no such text", name, known)
        return self._texts[name]


class FolderArchive:
    """One file per text; what it is stands in the first line. Folder 0700, files 0600.

    The same text with the same first line has one file, also in a later process or another one at the same time, so
    that what names it stays the same.
    """

    def __init__(self, folder: Folder, shown: str = "") -> None:
        """shown: the folder's path as placeholders give it, e.g. relative to the agent's working directory."""
        self.folder = fspath(folder).rstrip("/")
        self._shown = shown.rstrip("/") or self.folder
        self._sizes: dict[str, int] = {}  # name -> bytes

    def keep(self, text: str, about: str) -> str:
        """Store a text; its name. Raises OSError."""
        from filelock import FileLock  # late: 50 ms, and only archives in folders need it

        data = f"[{' '.join(about.split())}]\n{text}".encode("utf-8", "surrogatepass")
        make_folder(self.folder)
        with FileLock(f"{self.folder}/.lock", mode=0o600):
            new = {file.removesuffix(".txt") for file in names_in(self.folder)} - self._sizes.keys()
            self._sizes |= {name: size_of(self._path(name)) for name in new if _is_name(name)}
            alike = (name for name, size in self._sizes.items() if size == len(data))
            name = next((name for name in alike if read_bytes(self._path(name), len(data) + 1) == data), "")
            if not name:
                newest = max((int(known[1:]) for known in self._sizes if len(known) < 12), default=0)
                free = (f"a{number}" for number in itertools.count(newest + 1))
                name = next(one for one in free if one not in self._sizes)
                write_atomic(self._path(name), data)
                self._sizes[name] = len(data)
        return name

    def where(self, name: str) -> str:
        """The file's path."""
        return f"{self._shown}/{name}.txt"

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}.txt"

    def read(self, name: str) -> str:
        """The whole text without its first line. Raises BadInput for a name that is not there."""
        data = read_bytes(self._path(name)) if _is_name(name) else b""
        if not data:
            raise BadInput("no such text", name, f"Texts are in {self.folder}")
        try:
            return data.decode("utf-8", "surrogatepass").partition("\n")[2]
        except UnicodeDecodeError:  # somebody else has written to the file
            return data.decode("utf-8", "replace").partition("\n")[2]


def _is_name(name: str) -> bool:
    return name.startswith("a") and name[1:].isdecimal() and name.isascii() and len(name) < 20


def archived(archive: Archive) -> Callable[[Block], str]:
    """A function that stores all of a block once and says where it is; it raises OSError when that fails."""
    names: dict[str, str] = {}

    def where(block: Block) -> str:
        name = names.get(block.id) or archive.keep(block.whole, block.about or block.kind)
        return archive.where(names.setdefault(block.id, name))

    return where


class LoopFolder:
    """The folder of one's own loop: its checkpoints, and a line for each thing that was done to its window.

    It is `holdfast` in the one that is given: what lies beside it stays. Without a folder ("") nothing is written and
    every path is "".
    """

    def __init__(self, folder: Folder) -> None:
        self.folder = f"{fspath(folder).rstrip('/')}/holdfast" if folder else ""

    def left(self, text: str) -> tuple[Worklog, str] | None:
        """The work and what is kept, of the checkpoint that a hand-over's text names; None where it is not here."""
        named = re.match(r"([0-9]{1,19})\.md", text.rpartition(f"{BRIEF}{self.folder}/")[2])
        saved = store.load(self.folder, int(named[1])) if self.folder and named else None
        work = worklog.load(saved["work"]) if saved else worklog.empty()
        return ({**work, "window": work["window"] + 1}, saved.get("kept", "")) if saved and work["prompts"] else None

    def save(self, data: Contents, size: tuple[int, int, int], note: str) -> str:
        """Store a checkpoint with its time; the path of its page. Raises OSError.

        size: tokens of the window, its limit, and how many calls of tools. note: what is to stand first in it.
        """
        if not self.folder:
            return ""
        now = time.time()
        draft: Draft = {
            **data,
            "time": now,
            "stamp": stamp(now),
            "session": "loop",
            "made": "",
            "reason": "handed over",
            "note": {"text": note, "time": now} if note else None,
            "calls": size[2],
            "tokens": size[0],
            "limit": size[1],
            "environment": {},
        }
        return store.readable_path(self.folder, store.save(self.folder, draft, page.readable))

    def hand_over(self, known: Material, limit: int, family: str) -> str:
        """Store a handoff package for the next window; its path, "" where there is too little for one. Raises OSError.

        It takes at most a quarter of that window.
        """
        if not self.folder:
            return ""
        now = time.time()
        facts = packages.Facts(kind="continuation", of="loop", to="loop", time=now, tokens=0, material=0)

        def made(code: str) -> tuple[str, packages.Facts]:
            head = handoffs.Head(code, "continuation", "the window before", "the next window", stamp(now), "")
            text, tokens, material, _ = handoffs.made(head, known, family, limit // 4)
            return text, {**facts, "tokens": tokens, "material": material}

        try:
            return packages.save(self.folder, now, made).path
        except BadInput:
            return ""

    def log(self, told: Mapping[str, object]) -> None:
        """Add a line; a disk that refuses keeps none, since the work goes on all the same."""
        if self.folder:
            with contextlib.suppress(OSError):
                make_folder(self.folder)
                append(f"{self.folder}/audit.jsonl", f"{dumps(told)}\n")


RECALL_TOOL: dict[str, Any] = {
    "name": "recall",
    "description": (
        "The whole text of something that was taken out of this conversation, or shortened, to save room. In its place "
        "stands a text that begins with `[Evicted`, `[Summary of`, `[Merged`, `[Turn` or `[Holdfast` and says `whole: "
        "NAME`, `Whole result: NAME` or `What came before: NAME`: give that NAME. Use it when you need the exact text "
        "and not its finding."
    ),
    "input_schema": {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "The NAME that the text in its place gives"}},
        "required": ["name"],
    },
}
"""For the request's list of tools; pass what the model gives to `ContextWindowManager.recall`."""
