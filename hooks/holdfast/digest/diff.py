"""What of a diff does the model need to see?

Rule: every file's head, every hunk's head, and the hunks themselves, the smallest first, while there is room; of one
that is left out its size and where it stands in the whole. Hot-path module: no regular expressions.
"""

from holdfast import TYPE_CHECKING
from holdfast.digest.hits import fitting

if TYPE_CHECKING:
    Part = tuple[int, list[str]]


def digest(lines: "list[str]", room: int) -> "tuple[list[str], list[str]]":
    """(digest, the lines with "" for those of a diff); ([], lines) of a text that is not mostly a diff.

    room: characters.
    """
    parts, other = _parts(lines)
    hunks = [part for part in parts if _is_hunk(part)]
    if not hunks or sum(map(bool, other)) * 2 > len(lines):
        return [], lines
    told = [[_told(part)] if _is_hunk(part) else part[1] for part in parts]
    left = room - sum(len(line) + 1 for lines in told for line in lines)
    whole = 0
    for place in sorted(range(len(parts)), key=lambda place: sum(map(len, parts[place][1]))):
        if _is_hunk(parts[place]):
            left -= sum(len(line) + 1 for line in parts[place][1][1:])
            if left < 0:
                break
            told[place] = parts[place][1]
            whole += 1
    count = len(parts) - len(hunks)
    files = f" of {count} file{'s' * (count != 1)}" if count else ""
    title = f"--- diff{files}: {whole} of {len(hunks)} hunks whole, of the others the heads ---"
    return [title, *fitting([line for lines in told for line in lines], room)], other


def _is_hunk(part: "Part") -> bool:
    return part[1][0].startswith("@@ ")


def _told(part: "Part") -> str:
    number, (head, *lines) = part
    added, removed = (sum(line[:1] == sign for line in lines) for sign in "+-")
    return f"{head[:200]}  [+{added} -{removed}: lines {number}-{number + len(lines)}]"


def _parts(lines: "list[str]") -> "tuple[list[Part], list[str]]":
    """(the head of each file and each hunk, with the number of its first line from 1; the lines with "" for those)."""
    parts, other, old, new = list["Part"](), list[str](), 0, 0
    # what git repeats in a file's head is not shown
    heads = ("old mode", "new mode", "new file", "deleted file", "rename ", "copy ", "Binary files", "--- ", "+++ ")
    for number, line in enumerate(lines, 1):
        other.append("")
        sign, at = line[:1], line.find("@@ -")
        in_head = bool(parts) and not _is_hunk(parts[-1])
        if max(old, new) > 0 and sign in " +-\\":  # an empty line has lost its blank
            old, new = old - (sign in " -"), new - (sign in " +")
            parts[-1][1].append(line)
        elif at >= 0 and " @@" in line[at + 4 :] and (at == 0 or line[at - 2] == "?"):  # `git add -p` asks before it
            old, new = (_length(side) for side in (*line[at:].split(" ")[1:3], "", "")[:2])
            parts.append((number, [line[at:]]))
        elif line.startswith("diff --git ") or (line.startswith("--- ") and not in_head):
            parts.append((number, [line]))
        elif in_head and line.startswith(heads):
            if not line.startswith(("--- ", "+++ ")) or parts[-1][1][0].startswith("--- "):
                parts[-1][1].append(line)
        elif line.strip() and not line.startswith(("index ", "similarity ", "\\")):
            other[-1] = line
    return parts, other


def _length(side: str) -> int:
    """Lines on one side of a hunk: `-12,7` 7, `+3` 1."""
    lines = side.partition(",")[2] or "1"
    return int(lines) if lines.isdecimal() else 0
