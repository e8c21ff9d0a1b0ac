"""What may a caller read of a report that is too long and that its agent will not shorten?

Rule (B3): lines of the report as they stand, with their numbers: those that state the decision, those that the report
itself labels as severe, those under headings of what must be fixed or is open, messages of errors, the headings, and
where room is left the beginning. It says that it is an outline, never more than the limit, the same at every run. No
decision is taken from a sentence, nothing is reworded, and a cut line ends in "…".
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from holdfast.handoff import decision, model, structure
from holdfast.handoff.structure import Line
from holdfast.text import tokens
from holdfast.text.lines import clip

Counter = Callable[[str], int]
MARK = "[Holdfast outline of "
MARGINS = {"counted": 1.21, "estimated": 1.32}
"""A text may in truth be this much larger: rare words of plain prose, measured with a reconstruction of the tokenizer
on 1,134 shortened texts of 63 reports; none passed its limit."""
LINE_CHARS = 200
AT_A_TIME = 3
"""Lines of one group before the next group has its turn, so that a long table leaves room for the rest."""

SEVERE = frozenset(
    ("critical", "high", "blocker", "blocking", "severe", "p0", "p1", "sev0", "sev1", "🔴", "⛔", "🛑", "🚨")
)
"""Labels of the upper two levels: CVSS v3.1 (critical, high), issue trackers (blocker, P0, P1, SEV-0, SEV-1), signs."""
_SEVERITY = frozenset(("severity", "priority"))
_OF_ANYTHING = "high"
"""Confidence and cost are high too: in a table it counts in a column of severity only."""
_LABELLED = frozenset(
    ("issue", "issues", "finding", "findings", "bug", "bugs", "problem", "problems", "error", "errors")
)
"""A heading of one severe label and one of these holds what is so labelled ("Critical issues")."""
TO_DO = (
    *("must fix", "must be fixed", "must change", "required change", "required fix", "action required", "blocker"),
    *("blocking", "open error", "open issue", "open question", "unresolved", "failing test"),
)
"""Beginnings of headings and labels under which stands what is to be done, as the protocol and reviews name them."""
_OUTPUT = ("", "text", "txt", "console", "shell", "sh", "bash", "log", "output", "plaintext")
"""Fences that hold what a program printed and not its source."""
_ERROR = re.compile(
    r"(?:\S+:\d+:(?:\d+:)? ?)?(?:E +)?(?:[\w.]*(?:Error|Exception)|error|ERROR|FATAL|fatal|panic|FAIL|FAILED|--- FAIL)"
    r"(?:\[\w+\])?[: ] ?\S"
)
_RAISED = re.compile(r"\b[A-Z]\w*(?:Error|Exception): \S")


class Group(NamedTuple):
    """Lines of one kind below their caption."""

    caption: str
    lines: list[Line]


def outline(
    report: str, limit: int = 500, count: Counter | None = None, path: str = "", what: str = "an agent's report"
) -> str:
    """At most `limit` tokens of a report's lines; path: where the whole stands. A report that fits stays as it is."""

    def size(text: str) -> int:
        return int(count(text) * MARGINS["counted"] if count else tokens.estimate(text) * MARGINS["estimated"])

    parsed = model.parse(report)
    source = report if parsed.form == "prose" else model.parent_text(parsed)
    whole = "\n".join(filter(None, (source.strip(), f"Full report: {path}" if path else "")))
    if tokens.rough(len(whole)) <= 2 * limit and size(whole) <= limit:
        return whole or "(The report is empty.)"
    found = groups(structure.scan(source))
    order = _in_turn(found)
    head = _head(what, source, path)
    if size(head) > limit:
        head = _head(what, source, "")
    low, high = 0, len(order)
    while low < high:  # the most lines that fit
        middle = (low + high + 1) // 2
        fits = size(_page(head, found, order[:middle], parsed.form == "prose")) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return _page(head, found, order[:low], parsed.form == "prose")


def is_outline(text: str) -> bool:
    """Whether a text was made by `outline`."""
    return text.startswith(MARK)


def essence(text: str) -> str:
    """An outline without its head and the headings: what the report states and labels."""
    said = text.partition("\n")[2] if is_outline(text) else text
    return said.partition(f"\n{HEADINGS}")[0].partition(f"\n{FIRST}")[0]


HEADINGS, FIRST = "Headings of the report:", "Its first other lines:"
UNSTATED = "No line of the report is marked as its decision."


def groups(lines: list[Line]) -> list[Group]:
    """What an outline is made of, most important first; a line stands in one group only."""
    verdict = [one.line for one in decision.statements(lines)]
    headings = sorted((line for line in lines if line.kind == "heading"), key=lambda line: (line.depth, line.number))
    headings = [line for line in headings if line.depth < structure.COLON or headings[0].depth == structure.COLON]
    wanted = (
        ("Decision, as the report states it:" if verdict else UNSTATED, _with_value(verdict, lines)),
        ("Labelled critical, high or blocking in the report:", severe(lines)),
        ("Under headings of what must be done or is open:", to_do(lines)),
        ("Messages of errors:", [line for line in lines if _is_error(line)]),
        (HEADINGS, headings),
        (FIRST, [line for line in lines if line.kind != "code"]),
    )
    taken: set[int] = set()
    found = []
    for caption, group in wanted:
        fresh = {line.number: line for line in group if line.number not in taken}
        taken |= fresh.keys()
        found.append(Group(caption, list(fresh.values())))
    return found


