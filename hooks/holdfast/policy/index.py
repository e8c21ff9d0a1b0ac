"""Which files and names may be needed again, and how are they listed so that they can be found?

Rule: every file that was changed with the names that the changes brought (+) and took out (-), then those that were
read; with each the names that were last seen in it, by how much the session works with them. Names on the page
already are not repeated. One line per file; the folder that most files share is said once. Source: requirement W5,
"an identifier and path index closes it".
"""

from typing import Any

from holdfast.core import terms
from holdfast.policy import vocabulary

ADDED, REMOVED = 3, 2  # of a changed file
MARKED = 2_400  # characters of the index from which on it says what each change brought
_SHARED = 0.6  # of the files below one folder, from which it is worth saying it once


def lines(work: dict[str, Any], chars: int, page: str) -> list[str]:
    """The index in at most `chars` characters. `page`: what stands before it."""
    files = list(dict.fromkeys([*reversed(work["changed"]), *reversed(work["read"])]))
    root = shared_folder(files)
    left = chars - (len(root) + 60 if root else 0)
    entries = _entries(work, files, root, page, left)
    left -= sum(len(line) + 1 for line in entries.values())
    names, loose = _names(work, set(files), root, left, page + "\n".join(entries.values()), entries)
    found = [_line(entries.get(path) or f"- {short(path, root)}", names.get(path, [])) for path in {**entries, **names}]
    found += [f"- elsewhere: {', '.join(loose)}"] if loose else []
    return ([f"Paths are below {root} (+ names added, - names taken out)"] if root and found else []) + found


def _entries(work: dict[str, Any], files: list[str], root: str, page: str, chars: int) -> dict[str, str]:
    """The line of each changed file, and of each that stands nowhere yet, while there is room."""
    kept: dict[str, str] = {}
    changed, marked = set(work["changed"]), chars >= MARKED
    for path in files:
        if path not in changed and terms.basename(path) in page:
            continue
        line = _changed(path, work, root, marked) if path in changed else f"- {short(path, root)}"
        line = line if len(line) < chars else f"- {short(path, root)}"
        if len(line) + 1 <= chars:
            kept[path] = line
            chars -= len(line) + 1
    return kept


def _changed(path: str, work: dict[str, Any], root: str, marked: bool) -> str:
    entry = (work["edits"].get(path) or {}) if marked else {}
    marks = [f"+{name}" for name in _foremost(entry.get("added") or [], work, ADDED)]
    marks += [f"-{name}" for name in _foremost(entry.get("removed") or [], work, REMOVED)]
    return f"- {short(path, root)} (changed{': ' if marks else ''}{' '.join(marks)})"


def _foremost(names: list[str], work: dict[str, Any], most: int) -> list[str]:
    """Those of the names that the session works with most; of a name with and without its package the longer."""
    tails = {name.rsplit(".", 1)[1] for name in names if "." in name}
    whole = [name for name in names if name not in tails]
    return sorted(whole, key=lambda name: -work["terms"].get(name.rsplit(".", 1)[-1], [0.0])[0])[:most]


def _names(
    work: dict[str, Any], files: set[str], root: str, chars: int, page: str, titled: dict[str, str]
) -> tuple[dict[str, list[str]], list[str]]:
    """The foremost names that stand nowhere yet: by the file that they were seen in, and those without one."""
    by_file: dict[str, list[str]] = {}
    loose: list[str] = []
    have = terms.words(page)
    named = [terms.basename(path) for path in files]
    stems = {*named, *(name.rsplit(".", 1)[0] for name in (*named, *work["terms"]) if "." in name)}
    for name in vocabulary.ranked(work):
        if chars < _LEAST:
            break
        if name in stems or not vocabulary.is_name(name) or (terms.may_occur(name, have) and terms.occurs(name, page)):
            continue
        path = work["terms"][name][2]
        own = "." in name and path.endswith(name)  # a file that was only named, with its path
        text = "/".join(path.split("/")[-2:]) if own else name
        place = by_file.setdefault(path, []) if path in files and not own else loose
        title = len(short(path, root)) + 4 if place is not loose and not place and path not in titled else 0
        if len(text) + 2 + title <= chars:
            place.append(text)
            chars -= len(text) + 2 + title
    return {path: found for path, found in by_file.items() if found}, loose


_LEAST = 12  # characters that a name needs


def _line(entry: str, names: list[str]) -> str:
    return f"{entry}: {', '.join(names)}" if names else entry


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
