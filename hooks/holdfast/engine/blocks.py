"""Content blocks of one context window, what is done to them, and what that costs in cache misses.

A block is one piece of a request. Policies and strategies answer with a plan of edits by block id; nothing is changed
before the plan is whole. Kinds are those of requirement E, and `tool_call` for what a call hands to its tool, since
that alone is a sixth of a session's text (139 recorded sessions). The prompt cache holds a prefix, so the first edit
makes all behind it be written anew once. Prices are multiples of an input token's: a cache read .1, a write 1.25
(Messages API, five-minute cache).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Self

from holdfast.worklog.record import RecordLine

Count = Callable[[str], int]  # text -> tokens
PER_BLOCK = 4  # tokens around a block's text: its type and ids
UNKNOWN = 0.5  # a block's relevance when nobody has measured it
OURS = "[Holdfast:"
"""A user's text block that begins so was put there by a hand-over, and is no word of the user's."""


def is_ours(text: str) -> bool:
    """Whether a hand-over put a text in the user's place."""
    return text[:80].lstrip().startswith(OURS)


class BlockKind(StrEnum):
    """What a block is: its component of the budget (requirement T), and of ten its worth for the policy `priority`."""

    component: str
    worth: int
    __repr__ = str.__repr__  # people see it as an option's value

    def __new__(cls, name: str, component: str, worth: int) -> Self:
        """A text with two properties."""
        made = str.__new__(cls, name)
        made._value_, made.component, made.worth = name, component, worth
        return made

    SYSTEM = "system_prompt", "system", 10
    TOOLS = "tool_definition", "tools", 9
    USER = "user_message", "history", 10
    ASSISTANT = "assistant_response", "history", 5
    CALL = "tool_call", "history", 3
    RESULT = "tool_result", "results", 3
    MEMORY = "memory_injection", "memory", 7
    THINKING = "thinking", "history", 2
    OTHER = "other", "results", 3  # of the API's own tools, and sorts that are not known: their form is the API's


class BlockState(StrEnum):
    """How much of a block is still in the window."""

    WHOLE = "whole"
    DIGEST = "digest"  # its head, tail and findings
    PLACEHOLDER = "placeholder"  # its name


class Block(NamedTuple):
    """One piece of the window. Turns are counted by answers, from 1."""

    id: str  # stays the same from turn to turn: "call:ID" and "result:ID" for a tool's, else its place, "12.0"
    kind: BlockKind
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
    state: str = BlockState.WHOLE
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
    found = dict.fromkeys((*(kind.component for kind in BlockKind), "output"), 0)
    for block in blocks:
        found[block.kind.component] += block.tokens
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
    record: tuple[RecordLine, ...] | None = None  # as it stands after a summary; None for no summary


def plan(by: str, blocks: Mapping[str, Block], changes: Sequence[Edit], target: int) -> Plan:
    """The plan of these changes to `blocks` (id -> block), against a target of tokens to free."""
    freed = sum(blocks[change.id].tokens - change.tokens for change in changes)
    return Plan(by, tuple(changes), freed, short=max(0, target - freed))


class Cost(NamedTuple):
    """What a plan costs in the prompt cache."""

    rewritten: int  # tokens behind the first change, as they are after it: written to the cache once more
    price: float  # what that costs more than reading them, in input tokens


def cost(blocks: Sequence[Block], changes: Sequence[Edit]) -> Cost:
    """What these changes cost in cache misses; `blocks`: the window in the order in which it is sent."""
    new = {change.id: change.tokens for change in changes}
    first = next((index for index, block in enumerate(blocks) if block.id in new), len(blocks))
    rewritten = sum(new.get(block.id, block.tokens) for block in blocks[first:])
    return Cost(rewritten, rewritten * (125 - 10) / 100)
