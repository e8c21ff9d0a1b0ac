"""What does the agent ask to see, and what stands for a file that is too large to show?

Rule: sections are loaded when the agent asks for them on a line of its own (`LOAD: §3.3.2`), at most five at once, and
only in its own text, outside of quotes and code: what a tool prints asks for nothing. A file above 10,000 tokens is
shown as a summary of at most 500 tokens with its path: what it defines, or its headings and first lines. What the agent
gives up (PRUNE) stands in engine/eviction.py. Source: requirement N (progressive disclosure, summary elevation).
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from holdfast.digest import policy
from holdfast.engine.blocks import Block, BlockKind
from holdfast.engine.progressive import shortened
from holdfast.engine.results import definitions
from holdfast.engine.strategy import clipped, fitting
from holdfast.knowledge.markers import SECTION
from holdfast.text.markdown import own_lines
from holdfast.text.tokens import estimate


def sections(blocks: Iterable[Block], known: Collection[str]) -> tuple[str, ...]:
    """Sections that the assistant asks for, as they are marked ("§3.3.2"), in order; at most five, all known."""
    asked: list[str] = []
    for block in blocks:
        for line in own_lines(block.text) if block.kind == BlockKind.ASSISTANT else ():
            if line.lstrip(" -*").startswith("LOAD:"):
                asked += [mark for mark in SECTION.findall(line) if mark in known]
    return tuple(dict.fromkeys(asked))[:5]


class Elevation(NamedTuple):
    """What is shown of a file."""

    text: str
    tokens: int
    whole: bool  # False: a summary; the file is read only if that is not enough


def elevated(text: str, path: str) -> Elevation:
    """The file itself up to 10,000 tokens, else a summary of at most 500."""
    size = estimate(text)
    if size <= 10_000:
        return Elevation(text, size, True)
    head = f"{path}: {size:,} tokens, {text.count(chr(10)) + 1:,} lines; read it if this is not enough."
    room = 490 - estimate(head)
    summary = f"{head}\n{_outline(text, room) or _ends(text, room)}"
    while estimate(summary) > 500 and room > 0:  # lines together may be more than their sum
        room = room * 9 // 10
        summary = f"{head}\n{_ends(text, room)}"
    return Elevation(summary, estimate(summary), False)


def _ends(text: str, room: int) -> str:
    """Lines that tell of an error, then headings and first lines, verbatim."""
    found = (clipped(line, 60, estimate) for _, line, _ in policy.search(text)[1])
    problems = fitting(found, room // 2, estimate)
    return "\n".join([*problems, shortened(text, room - estimate("\n".join(problems)) - 1, estimate)])


def _outline(text: str, room: int) -> str:
    """Of code the names that it defines; "" for a text that defines less than ten."""
    names = list(dict.fromkeys(name[:80] for name in definitions(text)))
    if len(names) < 10:
        return ""
    kept = fitting(names, room - 10, estimate)
    return "\n".join(["It defines", *kept, *([f"and {len(names) - len(kept)} more"] if len(kept) < len(names) else [])])
