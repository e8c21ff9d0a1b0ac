"""Which files and names may be needed again, and how are they listed so that they can be found?

Rule: every file that was changed with the names that the changes brought (+) and took out (-), then those that were
read, with the line that was spoken of most; with each the names that were last seen in it, by how much the session
works with them. Names on the page already are not repeated. One line per file; the folder that most files share is
said once. Source: requirement W5, "an identifier and path index closes it".
"""

from typing import Any

from holdfast.text import identifiers
from holdfast.worklog import mentions

ADDED, REMOVED = 2, 2  # of a changed file
MARKED = 2_200  # characters of the index from which on it says what each change brought
_HEAD = 60  # characters of the line that says the shared folder
_LEAST = 12  # characters that a name needs
_PLAIN = 3  # characters of a file's line beside its path
_LOOSE = "- elsewhere: "
_SHARED = 0.6  # of the files below one folder, from which it is worth saying it once


def lines(work: dict[str, Any], chars: int, page: str) -> list[str]:
    """The index in at most `chars` characters. `page`: what stands before it."""
    listing = _Listing(work, chars)
    listing.add_files(page)
    listing.add_names(page)
    return listing.text()


class _Listing:
    """The growing index: a line per file, names behind it, and names without a file."""

    def __init__(self, work: dict[str, Any], chars: int) -> None:
        self._work = work
        self._files = list(dict.fromkeys([*reversed(work["changed"]), *reversed(work["read"])]))
        self._root = shared_folder(self._files)
        self._places = mentions.places(work)
        self._left = chars - (len(self._root) + _HEAD if self._root else 0)
        self._marked = chars >= MARKED
        self._lines: dict[str, str] = {}
        self._names: dict[str, list[str]] = {}
        self._loose: list[str] = []

    def add_files(self, page: str) -> None:
        """The line of each changed file, and of each that stands nowhere yet, while there is room."""
        changed = set(self._work["changed"])
        waiting = sum(len(short(path, self._root)) + _PLAIN for path in changed)  # for those that are still to come
        for path in self._files:
            if path in changed or identifiers.basename(path) not in page:
                plain = f"- {short(path, self._root)}"
                line = self._changed(path, plain) if path in changed else self._placed(path, plain)
                waiting -= len(plain) + 1 if path in changed else 0
                self._add(path, line if len(line) < self._left - waiting else plain)

    def _placed(self, path: str, plain: str) -> str:
        """With the line that was spoken of; those of a changed file have moved."""
        place = self._places.get(identifiers.basename(path))
        return f"{plain}:{place}" if place else plain

    def _add(self, path: str, line: str) -> None:
        if len(line) + 1 <= self._left:
            self._lines[path] = line
            self._left -= len(line) + 1

    def _changed(self, path: str, plain: str) -> str:
        entry = (self._work["edits"].get(path) or {}) if self._marked else {}
        marks = [f"+{name}" for name in self._foremost(entry.get("added") or [], ADDED)]
        marks += [f"-{name}" for name in self._foremost(entry.get("removed") or [], REMOVED)]
        return f"{plain} ({' '.join(marks) or 'changed'})"

    def _foremost(self, names: list[str], most: int) -> list[str]:
        """Those that the session works with most; of a name with and without its package the longer."""
        tails = {name.rsplit(".", 1)[1] for name in names if "." in name}
        known = self._work["terms"]
        whole = [name for name in names if name not in tails]
        return sorted(whole, key=lambda name: -known.get(name.rsplit(".", 1)[-1], [0.0])[0])[:most]

    def add_names(self, page: str) -> None:
        """The foremost names that stand nowhere yet, each with the file that it was seen in."""
        shown = "\n".join([page, *self._lines.values()])
        have, known = identifiers.words(shown), self._work["terms"]
        files = [identifiers.basename(path) for path in self._files]
        stems = {*files, *(name.rsplit(".", 1)[0] for name in (*files, *known) if "." in name)}
        for name in mentions.ranked(self._work):
            if self._left < _LEAST:
                break
            is_there = identifiers.may_occur(name, have) and identifiers.occurs(name, shown)
            if not is_there and identifiers.basename(name) not in stems and mentions.is_name(name):
                self._place(name, known[name][2])

    def _place(self, name: str, path: str) -> None:
        own = "." in name and path.endswith(name)  # a file that was only named, with its path
        text = "/".join(path.split("/")[-2:]) if own else name
        loose = own or path not in self._files
        new_line = not loose and path not in self._lines and path not in self._names
        cost = len(text) + 1 + (len(short(path, self._root)) + 5 if new_line else 0)
        cost += len(_LOOSE) if loose and not self._loose else 0
        if cost <= self._left and text not in self._loose:
            (self._loose if loose else self._names.setdefault(path, [])).append(text)
            self._left -= cost

    def text(self) -> list[str]:
        """The lines as they are shown."""
        paths = {**self._lines, **self._names}
        found = [
            self._lines.get(path, f"- {short(path, self._root)}")
            + (f": {' '.join(self._names[path])}" if path in self._names else "")
            for path in paths
        ]
        found += [_LOOSE + " ".join(self._loose)] if self._loose else []
        legend = " (+ names that changes added, - took out)" if self._marked else ""
        return ([f"Paths are below {self._root}{legend}"] if self._root and found else []) + found


def shared_folder(files: list[str]) -> str:
    """The deepest folder that holds most of the files, with its slash; "" for none."""
    counts: dict[str, int] = {}
    for path in files:
        at = path.find("/", 1)
        while at > 0:
            counts[path[: at + 1]] = counts.get(path[: at + 1], 0) + 1
            at = path.find("/", at + 1)
    enough = [folder for folder, count in counts.items() if count >= max(2, _SHARED * len(files))]
    return max(enough, key=len, default="")


def short(path: str, root: str) -> str:
    """A path as the index shows it."""
    return path[len(root) :] if root and path.startswith(root) else path
