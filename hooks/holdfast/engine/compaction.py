"""What takes the place of everything before the newest messages?

Rule: the window is cut at an assistant message, so that no call is parted from its result; as much of the newest stays
as the target allows. Before it stand the goal in the user's words and a summary by sections: from the record of the
whole work (worklog/fold.py), never from an earlier summary, so that nothing decays from one compaction to the next;
or by a model, which is given that record beside the conversation. Then it is validated: every item that scores 100
(compaction/preservation.py) and stands in neither of them word by word is added word by word. Sources: requirements
K1, K8;
the summary's share of the limit is ours. The target is that of the cascade (.60), which K8 allows (.65 at most).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.compaction import packet, preservation
from holdfast.engine import prompts
from holdfast.engine.blocks import CALL, PER_BLOCK, PLACEHOLDER, RESULT, THINKING, USER, WHOLE, Block, tokens_of
from holdfast.engine.content_block import read
from holdfast.engine.messages import content
from holdfast.engine.plan import Change, Plan
from holdfast.engine.strategy import Scene
from holdfast.handoff import orchestrator
from holdfast.worklog import fold

SHARE, LEAST, MOST = 0.08, 200, 6_000
"""Tokens of the summary: this share of the limit, within these bounds. What scores 100 is never left out for them."""
CHARS = 2.6
"""Characters per token by which the summary's room is told to compaction/packet.py; counted afterwards."""
SHOWN = 1_500
"""Characters of a result that a model is given; more of a text."""
FOR_MODEL = 0.7
"""Share of the limit that a model is given to read."""


class Cut(NamedTuple):
    """Where the window is cut."""

    at: int
    """Index of the first message that stays: one of the assistant's."""
    gone: tuple[Block, ...]
    """Blocks before it that are sent until now, in order; the goal's message and `carried` are not among them."""
    carried: tuple[Block, ...] = ()
    """Images and documents of the newest request, where it stands before the cut."""


def compact(scene: Scene) -> Plan:
    """The cut with what stands in place of the messages before it; no changes where nothing would be gained.

    Raises OSError when the messages cannot be stored.
    """
    holder = _holder(scene)
    work = fold.load(dict(scene.work()))
    record = _record(scene, work)
    found = cut(scene, scene.count("\n".join([record, *lacking(work, f"{_text(_goal(scene))}\n{record}")])) + _FRAME)
    if not found.gone:
        return Plan("compaction", note="nothing is left to compact", short=scene.wanted)
    asker = prompts.Asker(scene.ask)
    summary, fidelity = _summary(scene, found, record, asker)
    changes = [_gone(block) for block in found.gone if block.id != holder.id]
    tokens = _own(holder, scene) + scene.count(summary) + PER_BLOCK
    state = WHOLE if holder.id == scene.moment.goal else PLACEHOLDER
    changes.append(Change(holder.id, holder.text, tokens, state, "compaction"))
    freed = tokens_of(block for block in found.gone if block.id != holder.id) + holder.tokens - tokens
    if freed <= 0:
        return Plan("compaction", (), 0, asker.calls, "a summary would be no shorter", scene.wanted)
    short = max(0, scene.wanted - freed)
    made = Plan("compaction", tuple(changes), freed, asker.calls, asker.note, short, found.at, summary, fidelity)
    return made._replace(carried=tuple(block.place for block in found.carried))


def _gone(block: Block) -> Change:
    return Change(block.id, None, 0, PLACEHOLDER, "compaction")


def _holder(scene: Scene) -> Block:
    """The block that the summary's tokens are counted with: the goal, else the first of the messages."""
    inside = (block for block in scene.blocks if block.place[0] >= 0)
    return next((block for block in scene.blocks if block.id == scene.moment.goal), None) or next(inside)


def _own(holder: Block, scene: Scene) -> int:
    """Tokens of the goal itself, which an earlier summary may have been added to."""
    if holder.id != scene.moment.goal:
        return 0
    index, number = holder.place
    beside = read(content(scene.messages[index])[number]).beside if holder.stored else 0
    return scene.count(holder.text) + beside + PER_BLOCK


def _goal(scene: Scene) -> list[Block]:
    """What the message of the goal says, which is sent after every cut; [] for none."""
    holder = _holder(scene)
    goal = holder.place[0] if holder.id == scene.moment.goal else -1
    return [block for block in scene.blocks if block.place[0] == goal >= 0 and block.kind != RESULT]


def _text(blocks: Iterable[Block]) -> str:
    return "\n".join(block.text for block in blocks if block.text)


_FRAME = 80  # tokens of the summary's first line and its last heading


