"""Content blocks of one context window: the unit that is counted, scored, evicted and compressed.

A block is one piece of a request: the system prompt, the tool definitions, a text, a tool's call, its result. The
policies take blocks and return decisions about them by id; engine/messages.py makes them from the messages of an
API and puts what was decided back. Kinds are those of requirement E, and `tool_call` for what a call hands to its
tool, since that alone is a sixth of a session's text (139 recorded sessions).
"""

from collections.abc import Iterable
from typing import NamedTuple

SYSTEM, TOOLS, USER, ASSISTANT = "system_prompt", "tool_definition", "user_message", "assistant_response"
CALL, RESULT, MEMORY, THINKING = "tool_call", "tool_result", "memory_injection", "thinking"
OTHER = "other"
"""What the API's own tools were asked and answered, and sorts of blocks that are not known: their form is the API's."""
KINDS = (SYSTEM, TOOLS, USER, ASSISTANT, CALL, RESULT, MEMORY, THINKING, OTHER)
PER_BLOCK = 4
"""Tokens around a block's text: its type and ids."""

COMPONENTS = {
    SYSTEM: "system",
    TOOLS: "tools",
    USER: "history",
    ASSISTANT: "history",
    CALL: "history",
    THINKING: "history",
    RESULT: "results",
    MEMORY: "memory",
    OTHER: "results",
}
"""Kind -> the component of the budget (requirement T) that it counts for; "output" has no blocks."""

WHOLE, DIGEST, PLACEHOLDER = "whole", "digest", "placeholder"
"""How much of a block is still in the window; a digest holds its head, tail and findings, a placeholder its name."""


class Block(NamedTuple):
    """One piece of the window. Turns are counted by assistant messages, from 1."""

    id: str
    """Stays the same from turn to turn: "call:ID" and "result:ID" for a tool's, else its place, "12.0"."""
    kind: str
    text: str
    tokens: int
    turn: int = 0
    """Turn in which it came in."""
    place: tuple[int, int] = (-1, 0)
    """Index of its message and of its block therein; -1 for what stands outside the messages."""
    pair: str = ""
    """The call's id, which a call and its result share."""
    about: str = ""
    """What it is in a few words: the tool and its main argument, e.g. "Read src/api.py"."""
    used: int = 0
    """The last turn that named something of it; 0 for never."""
    uses: int = 0
    """How many turns did."""
    relevance: float = 0.5
    """0..1: how much of the task's words it holds; 0.5 when that is not known."""
    repeat: float = 0.0
    """0..1: how far a newer block says the same; 1 is word by word."""
    fixed: int = 0
    """Tokens that stay when it is evicted: of a call its name and short inputs."""
    keep: bool = False
    """Marked by the user or the agent: never evicted."""
    state: str = WHOLE
    stored: str = ""
    """What is archived in place of its text where that is not all of it: its JSON."""

    @property
    def whole(self) -> str:
        """All of it, as it is archived."""
        return self.stored or self.text


def tokens_of(blocks: Iterable[Block]) -> int:
    """Tokens of all of them."""
    return sum(block.tokens for block in blocks)


def by_component(blocks: Iterable[Block]) -> dict[str, int]:
    """Component of the budget -> tokens of its blocks; every component stands, "output" with 0."""
    found = {**dict.fromkeys(COMPONENTS.values(), 0), "output": 0}
    for block in blocks:
        found[COMPONENTS[block.kind]] += block.tokens
    return found
