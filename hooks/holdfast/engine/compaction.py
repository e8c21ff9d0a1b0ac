"""What takes the place of everything before the newest messages?

Rule: the window is cut at an assistant message, so that no call is parted from its result; as much of the newest stays
as the target allows. Before it stand the goal and the user's other messages, each as it was written, and a summary: the
facts of the whole work (engine/record.py), never made from an earlier summary; or a model's, which is given these facts
beside the conversation. What must not be lost and does not stand there word by word is added. Sources: requirements K1,
K8, whose target (.65) the pipeline's (.60) keeps; the summary's share of the limit is ours, and so is
the quarter that what must be told, and the user's messages, may each have.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from holdfast.engine import prompts, record
from holdfast.engine.blocks import PER_BLOCK, Block, Count, Edit, Kind, Plan, State, tokens_of
from holdfast.engine.messages import content, read_block
from holdfast.engine.strategy import Asker, StrategyInput, clipped, fitting


class Cut(NamedTuple):
    """Where the window is cut."""

    at: int  # Index of the first message that stays: one of the assistant's
    gone: tuple[Block, ...] = ()  # blocks before it that are sent until now and give way, in order
    said: tuple[Block, ...] = ()
    """The user's, before it and outside the goal's message, that are sent all the same."""


def compact(given: StrategyInput) -> Plan:
    """The cut with what stands in place of the messages before it; no changes where nothing would be gained.

    Raises OSError when the messages cannot be stored.
    """
    room = budget(given.limit)
    facts = record.text(given.work(), room, given.count, given.limit // 4)
    found = cut(given, max(room, given.count(facts)) + 80)  # of its first line and last heading
    if not found.gone:
        return Plan("compaction", note="nothing is left to compact", short=given.wanted)
    holder, asker = _holder(given), Asker(given.ask)
    summary, fidelity = _summary(given, found, facts, asker)
    changes = [Edit(one.id, None, 0, State.PLACEHOLDER, "compaction") for one in found.gone if one.id != holder.id]
    tokens = _own(holder, given) + given.count(summary) + PER_BLOCK
    state = State.WHOLE if holder.id == given.context.goal else State.PLACEHOLDER
    changes.append(Edit(holder.id, holder.text, tokens, state, "compaction"))
    freed = tokens_of(block for block in found.gone if block.id != holder.id) + holder.tokens - tokens
    if freed <= 0:
        return Plan("compaction", (), 0, asker.calls, "a summary would be no shorter", given.wanted)
    short = max(0, given.wanted - freed)
    made = Plan("compaction", tuple(changes), freed, asker.calls, asker.note, short, found.at, summary, fidelity)
    return made._replace(carried=tuple(block.place for block in found.said))


def budget(limit: int) -> int:
    """Tokens that a summary may have in a window of `limit`."""
    return min(6_000, max(200, limit * 8 // 100))


def _holder(given: StrategyInput) -> Block:
    """The block that the summary's tokens are counted with: the goal, else the first of the messages."""
    inside = (block for block in given.blocks if block.place[0] >= 0)
    return next((block for block in given.blocks if block.id == given.context.goal), None) or next(inside)


def _own(holder: Block, given: StrategyInput) -> int:
    """Tokens of the goal itself, which an earlier summary may have been added to."""
    if holder.id != given.context.goal:
        return 0
    index, number = holder.place
    beside = read_block(content(given.messages[index])[number]).beside if holder.stored else 0
    return given.count(holder.text) + beside + PER_BLOCK


def _goal(given: StrategyInput) -> list[Block]:
    """What the user says in the message of the goal, which is sent after every cut; [] for none."""
    holder = _holder(given)
    index = holder.place[0] if holder.id == given.context.goal else -1
    return [block for block in given.blocks if block.kind == Kind.USER and block.place[0] == index >= 0]


def said(blocks: Sequence[Block], tokens: int) -> list[Block]:
    """The user's messages that stay whole: the newest that have at most so many tokens together, in their order."""
    kept: list[Block] = []
    for block in reversed([block for block in blocks if block.kind == Kind.USER]):
        tokens -= block.tokens
        if tokens < 0 and kept:
            break
        kept.append(block)
    return kept[::-1]


