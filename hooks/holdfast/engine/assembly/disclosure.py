"""What does the agent ask to see, what does it give up, and what stands for a file that is too large to show?

Rule: sections are loaded when the agent names them (`load §3.3.2`), at most five at once; `PRUNE: id - reason` on a
line of its own lets a block go, but never one that is marked, the system prompt or a user's word. Both count only in
the assistant's own text, outside of quotes and code: what a tool prints asks for nothing. A file above 10,000 tokens is
shown as a summary of at most 500 tokens with its path. Source: requirement N (progressive disclosure, context pruning,
summary elevation).
"""

import re
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise
from typing import NamedTuple

from holdfast.digest import policy
from holdfast.engine.blocks import ASSISTANT, CALL, PLACEHOLDER, SYSTEM, TOOLS, USER, Block
from holdfast.handoff.condense import condense
from holdfast.knowledge.markers import SECTION
from holdfast.text import identifiers
from holdfast.text.lines import clip
from holdfast.text.tokens import estimate

AT_ONCE = 5
LARGE, SUMMARY = 10_000, 500
FEWEST = 10
"""Definitions that make a text code."""
_KEPT = (SYSTEM, TOOLS, USER)

_ASKS = re.compile(
    rf"\b(?:load|need|show|open|request|fetch|expand)\b(?P<rest>[^\n]{{0,200}}?{SECTION.pattern}[^\n]*)", re.IGNORECASE
)
_REFUSES = re.compile(r"(?:\b(?:not|no|never|without)|n't)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_PRUNE = re.compile(
    r"^\s*(?:[-*]\s+)?(?:\*\*)?PRUNE:(?:\*\*)?\s*(?:`(?P<marked>[^`]+)`|(?P<bare>\S.{0,300}?))"
    r"\s+[-\u2013\u2014]+\s+(?P<reason>\S.*)$"
)
_CODE = re.compile(r"^\s*(?:```|~~~)")


class Prune(NamedTuple):
    """A block that the agent lets go."""

    id: str
    reason: str


class Pruned(NamedTuple):
    """What comes of the agent's requests."""

    gone: tuple[Prune, ...]
    refused: tuple[Prune, ...]
    """Not there, or not the agent's to give up; the reason is ours."""


def own_lines(text: str) -> list[str]:
    """The lines that the assistant says itself: no code, no quotes."""
    lines, fenced = [], False
    for line in text.split("\n"):
        if _CODE.match(line):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith(">"):
            lines.append(line)
    return lines


def _said(blocks: Iterable[Block]) -> list[str]:
    return [line for block in blocks if block.kind == ASSISTANT for line in own_lines(block.text)]


def sections(blocks: Iterable[Block], known: Collection[str]) -> tuple[str, ...]:
    """Sections that the assistant asks for, as they are marked ("§3.3.2"), in order; at most five, all known."""
    asked = []
    for line in _said(blocks):
        for found in _ASKS.finditer(line):
            if not _REFUSES.search(line[: found.start()]):
                asked += [mark for mark in SECTION.findall(found["rest"]) if mark in known]
    return tuple(dict.fromkeys(asked))[:AT_ONCE]


def prunes(blocks: Iterable[Block]) -> tuple[Prune, ...]:
    """The requests to prune in the assistant's own text, each id once."""
    found = filter(None, map(_PRUNE.match, _said(blocks)))
    asked = [Prune(match["marked"] or match["bare"], match["reason"].strip()) for match in found]
    return tuple({one.id: one for one in asked}.values())


def pruned(asked: Iterable[Prune], blocks: Iterable[Block]) -> Pruned:
    """Which requests are granted.

    A block goes by its id; by what they are about ("Read src/api.py"), or by that argument alone, all go that may.
    """
    named: dict[str, list[Block]] = {}
    for block in blocks:
        for name in {block.id, block.about, block.about.partition(" ")[2]}:
            named.setdefault(name, []).append(block)
    gone: dict[str, Prune] = {}
    refused = []
    for one in asked:
        reasons = {block.id: _stays(block) for block in named.get(one.id, ())}
        free = [name for name, reason in reasons.items() if not reason]
        gone |= {name: Prune(name, one.reason) for name in free}
        if not free:
            refused.append(Prune(one.id, next(reversed(reasons.values()), "no such block")))
    return Pruned(tuple(gone.values()), tuple(refused))


GONE = "it has left already"


def _stays(block: Block) -> str:
    """Why a block is not the agent's to give up; "" when it is. A call leaves with its result."""
    if block.keep or block.kind in (*_KEPT, CALL):
        return "it is kept by rule"
    return GONE if block.state == PLACEHOLDER else ""


class Elevation(NamedTuple):
    """What is shown of a file."""

    text: str
    tokens: int
    whole: bool
    """False: a summary; the file is read only if that is not enough."""


def elevated(text: str, path: str, count: Callable[[str], int] | None = None) -> Elevation:
    """The file itself up to 10,000 tokens, else a summary of at most 500."""
    measure = count or estimate
    size = measure(text)
    if size <= LARGE:
        return Elevation(text, size, True)
    head = f"{path}: {size:,} tokens, {text.count(chr(10)) + 1:,} lines; read it if this is not enough."
    body = _outline(text) or condense(_thinned(text), SUMMARY - int(1.2 * measure(head)) - 2, count)
    summary = f"{head}\n{body}"
    return Elevation(summary, measure(summary), False)


_HEADING = re.compile(r"#{1,4} \S|\S.{0,80}:$|=+ ?\w.{0,80}=$")


def _thinned(text: str) -> str:
    """What of a long text is worth condensing: its beginning, its headings, lines that tell of trouble, its end.

    Condensing looks at every sentence; of a text of 1 MB that takes half a minute, of this well under a second.
    """
    lines = text.split("\n")
    headings = [
        f"{line}\n{after}" for line, after in pairwise(lines) if _HEADING.match(line) and len(line) + len(after) < 600
    ]
    problems = [line for _, line, _ in policy.search(text.encode("utf-8", "replace"))[1]]
    parts = ((text, 4_000), ("\n".join(_spread(headings)), 8_000), ("\n".join(problems), 4_000))
    return "\n".join([*(part[:most] for part, most in parts), text[-2_000:]])


def _spread(items: list[str], most: int = 60) -> list[str]:
    """Up to `most` of the items, from all over the list."""
    step = max(1, -(-len(items) // most))
    return items[::step]


def _outline(text: str) -> str:
    """Of code the names that it defines, with their lines; "" for a text that defines too few."""
    numbers: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for name in identifiers.definitions(line):
            numbers.setdefault(name, number)
    if len(numbers) < FEWEST:
        return ""
    kept, total = ["It defines"], 0
    for name, number in numbers.items():
        line = f"{number}: {clip(name, 80)}"
        total += estimate(line) + 2
        if total > SUMMARY * 0.8:
            kept.append(f"and {len(numbers) - len(kept) + 1} more")
            break
        kept.append(line)
    return "\n".join(kept)
