"""Which words of a text are its author's own, and which are passed on: quoted, pasted, printed by a program?

Rule: passed on is what stands in a fence, in an indented block outside of lists, behind `>`, in a pair of tags, in
quotation marks as a line, a block or more than one sentence, and what follows "The page says:". A user pastes more
than an assistant: whatever follows a request to read, summarise or mend a text, or the head of a mail or of a Markdown
document, up to the end; and of a prompt that is longer than a prompt is (hot/prompt_match.py) all but its first and
last
paragraph. A lead-in is spent by a block that shows its own end. "Rules for this project:" leads in nobody else's
words. Sources: requirements W2, J9, N.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from holdfast.hot import prompt_match
from holdfast.text import leads

PARAGRAPH = 1_500  # characters; a longer one is pasted
_BLANK = "\0"  # stands for each character that is somebody else's
_SEEN = re.compile(r"[^\n]")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)*(?P<mark>`{3,}(?=[^`]*\Z)|~{3,})(?P<rest>.*)\Z")
_ITEM = re.compile(r"(?P<lead>[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+)\S")
_QUOTE = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)*>")
_BLOCK_BEGINS = re.compile(r"\s*\Z|\s*(?:[-*+•]|\d{1,3}[.)])\s|\s*(?:#{1,6}\s|`{3}|~{3}|\|)")
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,300})?>")
_OWN_TAG = re.compile(
    r"(?:\w+[-_])?(?:rules?|constraints?|requirements?|instructions?|guidelines?|conventions?|preferences?|tasks?"
    r"|details|summary|analysis|thinking)\Z",
    re.IGNORECASE,
)
"""In these people put their own words, and assistants theirs."""
_MARKS = (('"', '"'), ("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u00ab", "\u00bb"))
_ENDS_WITHIN = re.compile(r"[.!?]\s+\S|\n")
_BEFORE = re.compile(r"(?:\A|\n|:)[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?\Z")
_AFTER = re.compile(r"[ \t.,;:!?)]*(?:\n|\Z)")
_SPELT = re.compile(r"\w+")
_BLOCKS = ("```", "~~~", "    ", "\t", ">")
"""One of these is in a text that holds a block."""


class _Span(NamedTuple):
    start: int
    end: int


def own(text: str, pasted: bool = False) -> str:
    """`text` without what somebody else said. pasted: as of a prompt, below whose lead-in all is pasted."""
    shown = text.replace(_BLANK, " ")
    if any(hint in shown for hint in _BLOCKS):
        shown = _without_blocks(shown.split("\n"), lazy=not pasted)
    spans = [*_tagged(shown)] if "</" in shown else []
    spans += [span for pair in _MARKS if pair[1] in shown for span in _in_marks(shown, *pair)]
    lines = (_blanked(shown, spans) if spans else shown).split("\n")
    if pasted and len(text.encode(errors="replace")) > prompt_match.LONGEST:
        lines = _edges(lines)
    if pasted or ":" in shown:
        lines = _led(lines, pasted)
    return "\n".join(lines).replace(_BLANK, "")


def unquoted(text: str, said: list[str], pasted: bool = False) -> list[str]:
    """Of the sentences of a text those that are its author's own; they may have lost their markup."""
    kept = own(text, pasted)
    if kept == text:
        return said
    words = f" {_spelt(kept)} "
    return [sentence for sentence in said if f" {_spelt(sentence)} " in words]


def prose(text: str) -> str:
    """`text` without its fenced code."""
    if "```" not in text and "~~~" not in text:
        return text
    lines = text.splitlines()
    return "\n".join(line for line, fenced in zip(lines, _fenced(lines), strict=True) if not fenced)


def _spelt(text: str) -> str:
    return " ".join(_SPELT.findall(text))


def _without_blocks(lines: list[str], lazy: bool) -> str:
    """Fences, indented blocks and quotes as blanks. lazy: whether a quote goes on in the lines below it."""
    kept, base, quoted = [], 0, False
    for line, fenced in zip(lines, _fenced(lines), strict=True):
        item = None if fenced else _ITEM.match(line)
        indent = 0 if fenced else _indent(line)
        if item and (base or indent < _INDENT):
            base = len(item["lead"].expandtabs(4))
        elif line.strip() and indent < min(base, 2):
            base = 0
        quoted = not fenced and (bool(_QUOTE.match(line)) or (lazy and quoted and not _BLOCK_BEGINS.match(line)))
        code = indent >= base + _INDENT and not (item and base)
        kept.append(_SEEN.sub(_BLANK, line) if fenced or quoted or code else line)
    return "\n".join(kept)


