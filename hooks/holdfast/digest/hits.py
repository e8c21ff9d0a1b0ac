"""What of search results and lists of files does the model need to see?

Rule: counts for each file (of a list: for each folder) and the first hits of each, as many of each as there is room
for. A hit is known by its form: a file, the number of a line, which rises, and the line. Where a blank stands before
that a compiler has reported, and it is a log. Lines around hits are in the whole; a search that brings EXCERPT and more
of them for each hit has read source. Hot-path module: no regular expressions.
"""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Hits = tuple[dict[str, list[int]], bool]
    Clean = Callable[[Iterable[int]], Mapping[int, str]]
    Part = tuple[int, list[int], int]

EXCERPT = 8
NUMBERS, DEEP = 6, 40
"""Numbers in a line that may be that of a line, and folders in a path that are told apart."""


def of(lines: "list[str]") -> "Hits | None":
    """(file or folder -> the places of its lines, whether they are paths); None of a text that is no search result."""
    groups = _hits(lines)
    found = groups or _paths(lines)
    return (found, not groups) if found else None


def digest(found: "Hits", lines: "list[str]", room: int, clean: "Clean") -> "list[str]":
    """The digest. room: characters; clean: lines by their places, without their secrets.

    What is told is settled by the lines as they are: to clean all of them would take ten times as long as all else.
    """
    groups, are_paths = found
    raw, parts, left, each = dict(enumerate(lines)), list["Part"](), -1, 0
    for each in (20, 10, 6, 4, 3, 2, 1, 0):
        parts, left = _chosen(found, each, raw, room)
        if left >= 0:
            break
    cleaned = clean({place for first, places, _ in parts for place in (first, *places)})
    rows = [row for part in parts if (row := _row(part, raw, cleaned, are_paths))]
    what, where = ("paths", "folder") if are_paths else ("hits", "file")
    plural = "s" * (len(groups) != 1)
    first = ", the first of each" * bool(each)
    title = f"--- {sum(map(len, groups.values())):,} {what} in {len(groups):,} {where}{plural}{first} ---"
    return [title, *fitting(rows, room, len(rows) if left >= 0 else len(groups))]


def _chosen(found: "Hits", each: int, lines: "Mapping[int, str]", room: int) -> "tuple[list[Part], int]":
    """(what each row is made of, as far as there is room; how much is left of that: less than none where it ends).

    Of a row the place of a line with its file or folder, those of the lines told in it, and how many there are; 0: a
    hit.
    """
    groups, are_paths = found
    parts = list["Part"]()
    for places in groups.values():
        least = max(each, are_paths and len(places) == 1)
        some = [(places[0], places[:least] * are_paths, len(places))]
        some += [(place, [place], 0) for place in places[: each * (not are_paths)]]
        parts += some
        room -= sum(len(_row(part, lines, lines, are_paths)) + 1 for part in some)
        if room < 0:
            break
    return parts, room


def _row(part: "Part", lines: "Mapping[int, str]", told: "Mapping[int, str]", are_paths: bool) -> str:
    """told: the lines without their secrets, and without those that are a part of one."""
    first, places, count = part
    texts = [text for place in places if (text := _told(lines[place], told.get(place, ""), are_paths))]
    if not count:
        return "".join(texts)
    name, before, _ = _cut(lines[first], are_paths)
    name = name if told.get(first, "").startswith(before) else "[redacted: name]"
    if not are_paths:
        return f"{name or '(the file)'}: {count}"
    if count == 1:
        return f"{name}/{''.join(texts)}"
    return f"{name}/ {count}{': ' * bool(texts)}{', '.join(texts)}{', …' * (count > len(texts) > 0)}"


def _told(line: str, clean: str, are_paths: bool) -> str:
    _, before, number = _cut(line, are_paths)
    raw = line.removeprefix(before)
    text = clean.removeprefix(before)[len(raw) - len(raw.lstrip()) :]  # what is not shown of it is blank, too
    if are_paths or not text:
        return text.rstrip().rstrip("/")
    shown = text.rstrip() if len(text) <= 200 else f"{text[:180].rstrip()} …[{len(text) - 180} characters]".lstrip()
    return f"  {number}: {shown}" if number >= 0 else f"  {shown}"


def _cut(line: str, are_paths: bool) -> "tuple[str, str, int]":
    """(file or folder, all that stands before what is told of it, the number of a hit's line or -1)."""
    if not are_paths:
        file, number, text = _hit(line)
        return file, line[: len(line) - len(text)], number
    folder, sign, _ = line.rstrip("/").rpartition("/")
    return folder or ".", folder + sign, -1


def begins(text: str) -> bool:
    """Cheap guess, from the beginning of a text, whether it is one."""
    return of(text[:8_000].split("\n")[:-1]) is not None


def is_excerpt(found: "Hits", count: int) -> bool:
    """Whether these are search results that bring mostly the lines around their hits. count: of all lines."""
    groups, are_paths = found
    return not are_paths and count >= EXCERPT * sum(map(len, groups.values()))


def fitting(lines: "list[str]", room: int, of: int = 0) -> "list[str]":
    """The first lines that have so many characters together, and how many more there are. of: so many are there."""
    count, of = count_fitting((len(line) + 1 for line in lines), room), of or len(lines)
    return [*lines[:count], f"[{of - count} more such lines]"] if count < of else lines


def count_fitting(sizes: "Iterable[int]", room: int) -> int:
    """How many of the first of these have room together; the first has always."""
    count = 0
    for size in sizes:
        room -= size
        if room < 0 and count:
            break
        count += 1
    return count


def _hits(lines: "list[str]") -> "dict[str, list[int]]":
    """File -> the places of its hits; {} where not nine of ten lines are hits or stand around one."""
    groups: "dict[str, list[int]]" = {}
    last: "dict[str, int]" = {}
    others, reports, found = list[str](), 0, list(map(_hit, lines))
    numbered = any(number > 0 for _, number, _ in found)
    for place, (line, (file, number, text)) in enumerate(zip(lines, found, strict=True)):
        if text and (number > last.get(file, 0) if numbered else number < 0):
            last[file] = number
            after = text.lstrip("0123456789")
            message = after[1:] if after != text and after[:1] == ":" else text  # a column
            reports += message[:1] == " " != message[1:2]
            groups.setdefault(file, []).append(place)
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


def _paths(lines: "list[str]") -> "dict[str, list[int]]":
    """Folder -> the places of the names in it; {} where not nine of ten lines are paths."""
    named = [(place, line) for place, line in enumerate(lines) if line.strip()]
    paths = [(at, one) for at, one in named if ":" not in one and (one[0] in "/." or not (" " in one or "\t" in one))]
    deep = sum("/" in path for _, path in paths)
    if deep < 20 or deep * 2 < len(paths) or len(paths) * 10 < len(named) * 9:
        return {}
    groups: "dict[str, list[int]]" = {}
    for place, path in paths:
        groups.setdefault(path.rstrip("/").rpartition("/")[0] or ".", []).append(place)
    return groups
