"""Where is the window cut, and what of it does the user's own voice keep?

Rule: the cut is where an answer begins, so that no call is parted from its result; as much of the newest stays as the
target allows. What the user has said stays as it was written: goal and newest request; then, up to a quarter of the
limit where the target leaves an eighth for the work, what is short before the newest of what is long, of both first
what stands beside those two; so a pasted log takes no rule's place, nor its question's. Before the cut the rest gives
way to a summary (engine/summary.py). At a hand-over the cut is at the end. Sources: requirements K1, K8, whose target
(.65) the pipeline's (.60) keeps, W4, K6; quarter and eighth are ours.
"""

from math import inf

from holdfast.engine import summary
from holdfast.engine.blocks import PER_BLOCK, Block, BlockKind, BlockState, Edit, Plan, tokens_of
from holdfast.engine.messages import content, read_block
from holdfast.engine.strategy import Asker, StrategyInput
from holdfast.engine.summary import Cut


def compact(given: StrategyInput) -> Plan:
    """The cut with what stands in place of the messages before it; no changes where nothing would be gained.

    Raises OSError when the messages cannot be stored.
    """
    least = sum(map(given.count, summary.known(given)))
    found = cut(given, max(summary.budget(given.limit), least) + 80)  # of its first line and last heading
    if not found.gone:
        return Plan("compaction", note="nothing is left to compact", short=given.wanted)
    holder, asker = _holder(given), Asker(given.ask, given.count)
    made = summary.written(given, found, asker)
    changes = [Edit(one.id, None, 0, BlockState.PLACEHOLDER, "compaction") for one in found.gone if one.id != holder.id]
    stays = holder in found.said
    tokens = (_own(holder, given) if stays else 0) + given.count(made.text) + PER_BLOCK
    state = BlockState.WHOLE if stays else BlockState.PLACEHOLDER
    changes.append(Edit(holder.id, holder.text, tokens, state, "compaction"))
    freed = tokens_of(block for block in found.gone if block.id != holder.id) + holder.tokens - tokens
    if freed <= 0:
        return Plan("compaction", (), 0, asker.calls, "a summary would be no shorter", given.wanted)
    note, short = "; ".join(filter(None, (asker.note, made.note))), max(0, given.wanted - freed)
    plan = Plan("compaction", tuple(changes), freed, asker.calls, note, short, found.at, made.text, made.fidelity)
    return plan._replace(carried=tuple(block.place for block in found.said), record=tuple(made.record))


def everything(given: StrategyInput) -> Cut:
    """The cut of a hand-over: nothing stays but what the user has said."""
    return _parted(given, len(given.messages), said(given))


def _holder(given: StrategyInput) -> Block:
    """The block that the summary's tokens are counted with: the goal, else the first of the messages."""
    inside = [block for block in given.blocks if block.place[0] >= 0] or [Block("", BlockKind.OTHER, "", 0)]
    return next((block for block in inside if block.id == given.context.goal), inside[0])


def _own(holder: Block, given: StrategyInput) -> int:
    """Tokens of the block itself, which an earlier summary may have been added to."""
    index, number = holder.place
    beside = read_block(content(given.messages[index])[number]).beside if holder.stored else 0
    return given.count(holder.text) + beside + PER_BLOCK


def said(given: StrategyInput) -> list[Block]:
    """The user's messages that stay whole, in their order."""
    kept = {given.context.goal, given.context.request}
    left = _room(given, tokens_of(block for block in given.blocks if block.place[0] < 0 or block.id in kept))
    own = [block for block in given.blocks if block.kind == BlockKind.USER and block.state == BlockState.WHOLE]
    heads = {block.place[0] for block in own if block.id in kept}
    typed = 500  # tokens; what is longer was mostly pasted
    for block in sorted(own, key=lambda one: (one.tokens > typed, one.place[0] not in heads, *(-n for n in one.place))):
        if block.id not in kept and block.tokens <= left:
            kept.add(block.id)
            left -= block.tokens
    return [block for block in own if block.id in kept]


def _room(given: StrategyInput, held: int) -> float:
    """Tokens for the user's other messages, beside those that are held in any case."""
    target = given.limit * given.options.target / given.factor
    left = target - held - summary.budget(given.limit) - given.limit // 8
    return max(0, min(given.limit // 4, left)) if given.limit else inf


def cut(given: StrategyInput, tokens: int) -> Cut:
    """Where to cut so that the newest messages, the user's and a summary of so many tokens meet the target.

    Where nothing meets it, before the last answer.
    """
    holder, own = _holder(given), said(given)
    kept = {block.id for block in own}
    always = (block for block in given.blocks if block.place[0] < 0 or block.id in kept - {holder.id})
    room = tokens_of(given.blocks) - given.wanted - tokens_of(always) - tokens
    room -= _own(holder, given) if holder.id in kept else 0
    sizes: dict[int, int] = {}
    for block in given.blocks:
        if block.id not in kept:
            sizes[block.place[0]] = sizes.get(block.place[0], 0) + block.tokens
    clean = _beginnings(given)
    at = max(clean, default=0)
    for index in range(len(given.messages) - 1, given.cut, -1):
        room -= sizes.get(index, 0)
        if room < 0:
            break
        if index in clean:
            at = index
    return _parted(given, at, own) if at > given.cut else Cut(0)


def _beginnings(given: StrategyInput) -> set[int]:
    """Where answers begin and no call waits: one of the API's own tools may have its result in a later answer."""
    found, waiting, before = set[int](), set[object](), ""
    for index, message in enumerate(given.messages[given.cut :], given.cut):
        if message["role"] == "assistant" != before and not waiting:
            found.add(index)
        parts, before = content(message), message["role"]
        waiting |= {part.get("id") for part in parts if str(part.get("type")).endswith("tool_use")}
        waiting -= {part.get("tool_use_id") for part in parts}
    return found


def _parted(given: StrategyInput, at: int, own: list[Block]) -> Cut:
    holder, kept = _holder(given), {block.id for block in own}
    before = (block for block in given.blocks if 0 <= block.place[0] < at and block.id not in kept)
    gone = (one for one in before if one.place[0] >= given.cut or (one.tokens and one.id != holder.id))
    return Cut(at, tuple(gone), tuple(block for block in own if block.place[0] < at))
