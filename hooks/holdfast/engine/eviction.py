"""Which blocks leave the window so that it has room again, and what stands in their place?

Rule: the lowest score leaves first, by the policy's own measure (0 leaves first, 1 stays), until the target is met.
Never: the system prompt, tool definitions, what the user has said, what the API's own tools did, marked blocks, results
that the model has not answered or has just answered, and the thinking of the last answer. Of a call whose result leaves
the long inputs go with it. Weights and lives are the source's (requirement E); its LRU kept what is idle, here what is
idle leaves (R3). A placeholder has at most 50 tokens: what it was, when it came, names that nothing else in the window
says, and where the whole is, which is never left out (docs/decisions/0010-eviction.md). What the agent itself lets go,
by `PRUNE: id - reason` on a line of its own (requirement N), leaves in the same way however full the window is.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import exp

from holdfast.engine.blocks import Block, BlockKind, BlockState, Edit, Plan, plan
from holdfast.engine.options import DEFAULTS, Settings
from holdfast.engine.strategy import EVICTED, ScoringContext, StrategyInput
from holdfast.text.identifiers import basename
from holdfast.text.lines import clip
from holdfast.text.markdown import own_lines
from holdfast.text.tokens import estimate

LEAST = 30  # tokens that a change must free to be worth making: a few dozen are not worth a placeholder
Scorer = Callable[[Block, int, Settings], float]  # (block, turn now, settings) -> 0..1


def recency(block: Block, now: int, settings: Settings) -> float:
    """First in, first out."""
    return exp((block.turn - now) / settings.recency)


def references(block: Block, now: int, settings: Settings) -> float:
    """Least recently used: what no turn has named for long leaves."""
    return exp((max(block.used, block.turn) - now) / settings.idle)


def by_type(block: Block, now: int, settings: Settings) -> float:
    """What is left of the life that its kind has; 50 turns for kinds that the table does not name."""
    return max(0, 1 - (now - block.turn) / settings.ttl.get(block.kind, 50))


def priority(block: Block, now: int, settings: Settings) -> float:
    """Recency, relevance to the task, source, reuse, and the user's own mark."""
    reuse = min(1, block.uses / settings.full_uses)
    parts = {"relevance": block.relevance, "source": block.kind.worth / 10, "reuse": reuse, "explicit": block.keep}
    return _weighed(settings.priority, {"recency": recency(block, now, settings), **parts})


def hybrid(block: Block, now: int, settings: Settings) -> float:
    """All of them, weighted."""
    scores = {"recency": recency, "priority": priority, "type": by_type, "references": references}
    parts = {name: score(block, now, settings) for name, score in scores.items()}
    return _weighed(settings.hybrid, {**parts, "duplication": 1 - block.repeat})


def _weighed(weights: Mapping[str, float], parts: Mapping[str, float]) -> float:
    return sum(weights[name] * value for name, value in parts.items())


SCORERS: Mapping[str, Scorer] = {
    "fifo": recency,
    "lru": references,
    "priority": priority,
    "semantic_merge": hybrid,
    "type": by_type,
    "hybrid": hybrid,
}
"""Policy -> its score. `semantic_merge` merges what differs in times and ids first and scores what is left."""


def evict(given: StrategyInput) -> Plan:
    """The lowest scores leave. Raises OSError when a whole text cannot be stored."""
    options = given.options
    ids = chosen(given.blocks, given.wanted, given.context, options.policy, options.settings)
    return planned(given, ids)


def chosen(
    blocks: Sequence[Block], target: int, context: ScoringContext, policy: str = "hybrid", settings: Settings = DEFAULTS
) -> tuple[str, ...]:
    """Ids of the blocks that leave, in that order, until `target` tokens are free or nothing more may leave.

    A call's id stands beside its result's. policy: one of SCORERS.
    """
    score, now = SCORERS[policy], context.turn
    free = [block for block in blocks if block.state != BlockState.PLACEHOLDER and not context.protects(block)]
    calls = {block.pair: block for block in free if block.kind == BlockKind.CALL}
    heads = [block for block in free if block.kind != BlockKind.CALL and gain(block, calls.get(block.pair)) >= LEAST]
    found: list[str] = []
    for block in sorted(heads, key=lambda block: score(block, now, settings)):
        if target <= 0:
            break
        call = calls.get(block.pair) if block.kind == BlockKind.RESULT else None
        found += [block.id, call.id] if call and gain(call) > 0 else [block.id]
        target -= gain(block, call)
    return tuple(found)


def gain(block: Block, call: Block | None = None) -> int:
    """About how many tokens leave with a block and, of a result, with its call's long inputs."""
    stays = block.fixed if block.kind == BlockKind.CALL else 0 if block.kind == BlockKind.THINKING else TOKENS
    return block.tokens - stays + (max(0, gain(call)) if call else 0)


def planned(given: StrategyInput, ids: Sequence[str]) -> Plan:
    """The changes for these ids. Raises OSError when a whole text cannot be stored."""
    by_id, leaving = {block.id: block for block in given.blocks}, frozenset(ids)
    changes = [change for name in ids if (change := _change(by_id[name], leaving, given))]
    return plan("eviction", by_id, changes, given.wanted)


