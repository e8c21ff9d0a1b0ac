"""What are the parts of a report: under which heading does each statement stand, and what kind is it?

A report is cut at headings (Markdown `#`, or a line that is bold or ends in a colon before a list), then into
list items and sentences; table rows become items; code blocks only lend their names. Kinds are decided by the
tables below, read off the reports of reviewing, exploring, planning and implementing agents.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from holdfast.text import identifiers, phrasing


class Statement(NamedTuple):
    """One sentence or list item: plain words, the names in it, and where it stood."""

    text: str
    names: tuple[str, ...]
    heading: str
    kind: str
    """"decision", "severe", "error", "constraint", "finding", "praise", or "code" (names without a sentence)."""
    order: int
    strong: bool
    """Whether the author stressed it: bold, a heading, or the first of its section."""


# Each row: the kind, where it shows (in the statement or in the heading above it), and by what words. The first
# that matches decides.
_KINDS = (
    ("praise", "heading", r"^(positive|strengths?|highlights|praise|what (went|works) well|good (practices|points))\b"),
    (
        "decision",
        "text",
        r"^(verdict|decision|recommendation|conclusion|recommended|overall|assessment|status)\b.{0,20}:",
    ),
    (
        "decision",
        "heading",
        r"^(final |executive )?(verdict|decision|recommendations?|conclusion|assessment|summary|recommended \w+"
        r"|key (findings?|takeaways?|insights?|points?)|tl;?dr|root cause|answer)\b",
    ),
    (
        "finding",
        "text",
        r"\b(harmless|not needed|(?:not a|no) (?:problem|bug|risk)|failing test first|fixed|resolved|no longer"
        r"|all tests pass|tests pass\w*|no (issues|errors|failures)|lint clean"
        r"|0 (issues|failures|errors)|works? correctly|handled correctly)\b",
    ),
    (
        "error",
        "text",
        r"\b(bug|error:|fails?\b|failing|failed|broken|crash\w*|panic|race condition|deadlock|missing"
        r"|does(n't| not) (work|handle|exist|verify|check)|never (called|set|cleared|checked|reset)|blocked by"
        r"|unable to|cannot|could not|permission denied|not (found|implemented|supported)|todo:|fixme|leak\w*"
        r"|wrong(ly)?|incorrect(ly)?|misleading|vulnerab\w+|orphaned|severity)\b",
    ),
    (
        "error",
        "heading",
        r"^critical\W*(\(\d+\)\W*)?$|\b(bugs?|errors?|issues?|problems?|blockers?|must fix|gaps?|risks?|open questions?"
        r"|concerns?|root cause|vulnerab\w+|weakness\w*|limitations?)\b",
    ),
    (
        "constraint",
        "text",
        r"\b(must( not)?|never|always|do not|don't|only (if|when|after)|require[sd]?|should not|mandatory"
        r"|forbidden|not allowed|needs? to|important:|note:|caveat)\b",
    ),
    ("constraint", "heading", r"\b(constraints?|requirements?|rules?|conventions?|invariants?|notes?|caveats?)\b"),
)
_COMPILED = tuple((kind, where, re.compile(pattern, re.IGNORECASE)) for kind, where, pattern in _KINDS)
_SEVERE = re.compile(
    r"\b\w*(?:Error|Exception)\b: |\bstill (?:fail\w*|broken|open|red)\b|\bFAILED\b|\bpanic: "
    r"|\b(critical (issue|bug|problem|finding|gap|error)s?|blockers?|blocking|must[ -]fix|severe|severity: high"
    r"|high severity|data loss)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,6}\s+(?P<hash>.+?)\s*#*|\*\*(?P<bold>[^*]{2,90})\*\*:?|(?P<colon>[^\n|]{2,70}):)\s*$"
)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|]*-[\s:|-]*$")
_RULE = re.compile(r"^[\s|:=*_-]*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(\[])|(?<=[\u3002\uff01\uff1f])")


def statements(report: str, clean: Callable[[str], str] = phrasing.plain, code_chars: int = 0) -> list[Statement]:
    """The statements of a report in their order; names of code blocks come as one nameless statement each.

    clean: how a statement is freed from markup; code_chars: up to which size a code block is a statement itself.
    """
    found: list[Statement] = []
    heading, raw, in_code, fresh = " ", "", False, True
    block: list[str] = []
    lines = report.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if _FENCE.match(line):
            in_code = not in_code
            block = _close(found, block, heading, code_chars)
            continue
        if in_code:
            block.append(line.strip())
            _add_names(found, line, heading, False)
            continue
        if _RULE.match(line) or (line.lstrip().startswith("|") and _TABLE_RULE.match(following)):
            continue  # a rule, or the head of a table
        title = _title(line)
        if title:
            heading, raw, fresh = title, phrasing.plain(line), True
            _add_names(found, line, heading, True)
            continue
        item = bool(_BULLET.match(line)) or line.lstrip().startswith("|")
        for text in _split(line):
            fresh = not _add(found, clean(text), (heading, raw), (item, fresh or "**" in text)) and fresh
            item = False  # what follows in the same item explains its first sentence
    return found


_CODE = re.compile(r"[{};]\s*(?://.*)?$|^\s*(?:func|def|class|return|import|from|if|for|var|let|const|type)\b|:=|==")


def _close(found: list[Statement], block: list[str], heading: str, chars: int) -> list[str]:
    """Take a short block for a statement, each paragraph of one that is no code for its own; the empty next block."""
    if not chars or not any(block):
        return []
    whole = "; ".join(line for line in block if line)
    if any(_CODE.search(line) for line in block):
        texts = [whole] if len(whole) <= chars else []
    else:
        texts = [" ".join(part.split("\n")) for part in "\n".join(block).split("\n\n")]
    found += [
        Statement(text, names(text), heading, "code", len(found) + place, False)
        for place, text in enumerate(texts)
        if 0 < len(text.strip()) <= chars
    ]
    return []


def sentences(text: str) -> list[str]:
    """The sentences and list items of a text, without list marks; blank lines are left out."""
    return [part for line in text.splitlines() for part in _split(line)]


def _title(line: str) -> str:
    match = _HEADING.match(_BULLET.sub("", line)) or _HEADING.match(line)
    if not match:
        return ""
    return phrasing.heading(match["hash"] or match["bold"] or match["colon"])


def _split(line: str) -> list[str]:
    """One line as sentences; a table row as one item."""
    line = _BULLET.sub("", line)
    if line.lstrip().startswith("|"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        return [": ".join(filter(None, (cells[0], "; ".join(filter(None, cells[1:])))))]
    return [part for part in _SENTENCE_END.split(line.strip()) if part]


def _add(found: list[Statement], text: str, under: tuple[str, str], marks: tuple[bool, bool]) -> bool:
    """Add one statement. False when it carries nothing.

    under: its heading as shown and as written; marks: whether it is a list item, and whether it is stressed.
    """
    if len(text) < 3 or phrasing.is_filler(text):
        return False
    found.append(Statement(text, names(text), under[0], _kind(text, under[1], marks[0]), len(found), marks[1]))
    return True


def _add_names(found: list[Statement], line: str, heading: str, strong: bool) -> None:
    inside = names(line)
    if inside:
        found.append(Statement("", inside, heading, "code", len(found), strong))


def _kind(text: str, heading: str, item: bool) -> str:
    for kind, where, pattern in _COMPILED:
        if not pattern.search(text if where == "text" else heading):
            continue
        if kind == "error" and _SEVERE.search(f"{heading} {text}"):
            return "severe"
        if kind == "error" and (phrasing.leans(text) or (where == "heading" and not item)):
            continue  # prose under "Problems" tells the story around them
        return kind
    return "finding"


def names(text: str) -> tuple[str, ...]:
    """Paths and identifiers, each once; identifiers that are only part of a path are left out."""
    paths = identifiers.paths(text)
    bare = text
    for path in paths:
        bare = bare.replace(path, " ")
    return (*paths, *identifiers.identifiers(bare))


_BLOCK = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})|(?: {4}|\t)(?![ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])|[ \t]*>")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,300})?>")


def own_lines(text: str) -> Iterator[str]:
    """The lines that their author says in his own voice: outside of fences, indented code, quotations and tags."""
    fence = closing = ""
    closed = {name for end, name in _TAG.findall(text) if end} if "</" in text else set()
    for line in text.splitlines():
        block = _BLOCK.match(line)
        mark = (block["fence"] or "") if block else ""
        if fence:
            fence = "" if mark.startswith(fence) and not line.strip().strip(mark[0]) else fence
        elif mark:
            fence = mark
        elif closing:
            closing = "" if closing in line else closing
        elif closed and (tag := _TAG.match(line.lstrip())) and tag[2] in closed:
            closing = "" if f"</{tag[2]}>" in line else f"</{tag[2]}>"
        elif not block:
            yield line
