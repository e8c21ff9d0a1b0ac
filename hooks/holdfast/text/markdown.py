"""The structure of a Markdown text, line by line: headings, list items, table rows, code, quotations.

Nothing is judged by its words. Fences close as CommonMark has it; what stands between an XML-like tag and its end is
somebody else's, as is what stands behind `>`. A line that is bold from end to end counts as a heading, since assistants
write them so. Source: https://spec.commonmark.org/0.31.2/ for blocks, requirement N for whose words they are.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from holdfast.text import late as re

Kind = Literal["blank", "text", "heading", "item", "row", "rule", "code", "quote", "tagged"]
FOREIGN = ("code", "quote", "tagged")
"""Kinds of the lines that somebody else says."""
BOLD_LEVEL = 7
"""Level of a line that is bold from end to end, below those of `#` to `######`."""
ELSEWHERE = "[\u2026]"
"""What stands in the place of somebody else's words within a sentence."""
MOST = 50_000
"""Lines of a text that are read; nobody wrote what has more, and its rest is one line of code."""
_INDENT = 4  # blanks before a line of code, from where the text around it begins
ITEM = (
    r"(?:[-*+\u2022\u2023\u25e6\u2013\u2014\u25cf\u25cb\u25a0]|\(?(?:\d{1,3}|[a-zA-Z])\)|\d{1,3}\.)(?=\s)"
    r"|[\u30fb\uff65\u2460-\u2473]|[(\uff08]?[0-9\uff10-\uff19]{1,3}[\uff0e\uff09\u3001]"
)
"""How an item of a list begins; signs of East Asian texts need no blank behind them."""
_BLOCK = re.compile(
    r"(?P<code>`{3,}(?=[^`]*$)|~{3,})|(?P<quote>>)|(?P<heading>#{1,6})(?=\s|$)|(?P<row>\|)|(?P<rule>[-*_=]{3,}\s*$)"
    rf"|(?P<item>{ITEM})(?:\s+(?P<box>\[[ xX]\])(?=\s))?|(?P<bold>\*\*[^*]{{2,160}}\*\*:?\s*$)"
)
_TAG = re.compile(r"<(/?)([^\W\d_][\w:.-]{0,40})(?:\s[^<>]*)?(?:>|\Z)")
"""Of one that goes on in the next line the beginning."""
_QUOTATION = re.compile(
    r"(?:\A|[:\uff1a]\s{0,3}|(?<=[\s(\[,;\u2013\u2014]))"
    r"(\"{3}|'{3}|`+|<!--|<!\[CDATA\[|[\"\u201c\u201e\u201a\u00ab\u00bb\u2039\u203a\u300c\u300e])"
)
"""What may begin a quotation of several lines, at a word's beginning or behind a colon."""
_CLOSES = {
    "<!--": "-->",
    "\u201c": "\u201d",
    "\u201e": "\u201c",
    "<![CDATA[": "]]>",
    "\u201a": "\u2018",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2039": "\u203a",
    "\u203a": "\u2039",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}
"""How a quotation ends that does not end as it begins."""
_BREAKS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""What no editor breaks a line at, so that no mark of a quotation stands behind it."""
_CODE = re.compile(r"`[^`]{1,200}`")
"""Where a tag is only mentioned."""
_INLINE = re.compile(r"\*\*|__|`+|!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)")


class Line(NamedTuple):
    """One line: what it is, what it says without its mark, how deep it stands (of a heading its level)."""

    kind: Kind
    text: str
    depth: int = 0
    box: str = ""
    """ "x" or " " of an item with a box to tick, else ""."""


def lines_of(text: str) -> list[str]:
    """The lines of a text, as an editor shows them."""
    lines = text.splitlines()
    return lines if len(lines) <= text.count("\n") + 1 else _BREAKS.sub(" ", text).splitlines()


def _quotation_end(lines: list[str], at: int, bare: str, none: set[str]) -> str:
    """The end of the quotation that the line at this place leaves open, where a later line has it, else "".

    none: the ends that no later line has.
    """
    signs: list[str] = _QUOTATION.findall(bare)
    for sign in dict.fromkeys(signs):
        end = _CLOSES.get(sign, sign)
        is_open = bare.rfind(sign) > bare.rfind(end) if end != sign else bare.count(sign) % 2
        if _CLOSES.get(end) == sign:  # turned either way, in French and in German: the line's first one tells
            is_open = is_open and sign in bare.partition(end)[0]
        if is_open and end not in none:
            if any(end in lines[later] for later in range(at + 1, len(lines))):
                return end
            none.add(end)
    return ""


def read(text: str, spoken: bool = False, but: str = "") -> Iterator[Line]:
    """The lines of a text. Each of its first `MOST` is one of these, fences and blank ones among them.

    spoken: also what stands between quotation marks, on several lines, is somebody else's; but: "fences" or "tags",
    which are then passed over, and a fence without an end too.
    """
    fence = closing = ""
    base = 0  # where the text of the list item at hand begins
    depth = 0  # of the tag at hand, which may stand in one of its name
    lines = lines_of(text)
    closed = _closed(lines) if but != "tags" else {}
    last = _last_fences(lines) if but == "tags" else {}
    never_closed = set[str]()
    for at, raw in enumerate(lines[:MOST]):
        line = raw.expandtabs(_INDENT) if "\t" in raw else raw
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
            yield Line("code", raw)
        elif closing and not depth:
            closing = "" if closing in bare else closing
            yield Line("tagged", bare)
        elif depth:
            closing, depth = _left_open(bare, at, closed, (closing, depth))
            yield Line("tagged", bare)
        elif not bare:
            yield Line("blank", "")
        elif closed and (tag := _TAG.match(bare)) and tag[2].lower() in closed and not tag[1]:
            closing, depth = _left_open(bare, at, closed)
            yield Line("tagged", bare)
        else:
            found, fence = _block(bare, indent, base)
            fence = fence if not but or last.get(fence[:4], 0) > at else ""
            is_own = spoken and not fence and found.kind not in FOREIGN
            closing, depth = _left_open(_CODE.sub("", bare), at, closed)
            closing = closing or (_quotation_end(lines, at, bare, never_closed) if is_own else "")
            if found.kind == "item":
                base = len(line.rstrip()) - len(found.text)
            elif indent < min(base, 2):
                base = 0
            yield found
    if len(lines) > MOST:
        yield Line("code", "\n".join(lines[MOST:]))


def _closed(lines: list[str]) -> dict[str, int]:
    """Names of tags that have an end, with the last line that has it."""
    ends = ((at, line) for at, line in enumerate(lines) if "</" in line)
    return {name.lower(): at for at, line in ends for end, name in _TAG.findall(line) if end}


def _last_fences(lines: list[str]) -> dict[str, int]:
    """The sign of a fence, of three or of more -> the last line that can be one's end."""
    bare = ((at, line.strip()) for at, line in enumerate(lines))
    ends = ((at, sign) for at, sign in bare if sign[:3] in ("```", "~~~") and not sign.strip(sign[0]))
    return {sign[:most]: at for at, sign in ends for most in (3, 4)}


