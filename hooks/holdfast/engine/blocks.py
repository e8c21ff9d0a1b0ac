"""Content blocks of one context window, what is done to them, and what that costs in cache misses.

A block is one piece of a request. Policies and strategies answer with a plan of edits by block id; nothing is changed
before the plan is whole. Kinds are those of requirement E, and `tool_call` for what a call hands to its tool, since
that alone is a sixth of a session's text (139 recorded sessions). The prompt cache holds a prefix, so the first edit
makes all behind it be written anew once. Prices are multiples of an input token's: a cache read .1, a write 1.25
(Messages API, five-minute cache).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

SYSTEM, TOOLS, USER, ASSISTANT = "system_prompt", "tool_definition", "user_message", "assistant_response"
CALL, RESULT, MEMORY, THINKING = "tool_call", "tool_result", "memory_injection", "thinking"
OTHER = "other"
"""What the API's own tools were asked and answered, and sorts of blocks that are not known: their form is the API's."""
Count = Callable[[str], int]  # text -> tokens
UNKNOWN = 0.5  # a block's relevance when nobody has measured it
PER_BLOCK = 4  # tokens around a block's text: its type and ids


class Kind(NamedTuple):
    """What a kind of block counts for."""

    component: str  # of the budget (requirement T); "output" has no blocks
    worth: int  # of ten: its source's, for the policy `priority` (requirement E)


KINDS = {
    SYSTEM: Kind("system", 10),
    TOOLS: Kind("tools", 9),
    USER: Kind("history", 10),
    ASSISTANT: Kind("history", 5),
    CALL: Kind("history", 3),
    RESULT: Kind("results", 3),
    MEMORY: Kind("memory", 7),
    THINKING: Kind("history", 2),
    OTHER: Kind("results", 3),
}

WHOLE, DIGEST, PLACEHOLDER = "whole", "digest", "placeholder"
"""How much of a block is still in the window; a digest holds its head, tail and findings, a placeholder its name."""


class Block(NamedTuple):
    """One piece of the window. Turns are counted by assistant messages, from 1."""

    id: str  # stays the same from turn to turn: "call:ID" and "result:ID" for a tool's, else its place, "12.0"
    kind: str
    text: str
    tokens: int
    turn: int = 0  # turn in which it came in
    place: tuple[int, int] = (-1, 0)
    """Index of its message and of its block therein; -1 for what stands outside the messages."""
    pair: str = ""  # the call's id, which a call and its result share
    about: str = ""  # what it is in a few words: the tool and its main argument, e.g. "Read src/api.py"
    used: int = 0  # the last turn that named something of it; 0 for never
    uses: int = 0  # how many turns did
    relevance: float = UNKNOWN  # 0..1: how much of the task's words it holds; UNKNOWN when nobody has measured it
    repeat: float = 0  # 0..1: how far a newer block says the same; 1 is word by word
    fixed: int = 0  # tokens that stay when it is evicted: of a call its name and short inputs
    keep: bool = False  # marked by the user or the agent: never evicted
    state: str = WHOLE
    stored: str = ""  # what is archived in place of its text where that is not all of it: its JSON

    @property
    def whole(self) -> str:
        """All of it, as it is archived."""
        return self.stored or self.text


def tokens_of(blocks: Iterable[Block]) -> int:
    """Tokens of all of them."""
    return sum(block.tokens for block in blocks)


def by_component(blocks: Iterable[Block]) -> dict[str, int]:
    """Component of the budget -> tokens of its blocks; every component stands, "output" with 0."""
    found = dict.fromkeys((*(kind.component for kind in KINDS.values()), "output"), 0)
    for block in blocks:
        found[KINDS[block.kind].component] += block.tokens
    return found


class Edit(NamedTuple):
    """What stands in a block's place from now on."""

    id: str
    text: str | None  # None: the block is left out. Of a call only long inputs are replaced
    tokens: int  # of the new text
    state: str
    why: str  # the policy or strategy, and what it went by


class Plan(NamedTuple):
    """Changes that belong together: all of them are made, or none."""

    by: str  # the policy or strategy
    changes: tuple[Edit, ...] = ()
    freed: int = 0  # tokens that leave the window
    calls: int = 0  # calls of a model that it took
    note: str = ""  # what the user should know, e.g. that a model failed and the offline way was taken
    short: int = 0  # tokens by which the target is missed; 0 when it is met
    cut: int = 0  # messages before this index give way to the goal and `summary`; 0 for none
    summary: str = ""
    fidelity: float | None = None
    """Of a summary: the share of what must not be lost that it held before the rest was added; None for no summary."""
    carried: tuple[tuple[int, int], ...] = ()  # places of blocks before the cut that are sent all the same


class Cost(NamedTuple):
    """What a plan costs in the prompt cache, and when it has paid for itself."""

    rewritten: int  # tokens behind the first change, as they are after it: written to the cache once more
    price: float  # what that costs more than reading them, in input tokens
    pays_after: float  # turns after which the tokens freed have saved as much; infinite when nothing is freed


def plan(by: str, blocks: Mapping[str, Block], changes: Sequence[Edit], target: int) -> Plan:
    """The plan of these changes to `blocks` (id -> block), against a target of tokens to free."""
    freed = sum(blocks[change.id].tokens - change.tokens for change in changes)
    return Plan(by, tuple(changes), freed, short=max(0, target - freed))


def cost(blocks: Sequence[Block], changes: Sequence[Edit]) -> Cost:
    """What these changes cost in cache misses; `blocks`: the window in the order in which it is sent."""
    new = {change.id: change.tokens for change in changes}
    first = next((index for index, block in enumerate(blocks) if block.id in new), len(blocks))
    freed = tokens_of(block for block in blocks if block.id in new) - sum(new.values())
    rewritten = sum(new.get(block.id, block.tokens) for block in blocks[first:])
    price = rewritten * (125 - 10) / 100
    return Cost(rewritten, price, price * 10 / freed if freed > 0 else float("inf"))
