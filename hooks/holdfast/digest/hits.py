"""What of search results and lists of files does the model need to see?

Rule: counts for each file (of a list: for each folder) and the first hits of each, as many of each as there is room
for. A hit is known by its form: a file, the number of a line, which rises, and the line. Where a blank stands before
that a compiler has reported, and it is a log. Lines around hits are in the whole; a search that brings EXCERPT and more
of them for each hit has read source. Hot-path module: no regular expressions.
"""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EXCERPT = 8
NUMBERS, DEEP = 6, 40
"""Numbers in a line that may be that of a line, and folders in a path that are told apart."""


def digest(lines: "list[str]", room: int) -> "list[str]":
    """The digest; [] of a text that is no search result. room: characters."""
    groups = _hits(lines)
    found, paths = groups or _paths(lines), not groups
    for each in (20, 10, 6, 4, 3, 2, 1, 0):
        rows = [row for name, hits in found.items() for row in _rows(name, hits, each, paths)]
        if sum(len(row) + 1 for row in rows) <= room:
            break
    what, where = ("paths", "folder") if paths else ("hits", "file")
    plural = "s" * (len(found) != 1)
    first = ", the first of each" * bool(found and each)
    title = f"--- {sum(map(len, found.values())):,} {what} in {len(found):,} {where}{plural}{first} ---"
    return [title, *fitting(rows, room)] if found else []


def _rows(name: str, hits: "list[str]", each: int, paths: bool) -> "list[str]":
    if paths and len(hits) == 1:
        return [f"{name}/{hits[0]}"]
    if paths:
        return [f"{name}/ {len(hits)}{': ' * bool(each)}{', '.join(hits[:each])}{', …' * (len(hits) > each > 0)}"]
    return [f"{name or '(the file)'}: {len(hits)}", *hits[:each]]


def begins(text: str) -> bool:
    """Cheap guess, from the beginning of a text, whether `digest` knows it."""
    lines = text[:8_000].split("\n")[:-1]
    return bool(_hits(lines) or _paths(lines))


def fitting(lines: "list[str]", room: int) -> "list[str]":
    """The first lines that have so many characters together, and how many more there are."""
    count = count_fitting((len(line) + 1 for line in lines), room)
    return [*lines[:count], f"[{len(lines) - count} more such lines]"] if count < len(lines) else lines


def count_fitting(sizes: "Iterable[int]", room: int) -> int:
    """How many of the first of these have room together; the first has always."""
    count = 0
    for size in sizes:
        room -= size
        if room < 0 and count:
            break
        count += 1
    return count


def is_excerpt(lines: "list[str]") -> bool:
    """Whether these are search results that bring mostly the lines around their hits."""
    groups = _hits(lines)
    return bool(groups) and len(lines) >= EXCERPT * sum(map(len, groups.values()))


def _hits(lines: "list[str]") -> "dict[str, list[str]]":
    """File -> its hits, in their order; {} where not nine of ten lines are hits or stand around one."""
    groups: "dict[str, list[str]]" = {}
    last: "dict[str, int]" = {}
    others, reports, found = list[str](), 0, list(map(_hit, lines))
    numbered = any(number > 0 for _, number, _ in found)
    for line, (file, number, text) in zip(lines, found, strict=True):
        if text and (number > last.get(file, 0) if numbered else number < 0):
            last[file] = number
            after = text.lstrip("0123456789")
            message = after[1:] if after != text and after[:1] == ":" else text  # a column
            reports += message[:1] == " " != message[1:2]
            told = text.strip()
            shown = told if len(told) <= 200 else f"{told[:180]} …[{len(told) - 180} characters]"
            groups.setdefault(file, []).append(f"  {number}: {shown}" if number >= 0 else f"  {shown}")
        elif line.strip() not in ("", "--"):
            others.append(line)
    if not groups:
        return {}
    hits = sum(map(len, groups.values()))
    ends = {[*_ends(name)][-1] for name in groups}  # the client shortens the paths of hits alone (2.1.329)
    strange = sum(not _is_around(line, ends) for line in others)
    return groups if hits > 2 * reports and strange * 10 <= hits + len(others) else {}


def _hit(line: str) -> "tuple[str, int, str]":
    """(file, number, text) of a hit, as `a.py:12:text`, `a.py:text` or, of one file, `12:text`; text "" for none."""
    drive = 2 if line[1:3] in (":\\", ":/") else 0
    first, _, rest = line[drive:].partition(":")
    number, _, text = rest.partition(":")
    if rest[:1] == ":":  # a name within a file, as test runners and C++ write it
        return "", -1, ""
    if _is_number(first):
        return "", int(first), rest
    if line[:1] in " \t" or " " in first or not ("/" in first or "." in first):
        return "", -1, ""
    file = line[:drive] + first
    return (file, int(number), text) if _is_number(number) and text else (file, -1, rest)


def _is_number(text: str) -> bool:
    """Of a line: longer ones are none, and of very many digits Python makes no number."""
    return text.isdecimal() and len(text) < 10


def _is_around(line: str, ends: "set[int]") -> bool:
    """Whether it is `a.py-12-text`, or `12-text` of one file, also below other folders. ends: of the whole names."""
    parts = line.split("-", 20)
    at = [at for at, part in enumerate(parts[:-1]) if part.isdecimal()][:NUMBERS]
    return any(end in ends for one in at for end in _ends("-".join(parts[:one])))


def _ends(path: str) -> "Iterator[int]":
    """Of each end of a path, its name first, a number that no other has: to compare them all with all would be slow."""
    end = 0
    for part in path.rsplit("/", DEEP)[::-1]:
        end = hash((end, part))
        yield end


def _paths(lines: "list[str]") -> "dict[str, list[str]]":
    """Folder -> names in it; {} where not nine of ten lines are paths."""
    named = [line for line in lines if line.strip()]
    paths = [line for line in named if ":" not in line and (line[0] in "/." or not (" " in line or "\t" in line))]
    deep = sum("/" in path for path in paths)
    if deep < 20 or deep * 2 < len(paths) or len(paths) * 10 < len(named) * 9:
        return {}
    groups: "dict[str, list[str]]" = {}
    for path in paths:
        folder, _, name = path.rstrip("/").rpartition("/")
        groups.setdefault(folder or ".", []).append(name)
    return groups