def _record(scene: Scene, work: dict[str, Any]) -> str:
    """The sections of the record; shorter where much has to be added to them word by word."""
    room = budget(scene.limit)
    text = offline(work, room, scene.count)
    added = scene.count("\n".join(lacking(work, f"{_text(_goal(scene))}\n{text}")))
    return offline(work, max(room // 2, room - added), scene.count) if added else text


def cut(scene: Scene, summary: int) -> Cut:
    """Where to cut so that the newest messages, the goal and a summary of so many tokens meet the target.

    Where nothing meets it, before the last answer.
    """
    holder, goal = _holder(scene), {block.id for block in _goal(scene)}
    always = (block for block in scene.blocks if block.place[0] < 0 or block.id in goal - {holder.id})
    fixed = tokens_of(always) + _own(holder, scene)
    room = tokens_of(scene.blocks) - scene.wanted - fixed - summary
    sizes: dict[int, int] = {}
    for block in scene.blocks:
        sizes[block.place[0]] = sizes.get(block.place[0], 0) + block.tokens
    at = scene.moment.answering
    for index in range(len(scene.messages) - 1, scene.cut, -1):
        room -= sizes.get(index, 0)
        if room < 0:
            break
        if scene.messages[index].get("role") == "assistant":
            at = min(at, index)
    if at <= scene.cut:
        return Cut(0, ())
    carried = tuple(block for block in _request(scene, at) if block.stored)
    kept = {*goal, *(block.id for block in carried)}
    before = (block for block in scene.blocks if 0 <= block.place[0] < at and block.id not in kept)
    sent = (block for block in before if block.place[0] >= scene.cut or (block.tokens and block.id != holder.id))
    return Cut(at, tuple(sent), carried)


def _request(scene: Scene, before: int) -> list[Block]:
    """What the newest request says, where it stands before this message and is not the goal's; else []."""
    asked = next((block.place[0] for block in scene.blocks if block.id == scene.moment.request), -1)
    goal = next((block.place[0] for block in scene.blocks if block.id == scene.moment.goal), -1)
    found = (block for block in scene.blocks if block.kind == USER and block.place[0] == asked)
    return list(found) if goal != asked and 0 <= asked < before else []


def budget(limit: int) -> int:
    """Tokens that a summary may have in a window of `limit`."""
    return int(min(MOST, max(LEAST, SHARE * limit)))


def _summary(scene: Scene, found: Cut, record: str, asker: prompts.Asker) -> tuple[str, float]:
    """Its text: a line that says what it is, the sections, and what must not be lost; how much of that it held."""
    head = _head(scene, found)  # stored first: a model need not be asked where that fails
    goal, asked = _text(_goal(scene)), _request(scene, found.at)
    work = fold.load(dict(scene.work()))
    told = conversation(found.gone, int(scene.limit * FOR_MODEL), scene.count) if scene.ask else ""
    room = budget(scene.limit)
    body = asker(prompts.compaction(scene.options.goal or goal, record, told, room), room, scene.count) or record
    parts = [head, body]
    if asked:
        parts.append(f"## The user's latest request, word by word\n{_text(asked)}")
    marked = [block for block in scene.blocks if block.keep and 0 <= block.place[0] < found.at and block not in asked]
    parts += [f"## Marked to be kept: {block.about or block.kind}\n{block.text}" for block in marked]
    if scene.options.goal and scene.options.goal not in goal:
        parts.append(f"## The goal\n{scene.options.goal}")
    if scene.notes:
        parts.append(f"# Notes\n{scene.notes}")
    lost = lacking(work, "\n".join([goal, *parts]))
    text = "\n".join([*parts, *(["## Word by word", *(f"- {line}" for line in lost)] if lost else [])])
    return text, 1 - len(lost) / max(1, len(lacking(work, "")))


def _head(scene: Scene, found: Cut) -> str:
    """What gave way, and where the whole of it is; the part before it is named within, part by part."""
    before = scene.where(part(scene.cut, "")) if scene.cut else ""
    earlier = f"[What came before: {before}]\n" if before else ""
    where = scene.where(part(found.at, earlier + whole(found.gone)))
    tokens = tokens_of(found.gone)
    return (
        f"[Holdfast: {found.at} messages gave way to this summary, ~{tokens} tokens of them now"
        f"{f'; whole: {where}' if where else ''}. It is the record of the work, not a new instruction.]"
    )


def part(at: int, text: str) -> Block:
    """What is stored of a compaction, under an id of its own: the same cut is stored once."""
    return Block(f"history.{at}", "history", text, 0, about=f"messages before {at}")


def whole(gone: Iterable[Block]) -> str:
    """All that these blocks say, as it is stored."""
    return "\n\n".join(f"[turn {block.turn}, {block.about or block.kind}]\n{block.whole}" for block in gone)


def offline(work: dict[str, Any], tokens: int, count: Callable[[str], int]) -> str:
    """The sections of the packet within `tokens`; "" for a record that says nothing."""
    if not work["messages"]:
        return ""
    chars = int(tokens * CHARS)
    text = _shown(work, chars)
    while text and count(text) > tokens and chars > 1:
        chars = int(chars * min(0.9, tokens / count(text)))
        text = _shown(work, chars)
    return text


def _shown(work: dict[str, Any], chars: int) -> str:
    found = packet.sections(packet.Material(work, orchestrator.load({})), chars)
    return "\n".join("\n".join([f"## {title}", *lines]) for title, lines in found)


def conversation(blocks: Sequence[Block], tokens: int, count: Callable[[str], int]) -> str:
    """The blocks as a model reads them, newest first chosen, in their order; long results at their ends only."""
    found: list[str] = []
    for block in reversed(blocks):
        text = f"[turn {block.turn}] {block.about or block.kind}: {_ends(block)}"
        tokens -= count(text)
        if tokens < 0:
            break
        found.append(text if block.kind != THINKING else "")
    return "\n".join(text for text in reversed(found) if text)


def _ends(block: Block) -> str:
    most = SHOWN if block.kind in (RESULT, CALL) else 3 * SHOWN
    if len(block.text) <= most:
        return block.text
    half = most // 2
    return f"{block.text[:half]} … {block.text[-half:]}"


def lacking(work: Mapping[str, Any], text: str) -> list[str]:
    """Items that score 100 and do not stand in `text` word by word, in their order, each with its kind."""
    record = fold.load(dict(work))
    moment = preservation.moment_of(record)
    said = " ".join(text.split())
    found = {}
    for item in preservation.gather(record):
        flat = " ".join(item.text.split())
        if flat and flat not in said and preservation.score(item, moment) == preservation.MUST:
            state = f", {item.state.replace('_', ' ')}" if item.state else ""
            found[flat] = f"{item.kind}{state}: {flat}"
    return list(found.values())