def _with_value(stated: Iterable[Line], lines: list[Line]) -> list[Line]:
    """A heading whose value stands below it brings that line along."""
    found = []
    for line in stated:
        found.append(line)
        if line.kind == "heading" and not line.field[1]:
            found += lines[lines.index(line) + 1 :][:1]
    return found


def severe(lines: list[Line]) -> list[Line]:
    """What the report itself labels as severe: rows of tables, items, headings with what they hold, findings."""
    found: list[Line] = []
    heading: Line | None = None
    head: Line | None = None
    for place, line in enumerate(lines):
        if line.kind == "heading":
            heading = line
            found += [line, *_held(lines, place)] if _is_severe(line.plain) else []
        elif line.kind == "row":
            head = line if place == 0 or lines[place - 1].kind != "row" else head
            found += [head, line] if head and head is not line and _severe_row(line, head) else []
        elif line.kind != "code" and _is_severe(line.plain):
            named = line.field[0].casefold() in _SEVERITY
            found += [heading, line] if named and heading else [line]
    return found


def _is_severe(plain: str) -> bool:
    """Whether a line begins with a severe label, or names its severity: "[HIGH] …", "Critical:", "(Severity: high)"."""
    text = plain.casefold()
    words = structure.unnumbered(text).replace("sev-", "sev").split()
    if not words:
        return False
    first = words[0].strip(f"[](){{}}:#.,!{structure.DASHES}")
    closed = len(words) == 1 or words[0][-1] in ":])}" or words[0][0] in "[({" or not words[1][0].isalnum()
    only = len(words) > 1 and words[1].strip("():0123456789") in _LABELLED
    if first in SEVERE and (closed or only or not first.isascii()):
        return True
    named = [n for n, word in enumerate(words[:-1]) if word.strip("[](*") in ("severity:", "priority:")]
    return any(words[n + 1].strip("[]().,;*") in SEVERE for n in named)


def _severe_row(row: Line, head: Line) -> bool:
    """Whether a cell is a severe label and nothing else, in capitals or in a column of that name."""
    columns = [name.casefold() in _SEVERITY for name in structure.cells(head)]
    for place, label in enumerate(structure.cells(row)):
        named = place < len(columns) and columns[place]
        if label.casefold() in SEVERE and (named or (label.upper() == label and label.casefold() != _OF_ANYTHING)):
            return True
    return False


def to_do(lines: list[Line]) -> list[Line]:
    """What stands under headings, or behind labels, of what must be done or is open."""
    found: list[Line] = []
    for place, line in enumerate(lines):
        if line.kind == "heading" and _begins(line.plain):
            found += [line, *_held(lines, place)]
        elif line.kind in ("item", "text") and _begins(line.field[0]):
            found.append(line)
    return found


def _begins(label: str) -> bool:
    name = structure.unnumbered(label).casefold().replace("-", " ").lstrip("[( ")
    return name.startswith(TO_DO) or "(must fix" in name or name.rstrip(": ") in ("errors", "error")


def _held(lines: list[Line], place: int) -> list[Line]:
    """What a section holds, one line each: its headings, else its bold lines, items or rows, else its first line."""
    inside = [line for line in structure.section(lines, place) if line.kind != "code"]
    headings = [line for line in inside if line.kind == "heading" and line.depth < structure.BOLD]
    marked = [line for line in inside if line.kind in ("item", "row") or line.depth == structure.BOLD]
    held = headings or [line for line in marked if line.kind == marked[0].kind]
    least = min((line.depth for line in held), default=0)
    rows = (line for line in held if line.kind != "row" or structure.cells(line))
    return [line for line in rows if line.depth == least] or inside[:1]


def _is_error(line: Line) -> bool:
    if line.kind == "code":
        return line.language in _OUTPUT and bool(_ERROR.match(line.text))
    return bool(_RAISED.search(line.plain))


def _in_turn(found: list[Group]) -> list[tuple[int, int]]:
    """(group, place) of every line in the order in which room is given: the decision, a few of each, what is left."""
    every = [(n, place) for n, group in enumerate(found) for place in range(len(group.lines))]
    last = len(found) - 1
    return sorted(every, key=lambda one: ((one[0] > 0) + (one[0] == last), one[1] // AT_A_TIME, one))


def _head(what: str, source: str, path: str) -> str:
    size = f"about {tokens.rough(len(source)):,} tokens"
    said = f"{MARK}{what}, no summary: some of its lines, as they stand."
    return f"{said} Full report, {size}: {path}]" if path else f"{said} The whole has {size}.]"


def _page(head: str, found: list[Group], chosen: Iterable[tuple[int, int]], numbered: bool) -> str:
    """The outline with the chosen lines; how many of a group are missing is said."""
    shown: dict[int, list[Line]] = {}
    for number, place in chosen:
        shown.setdefault(number, []).append(found[number].lines[place])
    parts = [head]
    for place, group in enumerate(found):
        lines = sorted(shown.get(place, ()), key=lambda line: line.number)
        parts += [group.caption] if lines or (place == 0 and not group.lines) else []
        parts += [(f"{line.number}: " if numbered else "") + clip(line.text, LINE_CHARS) for line in lines]
        missing = len(group.lines) - len(lines)
        parts += [f"({missing} more)"] if lines and missing else []
    return "\n".join(parts)
