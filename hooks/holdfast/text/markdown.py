"""The structure of a Markdown text, line by line: headings, list items, table rows, code, quotations.

Nothing is judged by its words. Fences close as CommonMark has it; what stands between an XML-like tag and its end is
somebody else's, as is what stands behind `>`. A line that is bold from end to end counts as a heading, since assistants
write them so. Source: https://spec.commonmark.org/0.31.2/ for blocks, requirement N for whose words they are.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from holdfast.text import identifiers, phrasing

Kind = Literal["blank", "text", "heading", "item", "row", "rule", "code", "quote", "tagged"]
BOLD_LEVEL = 7
"""Level of a line that is bold from end to end, below those of `#` to `######`."""
_INDENT = 4  # blanks before a line of code, from where the text around it begins
_BLOCK = re.compile(
    r"(?P<code>`{3,}(?=[^`]*$)|~{3,})|(?P<quote>>)|(?P<heading>#{1,6})(?=\s|$)|(?P<row>\|)|(?P<rule>[-*_=]{3,}\s*$)"
    r"|(?P<item>[-*+•]|\d{1,3}[.)])(?:\s+(?P<box>\[[ xX]\])(?=\s))?(?=\s)|(?P<bold>\*\*[^*]{2,90}\*\*:?\s*$)"
)
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,300})?>")
_INLINE = re.compile(r"\*\*|__|`+|!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)")


class Line(NamedTuple):
    """One line: what it is, what it says without its mark, how deep it stands (of a heading its level)."""

    kind: Kind
    text: str
    depth: int = 0
    box: str = ""
    """ "x" or " " of an item with a box to tick, else ""."""


class Section(NamedTuple):
    """What stands under a heading, up to the next one of any level."""

    heading: str
    level: int
    """0 for what stands before the first heading."""
    lines: tuple[Line, ...]


def read(text: str) -> Iterator[Line]:
    """The lines of a text. Every line of the text is one of these, fences and blank ones among them."""
    fence = closing = ""
    base = 0  # where the text of the list item at hand begins
    closed = {name for end, name in _TAG.findall(text) if end} if "</" in text else set()
    for raw in text.splitlines():
        line = raw.expandtabs(_INDENT) if "\t" in raw else raw
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
            yield Line("code", raw)
        elif closing:
            closing = "" if closing in bare else closing
            yield Line("tagged", bare)
        elif not bare:
            yield Line("blank", "")
        elif closed and (tag := _TAG.match(bare)) and tag[2] in closed and not tag[1]:
            closing = "" if f"</{tag[2]}>" in bare else f"</{tag[2]}>"
            yield Line("tagged", bare)
        else:
            found, fence = _block(bare, indent, base)
            if found.kind == "item":
                base = len(line.rstrip()) - len(found.text)
            elif indent < min(base, 2):
                base = 0
            yield found


def _block(bare: str, indent: int, base: int) -> tuple[Line, str]:
    """A line that is neither blank nor in a fence or a pair of tags, and the fence that it opens."""
    found = _BLOCK.match(bare)
    sort = found.lastgroup if found else None
    if not found or (indent >= base + _INDENT and not (base and sort in ("item", "box"))):
        return (Line("code", bare) if indent >= base + _INDENT else Line("text", bare, indent)), ""
    rest = bare[found.end() :].strip()
    if sort in ("item", "box"):
        inner = _BLOCK.match(rest)
        if inner and (inner["code"] or inner["quote"]):
            return Line("code" if inner["code"] else "quote", rest), inner["code"] or ""
        return Line("item", rest, indent, found["box"][1].lower() if found["box"] else ""), ""
    made = {
        "code": Line("code", bare),
        "quote": Line("quote", rest),
        "heading": Line("heading", plain(rest.rstrip("#")), len(found["heading"] or "")),
        "bold": Line("heading", plain(bare), BOLD_LEVEL),
        "row": Line("row", bare, indent),
        "rule": Line("rule", bare, indent),
    }
    return made[str(sort)], found["code"] or ""


def own_lines(text: str) -> Iterator[str]:
    """The lines that their author says in his own voice: outside of code, quotations and tags."""
    return (line.text for line in read(text) if line.kind not in ("code", "quote", "tagged", "blank"))


def sections(text: str) -> list[Section]:
    """The parts of a text; what stands before its first heading is one without a name, if it says anything."""
    found, heading, level, lines = list[Section](), "", 0, list[Line]()
    for line in (*read(text), Line("heading", "")):
        if line.kind != "heading":
            lines.append(line)
            continue
        if level or any(known.kind != "blank" for known in lines):
            found.append(Section(heading, level, tuple(lines)))
        heading, level, lines = line.text, line.depth, []
    return found


def cells(row: str) -> list[str]:
    """The cells of a table's row; [] for the line of dashes under its head."""
    parts = [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]
    return [] if all(set(part) <= set(":- ") for part in parts) else parts


def plain(text: str) -> str:
    """A heading or an item without bold marks, code marks and the targets of links."""
    return _INLINE.sub(lambda found: found[1] or "", text).strip(" \t:")


# What follows dies with its readers: it picks prose by words.


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
        for text in _split_line(line):
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
    return [part for line in text.splitlines() for part in _split_line(line)]


def _title(line: str) -> str:
    match = _HEADING.match(_BULLET.sub("", line)) or _HEADING.match(line)
    if not match:
        return ""
    return phrasing.heading(match["hash"] or match["bold"] or match["colon"])


def _split_line(line: str) -> list[str]:
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
