"""Which instruction files hold for what is being touched, and what do they say once their includes are in?

Rule: from the general to the particular: global, project, domain, folder, task. The first two hold from the start,
the others once something of theirs is touched. A file is cut at 10,000 characters and all together at 25,000, which is
the 10,000 tokens that a system prompt may have; an include is followed four levels deep and each file is read once.
Nothing becomes an instruction that does not come from a trusted place. The ids that were loaded are what is put back
after a compaction. Source: requirement N (scoped instruction files); the source names no caps.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from posixpath import dirname, join, normpath
from typing import NamedTuple

SCOPES = ("global", "project", "domain", "folder", "task")  # the later may refine the earlier

Read = Callable[[str], str | None]  # path -> text; None when there is no such file
Trusted = Callable[[str], bool]  # whether a path lies where instructions may come from


class InstructionFile(NamedTuple):
    """An instruction file that there is."""

    path: str  # also its id
    scope: str
    where: str = ""  # of a folder its path, of a domain the endings that it is for, e.g. "*.py *.pyi"


class Instruction(NamedTuple):
    """One file as it is put into the window."""

    id: str
    scope: str
    text: str


class Loaded(NamedTuple):
    """What holds now."""

    instructions: tuple[Instruction, ...] = ()
    notes: tuple[str, ...] = ()  # what was cut, refused or not found, one line each

    @property
    def ids(self) -> tuple[str, ...]:
        """What to put back after a compaction."""
        return tuple(one.id for one in self.instructions)


def applying(sources: Iterable[InstructionFile], touched: Collection[str]) -> list[InstructionFile]:
    """The sources that hold when these paths have been touched, the general ones first."""
    found = [source for source in sources if source.scope in SCOPES and _holds(source, touched)]
    return sorted(found, key=lambda source: (SCOPES.index(source.scope), source.where.count("/"), source.path))


def _holds(source: InstructionFile, touched: Collection[str]) -> bool:
    if source.scope == "folder":
        folder = normpath(source.where)
        return any(f"{normpath(path)}/".startswith(f"{folder}/") for path in touched)
    if source.scope == "domain":
        return any(path.endswith(tuple(end.lstrip("*") for end in source.where.split())) for path in touched)
    return True


def load(sources: Sequence[InstructionFile], read: Read, trusted: Trusted) -> Loaded:
    """The sources' texts with their includes, within the caps. Reading is the caller's."""
    loader = _Loader(read, trusted)
    left, instructions = 25_000, []
    for source in sources:
        kept = loader.cut(loader.whole(normpath(source.path)), min(10_000, left), source.path)
        left -= len(kept)
        if kept.strip():
            instructions.append(Instruction(source.path, source.scope, kept))
    return Loaded(tuple(instructions), tuple(loader.notes))


def reattach(ids: Sequence[str], sources: Iterable[InstructionFile], read: Read, trusted: Trusted) -> Loaded:
    """After a compaction: what was loaded before it, read anew; what is gone is noted."""
    known = {source.path: source for source in sources}
    active = [known[one] for one in dict.fromkeys(ids) if one in known]
    gone = tuple(f"{one}: no longer an instruction file" for one in dict.fromkeys(ids) if one not in known)
    active.sort(key=lambda source: SCOPES.index(source.scope))
    found = load(active, read, trusted)
    return found._replace(notes=gone + found.notes)


_INCLUDE = re.compile(r"(?<![\w`@/.-])@((?:~/|\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*\.\w+)")


class _Loader:
    """Reads each file once, and notes what it did not take."""

    def __init__(self, read: Read, trusted: Trusted) -> None:
        self.read, self.trusted = read, trusted
        self.seen: set[str] = set()
        self.notes: list[str] = []

    def whole(self, path: str, level: int = 0) -> str:
        """The file's text with what it includes in its place."""
        reason = self._refused(path, level)
        text = None if reason else self.read(path)
        if text is None:
            self.notes.append(f"{path}: {reason or 'not found'}")
            return ""
        self.seen.add(path)
        lines, fenced = [], False
        for line in text.split("\n"):
            fenced ^= line.lstrip().startswith(("```", "~~~"))
            lines.append(line)
            for name in () if fenced else _INCLUDE.findall(line):
                lines += filter(None, [self.whole(_beside(path, name), level + 1)])
        return "\n".join(lines)

    def _refused(self, path: str, level: int) -> str:
        rules = (
            (path in self.seen, "loaded already"),
            (level > 4, "deeper than 4 includes"),
            (not self.trusted(path), "not from a trusted place, so it is no instruction"),
        )
        return next((reason for holds, reason in rules if holds), "")

    def cut(self, text: str, chars: int, path: str) -> str:
        """Whole lines of `text` within `chars`."""
        if len(text) <= chars:
            return text
        kept = text[: text.rfind("\n", 0, chars + 1) + 1].rstrip("\n") if chars > 0 else ""
        self.notes.append(f"{path}: {len(text) - len(kept):,} of {len(text):,} characters left out")
        return kept


def _beside(path: str, name: str) -> str:
    """An include's path, relative to the file that includes it; one that leads out of its folder keeps its `..`."""
    return normpath(name if name.startswith("~") else join(dirname(path), name))