def _change(block: Block, leaving: Collection[str], given: StrategyInput) -> Edit | None:
    if block.kind == BlockKind.THINKING:
        return Edit(block.id, None, 0, BlockState.PLACEHOLDER, block.kind)
    if block.kind == BlockKind.CALL:
        shown, tokens = f"{EVICTED}{block.tokens} tokens; whole: {given.where(block)}]", block.fixed
    else:
        shown = placeholder(block, given.where(block), given.names(block, leaving))
        tokens = given.count(shown)
    return Edit(block.id, shown, tokens, BlockState.PLACEHOLDER, block.kind) if tokens < block.tokens else None


TOKENS = 50  # of a placeholder


def placeholder(block: Block, whole: str, names: Iterable[str] = ()) -> str:
    """What stands in a block's place, within TOKENS unless the turn and the name in the archive alone are more.

    whole: where its whole text is; names: those that stand nowhere else, most wanted first.
    """
    heads = (f"{clip(_what(block), 36)}, turn {block.turn}", f"turn {block.turn}")
    tails = tuple(f"; whole: {one}]" if one else "]" for one in dict.fromkeys((whole, named(whole))))
    found = [(f"{EVICTED}{head}", tail) for tail in tails for head in heads]
    head, tail = next((one for one in found if estimate("".join(one)) <= TOKENS), found[-1])
    text = f"{head}{_names(names, TOKENS - estimate(head + tail))}{tail}"
    return text if estimate(text) <= TOKENS else f"{head}{tail}"


def named(whole: str) -> str:
    """The name in the archive, of a path too: `recall` takes either."""
    return basename(whole).removesuffix(".txt")


def _what(block: Block) -> str:
    """What it was: of a path its last part, since the call that stands before a result still says the whole."""
    tool, _, argument = block.about.partition(" ")
    if not block.about:
        return block.kind.replace("_", " ")
    path = block.kind == BlockKind.RESULT and "/" in argument and " " not in argument
    return f"{tool} {basename(argument)}" if path else block.about


def _names(names: Iterable[str], room: int) -> str:
    shown: list[str] = []
    for name in names:
        cost = estimate(name) + 1
        if cost <= room and len(shown) < 12:
            shown.append(name)
            room -= cost
    return f": {', '.join(shown)}" if shown else ""


_PRUNE = re.compile(
    r"\s*(?:[-*]\s+)?(?:\*\*)?PRUNE:(?:\*\*)?\s*(?:`(?P<marked>[^`]+)`|(?P<bare>\S.{0,300}?))"
    r"(?<!\s)\s++[-\u2013\u2014]++\s++(?P<reason>\S.*)$"
)


def prune_requests(texts: Iterable[str]) -> dict[str, str]:
    """Id -> reason, of the requests in these texts of the assistant; code and quotes request nothing."""
    asked = (_PRUNE.match(line) for text in texts for line in own_lines(text))
    return {one["marked"] or one["bare"]: one["reason"].strip() for one in asked if one}


def prune(given: StrategyInput) -> Plan:
    """What the newest answer asks to let go; no changes and no note when it asks for nothing.

    A block goes by its id; by what it is about ("Read src/api.py"), or by that argument alone, all go that may. Raises
    OSError when a whole text cannot be stored.
    """
    blocks, now = given.blocks, given.context.turn
    asked = prune_requests(block.text for block in blocks if block.kind == BlockKind.ASSISTANT and block.turn == now)
    if not asked:
        return Plan("prune")
    reasons, refused = _granted(asked, blocks, given.context)
    pairs = {block.pair for block in blocks if block.id in reasons and block.kind == BlockKind.RESULT}
    calls = [b.id for b in blocks if b.kind == BlockKind.CALL and b.pair in pairs and not b.keep and gain(b) > 0]
    made = planned(given, [*reasons, *calls])
    changes = tuple(change._replace(why=f"asked: {reasons.get(change.id) or 'its result'}") for change in made.changes)
    note = f"not let go: {', '.join(refused)}" if refused else ""
    return made._replace(by="prune", changes=changes, note=note)


def _granted(
    asked: Mapping[str, str], blocks: Sequence[Block], context: ScoringContext
) -> tuple[dict[str, str], list[str]]:
    """Id -> reason of what may go, and what was refused with why."""
    named: dict[str, list[Block]] = {}
    for block in blocks:
        for name in {block.id, block.about, block.about.partition(" ")[2]}:
            named.setdefault(name, []).append(block)
    gone: dict[str, str] = {}
    refused = []
    for name, reason in asked.items():
        meant = named.get(name, [])
        free = [block.id for block in meant if block.state != BlockState.PLACEHOLDER and not _stays(block, context)]
        gone |= dict.fromkeys(free, reason)
        if not free and not (meant and meant[-1].state == BlockState.PLACEHOLDER):
            refused.append(f"{name} ({'it is kept by rule' if meant else 'no such block'})")
    return gone, refused


def _stays(block: Block, context: ScoringContext) -> bool:
    """Whether a block is not the agent's to give up. A result that was just answered is; a call leaves with its own."""
    if block.kind == BlockKind.RESULT:
        return block.keep or block.turn > context.turn
    return block.kind == BlockKind.CALL or context.protects(block)
