"""What may a caller read of a report that is too long and that its agent will not shorten?

Rule (B3): lines of the report as they stand, with their numbers: those that state the decision, those that the report
itself labels as severe, those under headings of what must be fixed or is open, messages of errors, the headings, and
where room is left the beginning. It says that it is an outline, never more than the limit, the same at every run. No
decision is taken from a sentence, nothing is reworded, and a cut line ends in "…".
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection
from itertools import pairwise

from holdfast.handoff import decision, model, structure
from holdfast.handoff.structure import Line
from holdfast.text import tokens
from holdfast.text.lines import clip

MARK = "[Holdfast outline of an agent's report, no summary: some of its lines, as they stand."
UNSTATED = "No line of the report is marked as its decision."
HEADINGS, FIRST = "Headings of the report:", "Its first other lines:"
MARGINS = {"counted": 1.21, "estimated": 1.32}
"""A text may in truth be this much larger: rare words of plain prose, measured with a reconstruction of the tokenizer
on 1,134 shortened texts of 63 reports; none passed its limit."""

SEVERE = frozenset(
    ("critical", "high", "blocker", "blocking", "severe", "p0", "p1", "sev0", "sev1", "🔴", "⛔", "🛑", "🚨")
)
"""Labels of the upper two levels: CVSS v3.1 (critical, high), issue trackers (blocker, P0, P1, SEV-0, SEV-1), signs."""
_SEVERITY = ("severity", "priority")
_LABELLED = ("issue", "finding", "bug", "problem", "error")
"""A heading of one severe label and one of these holds what is so labelled ("Critical issues")."""
TO_DO = frozenset((
    *("must fix", "must fix before merge", "must be fixed", "must change", "required change", "required fix"),
    *("required fixes", "action required", "blocker", "blocking", "blocking issue", "blocking finding", "error"),
    *("open error", "open issue", "open question", "unresolved", "unresolved issue", "failing test"),
))  # fmt: skip
"""Whole headings and labels under which stands what is to be done, as the protocol and reviews name them; without
plural and number."""
_OUTPUT = ("", "text", "txt", "console", "shell", "sh", "bash", "log", "output", "plaintext")
"""Fences that hold what a program printed and not its source."""
_ERROR = re.compile(
    r"(?:\S+:\d+:(?:\d+:)? ?)?(?:E +)?(?:[\w.]*(?:Error|Exception)|error|ERROR|FATAL|fatal|panic|FAIL|FAILED|--- FAIL)"
    r"(?:\[\w+\])?[: ] ?\S"
)
_RAISED = re.compile(r"\b[A-Z]\w*(?:Error|Exception): \S")

Group = tuple[str, list[Line]]
"""A caption, and the lines of one kind that stand below it."""


def outline(
    report: str, limit: int = 500, count: Callable[[str], int] | None = None, path: str = "", numbered: bool = True
) -> str:
    """At most `limit` tokens of a report's lines; path: where the whole stands. A report that fits stays as it is.

    numbered: whether `path` holds this very text; the numbers of lines would else be those of another.
    """

    def fits(text: str) -> bool:
        counted = count(text) * MARGINS["counted"] if count else tokens.estimate(text) * MARGINS["estimated"]
        return int(counted) <= limit

    parsed = model.parse(report)
    source = report if parsed.form == "prose" else model.parent_text(parsed)
    whole = "\n".join(filter(None, (source.strip(), f"Full report: {path}" if path else "")))
    if tokens.rough(len(whole)) <= 2 * limit and fits(whole):
        return whole or "(The report is empty.)"
    found = groups(structure.scan(source))
    order = _in_turn(found)
    size = f"about {tokens.rough(len(source)):,} tokens"
    head = f"{MARK} Full report, {size}: {path}]" if numbered else f"{MARK} It has {size}. Full report: {path}]"
    head = head if path and fits(head) else f"{MARK} The whole has {size}.]"

    def page(lines: int) -> str:
        return _page(head, found, order[:lines], numbered and parsed.form == "prose")

    return page(bisect_right(range(1, len(order) + 1), False, key=lambda lines: not fits(page(lines))))


def is_outline(text: str) -> bool:
    """Whether a text was made by `outline`."""
    return text.startswith(MARK)


def essence(text: str) -> str:
    """An outline without its head and the headings: what the report states and labels."""
    return text.partition("\n")[2].partition(f"\n{HEADINGS}")[0].partition(f"\n{FIRST}")[0]


def groups(lines: list[Line]) -> list[Group]:
    """What an outline is made of, most important first; a line stands in one group only."""
    stated: list[Line] = []
    for line, _ in decision.statements(lines):
        below = line.kind == "heading" and not line.field[1]  # then its value is the next line
        stated += [line, *(lines[lines.index(line) + 1 :][:1] if below else ())]
    headings = sorted((line for line in lines if line.kind == "heading"), key=lambda line: (line.depth, line.number))
    headings = [line for line in headings if line.depth < structure.COLON or headings[0].depth == structure.COLON]
    wanted = (
        ("Decision, as the report states it:" if stated else UNSTATED, stated),
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
        found.append((caption, list(fresh.values())))
    return found


def severe(lines: list[Line]) -> list[Line]:
    """What the report itself labels as severe: rows of tables, items, headings with what they hold, findings."""
    found: list[Line] = []
    heading = head = None
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
    words = structure.unnumbered(plain.casefold()).replace("sev-", "sev").split()
    if not words:
        return False
    first = words[0].strip(f"[](){{}}:#.,!{structure.DASHES}")
    closed = len(words) == 1 or words[0][-1] in ":])}" or words[0][0] in "[({" or not words[1][0].isalnum()
    holds = len(words) > 1 and words[1].strip("():0123456789").removesuffix("s") in _LABELLED
    if first in SEVERE and (closed or holds or not first.isascii()):
        return True
    named = (two for one, two in pairwise(words) if one.strip("[](*") in ("severity:", "priority:"))
    return any(word.strip("[]().,;*") in SEVERE for word in named)


def _severe_row(row: Line, head: Line) -> bool:
    """Whether a cell is a severe label and nothing else, in a column of that name or in capitals.

    Confidence and cost are HIGH too: that counts in a column of severity only.
    """
    columns = [name.casefold() for name in structure.cells(head)]
    for place, label in enumerate(structure.cells(row)):
        named = columns[place : place + 1] in ([_SEVERITY[0]], [_SEVERITY[1]])
        if label.casefold() in SEVERE and (named or (label.upper() == label and label != "HIGH")):
            return True
    return False


def to_do(lines: list[Line]) -> list[Line]:
    """What stands under headings, or behind labels, of what must be done or is open."""
    found: list[Line] = []
    for place, line in enumerate(lines):
        if line.kind == "heading" and _is_to_do(line.plain):
            found += [line, *_held(lines, place)]
        elif line.kind in ("item", "text") and _is_to_do(line.field[0]):
            found.append(line)
    return found


def _is_to_do(label: str) -> bool:
    """Whether a heading or label, or what it has in brackets, is one of TO_DO: not one that merely begins so."""
    name, _, bracketed = structure.unnumbered(label).casefold().replace("-", " ").lstrip("[( ").partition("(")
    said = [part.strip("[](): #0123456789") for part in (name, bracketed)]
    return any(part in TO_DO or part.removesuffix("s") in TO_DO for part in said)


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


def _in_turn(found: list[Group]) -> list[int]:
    """Numbers of all lines in the order in which room is given: the decision, three of each group in turn, the rest."""
    last = len(found) - 1
    turns = [
        ((group > 0) + (group == last), place // 3, group, place, line.number)
        for group, (_, lines) in enumerate(found)
        for place, line in enumerate(lines)
    ]
    return [turn[-1] for turn in sorted(turns)]


def _page(head: str, found: list[Group], chosen: Collection[int], numbered: bool) -> str:
    """The outline with the lines of these numbers; how many of a group are missing is said."""
    wanted, parts = set(chosen), [head]
    for caption, lines in found:
        shown = sorted(line for line in lines if line.number in wanted)
        parts += [caption] if shown or caption == UNSTATED else []
        parts += [(f"{line.number}: " if numbered else "") + clip(line.text, 200) for line in shown]
        missing = len(lines) - len(shown)
        parts += [f"({missing} more)"] if shown and missing else []
    return "\n".join(parts)
