"""What of a diff does the model need to see?

Rule: every file's head, every hunk's head, and the hunks themselves, the smallest first, while there is room; of one
that is left out its size and where it stands in the whole. Hot-path module: no regular expressions.
"""

from holdfast import TYPE_CHECKING
from holdfast.digest.hits import count_fitting, fitting

if TYPE_CHECKING:
    from holdfast.digest.hits import Clean

    Part = tuple[bool, list[int]]
    Diff = tuple[list[Part], list[str]]
    Rows = dict[int, str | None]


def of(lines: "list[str]") -> "Diff | None":
    """(each file's head and each hunk: whether it is one, the places of its lines; the lines with "" for all those).

    None of a text that is not mostly a diff.
    """
    parts, other = _parts(lines)
    is_diff = any(is_hunk for is_hunk, _ in parts) and sum(map(bool, other)) * 2 <= len(lines)
    return (parts, other) if is_diff else None


def digest(found: "Diff", lines: "list[str]", room: int, clean: "Clean") -> "list[str]":
    """The digest. room: characters; clean: lines by their places, without their secrets.

    What is told is settled by the lines as they are.
    """
    parts, told, whole = found[0], list["Rows"](), 0
    for is_hunk, places in parts:
        told.append({places[0]: _size(lines, places)} if is_hunk else dict.fromkeys(places))
    left = room - sum(len(_row(lines[place], end)) + 1 for rows in told for place, end in rows.items())
    for part in sorted(range(len(parts)), key=lambda part: sum(len(lines[place]) for place in parts[part][1])):
        is_hunk, (head, *inside) = parts[part]
        if is_hunk:
            left -= sum(len(lines[place]) + 1 for place in inside)
            if left < 0:
                break
            told[part] = {head: "", **dict.fromkeys(inside)}
            whole += 1
    hunks = sum(is_hunk for is_hunk, _ in parts)
    count = len(parts) - hunks
    files = f" of {count} file{'s' * (count != 1)}" if count else ""
    title = f"--- diff{files}: {whole} of {hunks} hunks whole, of the others the heads ---"
    rows = [row for some in told for row in some.items()]
    shown = rows[: count_fitting((len(_row(lines[place], end)) + 1 for place, end in rows), room)]
    cleaned = clean(dict(shown))
    texts = [_row(cleaned[place], end) for place, end in shown if place in cleaned]
    return [title, *fitting(texts, room, len(texts) + len(rows) - len(shown))]


def _row(line: str, end: "str | None") -> str:
    """A line, of a hunk's head from where that begins. end: what is said behind a head, "" behind a whole hunk's."""
    if end is None:
        return line
    head = line[max(0, line.find("@@ -")) :]
    return f"{head[:200]}{end}" if end else head


def _size(lines: "list[str]", hunk: "list[int]") -> str:
    added, removed = (sum(lines[place][:1] == sign for place in hunk[1:]) for sign in "+-")
    return f"  [+{added} -{removed}: lines {hunk[0] + 1}-{hunk[-1] + 1}]"


def _parts(lines: "list[str]") -> "Diff":
    """(the head of each file and each hunk, the lines with "" for those)."""
    parts, other, old, new = list["Part"](), list[str](), 0, 0
    # what git repeats in a file's head is not shown
    heads = ("old mode", "new mode", "new file", "deleted file", "rename ", "copy ", "Binary files", "--- ", "+++ ")
    for place, line in enumerate(lines):
        other.append("")
        sign, at = line[:1], line.find("@@ -")
        in_head = bool(parts) and not parts[-1][0]
        if max(old, new) > 0 and sign in " +-\\":  # an empty line has lost its blank
            old, new = old - (sign in " -"), new - (sign in " +")
            parts[-1][1].append(place)
        elif at >= 0 and " @@" in line[at + 4 :] and (at == 0 or line[at - 2] == "?"):  # `git add -p` asks before it
            old, new = (_length(side) for side in (*line[at:].split(" ")[1:3], "", "")[:2])
            parts.append((True, [place]))
        elif line.startswith("diff --git ") or (line.startswith("--- ") and not in_head):
            parts.append((False, [place]))
        elif in_head and line.startswith(heads):
            if not line.startswith(("--- ", "+++ ")) or lines[parts[-1][1][0]].startswith("--- "):
                parts[-1][1].append(place)
        elif line.strip() and not line.startswith(("index ", "similarity ", "\\")):
            other[-1] = line
    return parts, other


def _length(side: str) -> int:
    """Lines on one side of a hunk: `-12,7` 7, `+3` 1."""
    lines = side.partition(",")[2] or "1"
    return int(lines) if lines.isdecimal() else 0