def _left_open(bare: str, at: int, closed: dict[str, int], before: tuple[str, int] = ("", 0)) -> tuple[str, int]:
    """(the name of the first tag that a line leaves open and a later one closes, how often), "" and 0 for none.

    closed: as `_closed`; before: what the lines above leave open.
    """
    name, depth = before
    for tag in _TAG.finditer(bare) if closed else ():
        this = tag[2].lower()
        if tag[1]:
            depth -= depth > 0 and this == name
        elif this in closed and (not depth or this == name) and not tag[0].endswith("/>"):
            name, depth = this, depth + 1
    return (name, depth) if depth and closed[name] > at else ("", 0)


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
    if sort in ("heading", "bold"):
        title, level = (rest.rstrip("#"), len(found["heading"])) if sort == "heading" else (bare, BOLD_LEVEL)
        return Line("heading", plain(title), level), ""
    depth = indent if sort in ("row", "rule") else 0
    return Line(cast("Kind", sort), rest if sort == "quote" else bare, depth), found["code"] or ""


def voices(text: str) -> list[Line]:
    """The lines as `read` has them where somebody speaks: what a fence or a pair of tags has is nobody's own, wherever
    a tag or a quotation that is only mentioned above seems to begin and end.
    """
    lines = [*read(text, spoken=True)]
    for but in ("tags", "fences") if any(line.kind == "tagged" for line in lines) else ():
        both = zip(lines, read(text, but=but), strict=True)
        lines = [alone if alone.kind in FOREIGN else line for line, alone in both]
    return lines


def own_lines(text: str) -> Iterator[str]:
    """What their author says in his own voice, line by line: outside of code, quotations and tags."""
    return (line.text for line in voices(text) if line.kind not in (*FOREIGN, "blank"))


def own_paragraphs(text: str) -> list[str]:
    """His own lines as they stand there, by paragraphs: with what a heading or a colon leads to, and a list whole."""
    return ["\n".join(raw for raw, _ in one) for one in paragraphs(text)]


def paragraphs(text: str) -> list[list[tuple[str, Line]]]:
    """Those, line by line: as it stands there, and as `voices` has it. What may turn the sense of a part belongs to it:
    a list or labelled lines behind each other ("RULE: …") are one, with what stands above the list; a heading leads to
    what stands below it, to 400 characters; and a sentence goes on behind code or a quotation, for which ELSEWHERE
    stands.
    """
    made, before, section = list[list[tuple[str, Line]]](), Line("code", ""), 401
    gap = crossed = False
    for raw, line in zip(map(str.rstrip, lines_of(text)), voices(text), strict=False):
        gap, crossed = gap or line.kind == "blank", crossed or line.kind in FOREIGN
        if line.kind == "blank" or line.kind in FOREIGN:
            continue
        is_listed = line.kind == "item" or (before.kind == "item" and line.depth > 0)
        is_listed = is_listed or (_is_labelled(before) and _is_labelled(line))
        is_titled = line.kind == "heading" and not _is_labelled(line)
        is_mid = crossed and raw.lstrip()[:1].islower()
        section = len(raw) if is_titled else section + len(raw)
        is_led = section <= 400 or (leads(before) and not crossed)
        if not made or (gap and (is_titled or not (is_led or is_listed or is_mid))):
            made.append([])
        elif crossed:
            made[-1].append((ELSEWHERE, Line("text", ELSEWHERE)))
        made[-1].append((raw, line))
        before, gap, crossed = line, False, False
    return made


def _is_labelled(line: Line) -> bool:
    return ": " in line.text[:24] or "\uff1a" in line.text[:24]


def leads(line: Line) -> bool:
    """Whether what follows belongs to it."""
    return line.kind == "heading" or line.text.endswith((":", "\uff1a"))


def cells(row: str) -> list[str]:
    """The cells of a table's row; [] for the line of dashes under its head."""
    parts = [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]
    return parts if "".join(parts).strip(":- ") else []


def plain(text: str) -> str:
    """A heading or an item without bold marks, code marks and the targets of links."""
    return _INLINE.sub(lambda found: found[1] or "", text).strip(" \t:")
