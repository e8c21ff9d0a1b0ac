"""Which blocks leave the window, so that it has room again?

Rule: the lowest score leaves first (engine/eviction_scores.py) until the target is met. Never: the system prompt, tool
definitions, what the API's own tools did, all that the user says in the message of the task's goal and in the newest
request, marked blocks, and the results that the model has not answered yet or has just answered; thinking of the last
answer stays, since the API wants it back. A call and its result
leave together: the result becomes a placeholder, of its call the long inputs go with it. What saves less than it costs
to say is left alone. Source: requirement E; that a block of a few dozen tokens is not worth its placeholder is ours.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from holdfast.engine.blocks import CALL, OTHER, PLACEHOLDER, RESULT, SYSTEM, THINKING, TOOLS, USER, Block
from holdfast.engine.eviction_scores import DEFAULTS, SCORERS, Settings, checked
from holdfast.engine.placeholder import TOKENS
from holdfast.engine.plan import Change, Plan, plan

NEVER = frozenset({SYSTEM, TOOLS, OTHER})
OPEN_TURNS = 1
"""Turns for which a result stays after the model has answered it: the step it serves is often not over."""
LEAST = 30
"""Tokens that a change must free to be worth making."""
DROPPED = frozenset({THINKING})
"""Kinds of which nothing needs to be said when they go."""

Standing = Callable[[Block, Collection[str]], str]
"""(a block that leaves, ids of all that leave with it) -> its placeholder."""


class Moment(NamedTuple):
    """What the blocks are judged against."""

    turn: int
    """The newest turn: the number of the last answer of the model."""
    goal: str = ""
    """Id of the first text of the task's goal; "" when there is none."""
    request: str = ""
    """Id of the first text of the user's newest request."""
    answering: int = -1
    """Index of the last assistant message: its thinking must stay."""
    asked: tuple[int, ...] = ()
    """Indices of the messages of goal and newest request."""


def protected(block: Block, moment: Moment) -> bool:
    """Whether a block must not leave, whatever it scores."""
    if block.kind in NEVER or block.keep or block.id in (moment.goal, moment.request):
        return True
    if block.kind == USER and block.place[0] in moment.asked:
        return True
    if block.kind in (RESULT, CALL):
        return block.turn >= moment.turn - OPEN_TURNS
    return block.turn >= moment.turn if block.kind != THINKING else block.place[0] >= moment.answering >= 0


def evict(
    blocks: Sequence[Block], target: int, moment: Moment, policy: str = "hybrid", settings: Settings = DEFAULTS
) -> tuple[str, ...]:
    """Ids of the blocks that leave, in that order, until `target` tokens are free or nothing more may leave.

    A call's id stands beside its result's. Raises BadInput for an unknown policy.
    """
    score = SCORERS[checked(policy)]
    now = moment.turn
    free = [block for block in blocks if block.state != PLACEHOLDER and not protected(block, moment)]
    calls = {block.pair: block for block in free if block.kind == CALL}
    heads = [block for block in free if block.kind != CALL and gain(block, calls.get(block.pair)) >= LEAST]
    found: list[str] = []
    for block in sorted(heads, key=lambda block: score(block, now, settings)):
        if target <= 0:
            break
        call = calls.get(block.pair) if block.kind == RESULT else None
        found += [block.id, call.id] if call and gain(call) > 0 else [block.id]
        target -= gain(block, call)
    return tuple(found)


def gain(block: Block, call: Block | None = None) -> int:
    """About how many tokens leave with a block and, of a result, with its call's long inputs."""
    stays = block.fixed if block.kind == CALL else 0 if block.kind in DROPPED else TOKENS
    return block.tokens - stays + (max(0, gain(call)) if call else 0)


def planned(
    blocks: Sequence[Block], ids: Sequence[str], target: int, standing: Standing, count: Callable[[str], int]
) -> Plan:
    """The changes for these ids. standing: the placeholder of a block; count: tokens of a text."""
    by_id, leaving = {block.id: block for block in blocks}, frozenset(ids)
    changes = [change for name in ids if (change := _change(by_id[name], lambda one: standing(one, leaving), count))]
    return plan("eviction", by_id, changes, target)


def _change(block: Block, standing: Callable[[Block], str], count: Callable[[str], int]) -> Change | None:
    if block.kind in DROPPED:
        return Change(block.id, None, 0, PLACEHOLDER, block.kind)
    shown = standing(block)
    tokens = block.fixed if block.kind == CALL else count(shown)
    return Change(block.id, shown, tokens, PLACEHOLDER, block.kind) if tokens < block.tokens else None