def cut(given: StrategyInput, summary: int) -> Cut:
    """Where to cut so that the newest messages, the user's and a summary of so many tokens meet the target.

    Where nothing meets it, before the last answer.
    """
    holder, goal = _holder(given), {block.id for block in _goal(given)}
    own = said([block for block in given.blocks if block.id not in goal], given.limit // 4)
    kept = goal | {block.id for block in own}
    always = (block for block in given.blocks if block.place[0] < 0 or block.id in kept - {holder.id})
    room = tokens_of(given.blocks) - given.wanted - tokens_of(always) - _own(holder, given) - summary
    sizes: dict[int, int] = {}
    for block in given.blocks:
        if block.id not in kept:
            sizes[block.place[0]] = sizes.get(block.place[0], 0) + block.tokens
    at = given.context.answering
    for index in range(len(given.messages) - 1, given.cut, -1):
        room -= sizes.get(index, 0)
        if room < 0:
            break
        if given.messages[index].get("role") == "assistant":
            at = min(at, index)
    if at <= given.cut:
        return Cut(0)
    before = [block for block in given.blocks if 0 <= block.place[0] < at and block.id not in goal]
    sent = (block for block in before if block.place[0] >= given.cut or (block.tokens and block.id != holder.id))
    stays = tuple(block for block in before if block.id in kept)
    return Cut(at, tuple(block for block in sent if block.id not in kept), stays)


def _summary(given: StrategyInput, found: Cut, facts: str, asker: Asker) -> tuple[str, float]:
    """Its text: a line that says what it is, the facts or a model's words, and what must not be lost; its fidelity."""
    head = _head(given, found)  # stored first: a model need not be asked where that fails
    goal, room, work = "\n".join(block.text for block in _goal(given)), budget(given.limit), given.work()
    known = (*_goal(given), *found.said)

    def question() -> str:
        told = conversation(found.gone, given.limit, given.count)
        return prompts.compaction(given.options.goal or goal, facts, told, room)

    body = asker(question, room, given.count)
    parts = [head, body or facts, _named(given, found, room - given.count(facts))]
    short = [block for block in found.gone if block.kind == Kind.USER and block.text]
    cut_short = "\n".join(f"- {clipped(block.text, 40, given.count)}" for block in short)
    parts += [f"## Earlier messages of the user, shortened\n{cut_short}"] if short else []
    marked = [block for block in given.blocks if block.keep and 0 <= block.place[0] < found.at and block not in known]
    parts += [f"## Marked to be kept: {block.about or block.kind}\n{block.text}" for block in marked]
    if given.options.goal and given.options.goal not in goal:
        parts.append(f"## The goal\n{given.options.goal}")
    if given.notes:
        parts.append(f"# Notes\n{given.notes}")
    all_of_it = record.text(work, 0, given.count, given.limit // 4)
    lost = [line for line in record.lacking(work, "\n".join([*(b.text for b in known), *parts])) if line in all_of_it]
    text = "\n".join([*filter(None, parts), *(["## Word by word", *lost] if lost else [])])
    return text, 1 - len(lost) / max(1, len(record.lacking(work, "")))


def _named(given: StrategyInput, found: Cut, room: int) -> str:
    """Names that only what leaves has said, as far as there is room: what the model itself named goes first."""
    leaving = {block.id for block in found.gone}
    names = [name for block in reversed(found.gone) for name in given.names(block, leaving)[:12]]
    shown = fitting(dict.fromkeys(names), room, given.count)
    return f"## Names in what left\n{', '.join(shown)}" if shown else ""


def _head(given: StrategyInput, found: Cut) -> str:
    """What gave way, and where the whole of it is; the part before it is named within, part by part."""
    before = given.where(part(given.cut, "")) if given.cut else ""
    earlier = f"[What came before: {before}]\n" if before else ""
    where = given.where(part(found.at, earlier + whole(found.gone)))
    return (
        f"[Holdfast: {found.at} messages gave way to this summary, ~{tokens_of(found.gone)} tokens of them now"
        f"{f'; whole: {where}' if where else ''}. It is the record of the work, not a new instruction.]"
    )


def part(at: int, text: str) -> Block:
    """What is stored of a compaction, under an id of its own: the same cut is stored once."""
    return Block(f"history.{at}", Kind.OTHER, text, 0, about=f"messages before {at}")


def whole(gone: Iterable[Block]) -> str:
    """All that these blocks say, as it is stored."""
    return "\n\n".join(f"[turn {block.turn}, {block.about or block.kind}]\n{block.whole}" for block in gone)


def conversation(blocks: Sequence[Block], limit: int, count: Count) -> str:
    """The newest blocks, up to 70 % of the limit, as a model reads them; long ones at their ends only."""
    found, tokens = list[str](), limit * 70 // 100
    for block in reversed(blocks):
        text = f"[turn {block.turn}] {block.about or block.kind}: {_ends(block)}"
        tokens -= count(text)
        if tokens < 0:
            break
        found.append(text if block.kind != Kind.THINKING else "")
    return "\n".join(text for text in reversed(found) if text)


def _ends(block: Block) -> str:
    half = 750 if block.kind in (Kind.RESULT, Kind.CALL) else 2_250  # characters
    return block.text if len(block.text) <= 2 * half else f"{block.text[:half]} … {block.text[-half:]}"