_INDENT = 4  # blanks before a line of code, from where the text around it begins


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _fenced(lines: list[str]) -> Iterator[bool]:
    """Whether each line is of fenced code, its fences among it."""
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            yield True
            closes = found and found["mark"].startswith(fence) and not found["rest"].strip()
            fence = "" if closes else fence
        else:
            fence = found["mark"] if found else ""
            yield bool(found)


def _tagged(text: str) -> Iterator[_Span]:
    """What stands in a pair of tags, up to the last closing one before the tag is opened again."""
    pairs: dict[str, _Span] = {}
    for tag in _TAG.finditer(text):
        name, known = tag["name"].lower(), pairs.get(tag["name"].lower())
        if tag["close"]:
            if known:
                pairs[name] = known._replace(end=tag.end())
        elif not known or known.end:
            if known:
                yield from _telling(text, [known])
            pairs[name] = _Span(tag.start(), 0)
    yield from _telling(text, (span for name, span in pairs.items() if span.end and not _OWN_TAG.match(name)))


def _in_marks(text: str, opening: str, closing: str) -> Iterator[_Span]:
    """What stands in quotation marks of one kind, marks within marks too. Those that begin within a line end in it."""
    same = opening == closing
    opened: list[_Span] = []  # where it begins, where it ends at the latest
    line = 0  # where the line of the last mark ends
    for found in re.finditer(f"[{opening}{closing}]", text):
        at = found.start()
        while opened and opened[-1].end <= at:
            opened.pop()
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if opened and found[0] == closing and not (same and (before.isspace() or after.isalnum())):
            yield from _telling(text, [_Span(opened.pop().start, at + 1)])
        elif found[0] == opening and not (same and (before.isalnum() or not after.strip())):
            block = _BEFORE.search(text[max(0, at - _LEAD) : at])
            line = line if line > at else text.find("\n", at) + 1 or len(text)
            opened = [*opened, _Span(at, len(text) if block else line)][-_DEEPEST:]


_DEEPEST = 8  # marks within marks
_LEAD = 24  # characters before a mark that are looked at


def _telling(text: str, spans: Iterable[_Span]) -> Iterator[_Span]:
    """Those that are a line, a block or more than a sentence; a name within a sentence is part of it."""
    for span in spans:
        whole = _BEFORE.search(text[max(0, span.start - _LEAD) : span.start]) and (
            _AFTER.match(text, span.end) or text[span.end - 2] in ".!?"
        )
        if whole or _ENDS_WITHIN.search(text, span.start + 1, span.end - 1):
            yield span


def _blanked(text: str, spans: Iterable[_Span]) -> str:
    parts, done = [], 0
    for span in sorted(spans):
        if span.end > done:
            start = max(done, span.start)
            parts += [text[done:start], _SEEN.sub(_BLANK, text[start : span.end])]
            done = span.end
    return "".join([*parts, text[done:]])


def _edges(lines: list[str]) -> list[str]:
    """The first and the last paragraph; of one that is too long to be written its line at that edge."""
    first, last = _edge(lines), _edge(lines[::-1])
    return [line if place < first or len(lines) - place <= last else "" for place, line in enumerate(lines)]


def _edge(lines: list[str]) -> int:
    """How many lines are the author's, from the beginning."""
    written = list(takewhile(str.strip, lines))
    if sum(map(len, written)) <= PARAGRAPH:
        return len(written)
    return int(len(written[0]) <= PARAGRAPH)


def _led(lines: list[str], pasted: bool) -> list[str]:
    """Without what a lead-in announces or a document's head begins."""
    kept: list[str] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if pasted and leads.is_head(lines[place : place + leads.HEAD_LINES]):
            break
        said, reach = leads.led(line, pasted) if ":" in line else (line, leads.NONE)
        kept.append(said)
        place += 1
        if not reach:
            continue
        while place < len(lines) and not lines[place].strip():
            place += 1
        if place < len(lines) and _BLANK in lines[place]:
            continue
        if reach == leads.ALL:
            break
        while place < len(lines) and lines[place].strip():
            place += 1
    return kept
