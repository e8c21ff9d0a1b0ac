"""How much of an ageing text does the window still show?

Rule: the levels of requirement K4, by age. Without a model they are the text's own structure, verbatim: headings,
marked lines, first lines of lists and paragraphs, as far as they fit; then its first line; then the beginning of that,
with names that stand nowhere else. Every level is made from the whole text, so that nothing drifts. It holds for what
the assistant said and for memories. That a text is left alone when little is saved is ours, and so are the smallest
sizes.
"""

from collections.abc import Iterable
from math import inf

from holdfast.engine import prompts
from holdfast.engine.block_index import LONG, sampled
from holdfast.engine.blocks import Block, BlockKind, BlockState, Count, Edit, Plan
from holdfast.engine.eviction import LEAST
from holdfast.engine.strategy import Asker, StrategyInput, clipped, fitting, until_enough

LEVELS = (
    (1, "full", 100, 0, ""),
    (5, "key points", 30, 40, BlockState.DIGEST),
    (20, "one line", 5, 24, BlockState.DIGEST),
    (inf, "title", 1, 10, BlockState.PLACEHOLDER),
)
"""Up to which age in turns, name, per cent of the whole text's tokens, tokens however short it is, state."""


def progressive(given: StrategyInput) -> Plan:
    """The ageing texts at their levels, oldest first, until enough is free. Raises OSError; see StrategyInput.where."""
    return until_enough("progressive", given.free(BlockKind.ASSISTANT, BlockKind.MEMORY), given, _change)


def _change(block: Block, given: StrategyInput, asker: Asker) -> Edit | None:
    age = given.context.turn - block.turn
    _, name, percent, least, state = next(level for level in LEVELS if age <= level[0])
    room = max(least, sampled(block.text, given.count) * percent // 100)
    if not state or room + 20 + LEAST > block.tokens:
        return None
    ask = state == BlockState.DIGEST and room >= 60
    asked = asker(lambda: prompts.turn(block.text, room), room) if ask else ""
    body = asked or shortened(block.text[:LONG], room, given.count, given.names(block, ()))
    text = f"[Turn {block.turn}, {name}; whole: {given.where(block)}] {body}"
    tokens = given.count(text)
    return Edit(block.id, text, tokens, state, name) if tokens + LEAST <= block.tokens else None


def shortened(text: str, room: int, count: Count, names: Iterable[str] = ()) -> str:
    """At most about `room` tokens of a text, verbatim lines in their order; then names, as far as they fit."""
    ranked = sorted(_lines(text) or _lines(text.replace("```", "")))  # of a text that is all code its own
    taken: list[tuple[int, str]] = []
    left = room
    for _, number, line in ranked:
        cost = count(line) + 1
        if cost <= left:
            taken.append((number, line))
            left -= cost
    if not taken:
        shown = clipped(ranked[0][2], max(room * 2 // 3, 1), count) if ranked else ""
        taken, left = [(0, shown)], room - count(shown)
    told = "\n".join(line for _, line in sorted(taken))
    listed = fitting((name for name in names if name not in told), left, count)
    return f"{told} [{', '.join(listed)}]" if listed else told


def _lines(text: str) -> list[tuple[int, int, str]]:
    """(rank, number, line): headings and marked lines, then the first, then list items, then a paragraph's first."""
    found, before, fenced = list[tuple[int, int, str]](), "", False
    for number, raw in enumerate(text.splitlines()):
        line = raw.strip()
        fenced ^= line.startswith("```")
        if line and not fenced and not line.startswith("```"):
            found.append((_rank(line, number, bool(before)), number, line))
        before = line
    return found


def _rank(line: str, number: int, inside: bool) -> int:
    """0 is told first; inside: the line goes on with a paragraph."""
    marked, colon, _ = line.lstrip("*-# ").partition(":")
    if line.startswith("#") or (colon and marked.rstrip("*").isupper()):
        return 0
    if number == 0:
        return 1
    item = line.startswith(("- ", "* ", "|")) or line.partition(".")[0].isdecimal()
    return 2 if item else 4 if inside else 3
