"""What of older tool results does the window still need?

Rule: of results (and memories) that say the same the newest stays; an older one becomes a reference to it that says how
often it was said. The same are texts that are equal, and those of one source that are equal but for times and ids;
under the policy `semantic_merge` also those of different sources. Other results above a size (500 tokens) that the
model has answered give way to a digest of about a fifth: the shape of JSON or the definitions of code, lines that tell
of an error, first and last lines and headings verbatim, names that nothing else in the window says, and where the whole
is. A digest that saves less than half is not made. The lowest scores go first, as in an eviction, until enough is free.
Sources: requirements E, K3 and K9; sizes of the parts are ours.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from holdfast.digest import policy, shape
from holdfast.engine import prompts
from holdfast.engine.block_index import LONG, names_of
from holdfast.engine.blocks import Block, BlockKind, BlockState, Count, Edit, Plan, plan
from holdfast.engine.eviction import LEAST, SCORERS, TOKENS, named
from holdfast.engine.strategy import Asker, StrategyInput, clipped, fitting, until_enough
from holdfast.text.lines import clip
from holdfast.text.tokens import approximate

_VARYING = re.compile(  # dates, clock times, running times; UUIDs, addresses, hashes
    r"(?=[\da-f])\b(?:\d{4}-\d\d-\d\d(?:[T ][\d:.,]+Z?)?|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?|\d++(?:\.\d++)?+\s?m?s\b"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b|0x[0-9a-f]+\b|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b)",
    re.IGNORECASE,
)


def merge(given: StrategyInput) -> Plan:
    """References in place of older blocks that say what newer ones say. Raises OSError; see StrategyInput.where."""
    found = (block for block in given.blocks if block.kind in (BlockKind.RESULT, BlockKind.MEMORY) and not block.stored)
    blocks = [block for block in found if block.state != BlockState.PLACEHOLDER and block.tokens >= 2 * LEAST]
    groups = _repeated(blocks, given.options.policy == "semantic_merge")
    older = ((block, group) for group in groups for block in group[:-1] if not given.context.protects(block))
    changes = [change for block, group in older if (change := _reference(block, group, given))]
    return plan("merge", {block.id: block for block in given.blocks}, changes, given.wanted)


def _repeated(blocks: Sequence[Block], across: bool) -> list[list[Block]]:
    """Blocks that say the same, in groups of two and more, the newest last. across: also those of other sources."""
    sources = Counter(block.about for block in blocks if block.about)
    equal: dict[str, list[Block]] = {}
    for block in blocks:
        equal.setdefault(block.text, []).append(block)
    alike: dict[tuple[str, str], list[Block]] = {}
    for text, group in equal.items():
        source = group[-1].about
        again = across or sources[source] > len(group)  # else there is nothing to compare it with
        said = _VARYING.sub("~", text) if again else text
        alike.setdefault(("" if across else source, said), []).extend(group)
    return [sorted(group, key=lambda block: block.place) for group in alike.values() if len(group) > 1]


def _reference(block: Block, group: Sequence[Block], given: StrategyInput) -> Edit | None:
    kept, whole = group[-1], given.where(block)
    what, there = (clip(one.about or one.kind, 36) for one in (block, kept))
    said = f"[Merged: {what}; said {len(group)} times, it stands in turn {kept.turn}{f': {there}' * (there != what)}"
    text = f"{said}; whole: {whole}]"
    text = text if given.count(text) <= TOKENS else f"{said}; whole: {named(whole)}]"
    tokens = given.count(text)
    return Edit(block.id, text, tokens, BlockState.PLACEHOLDER, "merge") if tokens + LEAST <= block.tokens else None


def summarise(given: StrategyInput) -> Plan:
    """Digests of older results, until enough is free. Raises OSError when a whole cannot be stored."""
    return until_enough("summarise", _candidates(given), given, _digest)


def _candidates(given: StrategyInput) -> list[Block]:
    least, score = given.options.summarise, SCORERS[given.options.policy]
    free = (block for block in given.free(BlockKind.RESULT) if block.state == BlockState.WHOLE and least)
    long = [block for block in free if block.tokens >= least and approximate(block.text) * 2 >= least]
    return sorted(long, key=lambda block: (score(block, given.context.turn, given.options.settings), block.place))


def _digest(block: Block, given: StrategyInput, asker: Asker) -> Edit | None:
    room = min(400, max(80, block.tokens // 5))
    asked = asker(lambda: prompts.result(block.about, block.text, room), room)
    body = asked or offline(block, room, given.names(block, ()), given.count)
    if not body or 2 * (given.count(body) + LEAST) > block.tokens:
        return None
    about = block.about[:80] or "a result"
    text = f"[Summary of {about}, ~{block.tokens} tokens; whole: {given.where(block)}]\n{body}"
    tokens = given.count(text)
    return (
        Edit(block.id, text, tokens, BlockState.DIGEST, "model" if asked else "offline")
        if 2 * tokens <= block.tokens
        else None
    )


def offline(block: Block, room: int, names: Iterable[str], count: Count) -> str:
    """A digest of about `room` tokens, half of it for names. names: that stand nowhere else, most wanted first."""
    shown: list[str] = []
    left = room // 2
    for line in dict.fromkeys(clipped(line, 60, count) for line in _lines(block)):
        cost = count(line) + 1
        if line and cost <= left:
            shown.append(line)
            left -= cost
    told = "\n".join(shown)
    wanted = (name for name in dict.fromkeys((*names, *names_of(block.text))) if name not in told)
    listed = fitting(wanted, room - count(told) - 4, count)
    return "\n".join([*shown, *([f"Names: {', '.join(listed)}"] if listed else [])])


def _lines(block: Block) -> Iterator[str]:
    """What a digest says of a result, most telling first."""
    tool, text = block.about.partition(" ")[0], block.text[:LONG]
    lines = [line for line in text.splitlines() if line.strip()]
    found = _form(tool, text, lines)
    yield found or f"{len(lines)} lines"
    if tool != "Read" and tool not in policy.LISTINGS:
        for number, line, often in policy.search(text)[1][:6]:
            yield f"{number}: {line.strip()}{often}"
    if not found and lines:
        yield from (lines[-1], lines[0], *(line for line in lines if line.startswith("#")), *lines[1:3])


def _form(tool: str, text: str, lines: Sequence[str]) -> str:
    """The shape of a JSON text, or what a file of code defines; "" for any other."""
    value = shape.parsed(text)
    if value is not None:
        return f"JSON: {shape.rendered(value, 1, 40, str, 3)}"
    code = (line.lstrip("0123456789 \u2192\t") for line in lines if tool == "Read")
    names = definitions("\n".join(code))
    return f"{len(lines)} lines, defines: {', '.join(names[:40])}" if names else ""


_DEFINITION = re.compile(
    r"(?m)^[ \t]*+(?:(?:export|pub(?:\([^)\n]*\))?|async|static|public|private|default)[ \t]+)*"
    r"(?:func(?:[ \t]+\([^)\n]*\))?|def|class|type|interface|struct|enum|trait|fn|function|const|module|message)[ \t]+"
    r"([A-Za-z_]\w{2,})"
)


def definitions(code: str) -> list[str]:
    """Names that a piece of code defines, in order: functions, types, constants."""
    return list(dict.fromkeys(_DEFINITION.findall(code)))
