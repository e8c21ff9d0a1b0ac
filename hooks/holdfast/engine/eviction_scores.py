"""How much is a block worth keeping, by each policy's own measure?

Rule: 0 leaves first, 1 stays. Weights and lives are the source's (requirement E); its LRU kept what is idle, here what
is idle leaves (R3). `hybrid` is .30 recency, .25 priority, .20 type and age, .15 references, .10 what no newer block
repeats. Every score is one pass over the blocks, with no state of its own.
"""

from collections.abc import Callable, Mapping
from math import exp, isfinite
from typing import Any, NamedTuple

from holdfast.engine.blocks import ASSISTANT, CALL, KINDS, MEMORY, OTHER, RESULT, SYSTEM, THINKING, TOOLS, USER, Block
from holdfast.errors import BadInput


class Settings(NamedTuple):
    """Weights and lives. Ages are turns."""

    hybrid: Mapping[str, float] = {
        "recency": 0.30,
        "priority": 0.25,
        "type": 0.20,
        "references": 0.15,
        "duplication": 0.10,
    }
    priority: Mapping[str, float] = {
        "recency": 0.30,
        "relevance": 0.25,
        "source": 0.20,
        "reuse": 0.15,
        "explicit": 0.10,
    }
    ttl: Mapping[str, int] = {RESULT: 8, CALL: 8, THINKING: 2, MEMORY: 20, ASSISTANT: 30}
    recency: float = 15.0
    """Turns in which recency falls to 1/e."""
    idle: float = 5.0
    """Turns without a reference in which the LRU score falls to 1/e."""
    full_uses: int = 5
    """References from which on reuse is full."""


DEFAULTS = Settings()
TOLERANCE = 0.001
"""By which the weights of a table may miss the sum of 1."""
LONGEST_LIFE = 50
"""Turns for kinds that the table of lives does not name."""
SOURCE = {
    USER: 1.0,
    SYSTEM: 1.0,
    TOOLS: 0.9,
    MEMORY: 0.7,
    ASSISTANT: 0.5,
    CALL: 0.3,
    RESULT: 0.3,
    OTHER: 0.3,
    THINKING: 0.2,
}

Scorer = Callable[[Block, int, Settings], float]
"""(block, turn now, settings) -> 0..1."""


def recency(block: Block, now: int, settings: Settings = DEFAULTS) -> float:
    """First in, first out."""
    return exp((block.turn - now) / settings.recency)


def references(block: Block, now: int, settings: Settings = DEFAULTS) -> float:
    """Least recently used: what no turn has named for long leaves."""
    return exp((max(block.used, block.turn) - now) / settings.idle)


def by_type(block: Block, now: int, settings: Settings = DEFAULTS) -> float:
    """What is left of the life that its kind has."""
    life = settings.ttl.get(block.kind, LONGEST_LIFE)
    return max(0.0, 1 - (now - block.turn) / life)


def priority(block: Block, now: int, settings: Settings = DEFAULTS) -> float:
    """Recency, relevance to the task, source, reuse, and the user's own mark."""
    weights = settings.priority
    return (
        weights["recency"] * recency(block, now, settings)
        + weights["relevance"] * block.relevance
        + weights["source"] * SOURCE[block.kind]
        + weights["reuse"] * min(1.0, block.uses / settings.full_uses)
        + weights["explicit"] * block.keep
    )


def hybrid(block: Block, now: int, settings: Settings = DEFAULTS) -> float:
    """All of them, weighted."""
    weights = settings.hybrid
    return (
        weights["recency"] * recency(block, now, settings)
        + weights["priority"] * priority(block, now, settings)
        + weights["type"] * by_type(block, now, settings)
        + weights["references"] * references(block, now, settings)
        + weights["duplication"] * (1 - block.repeat)
    )


SCORERS: Mapping[str, Scorer] = {
    "fifo": recency,
    "lru": references,
    "priority": priority,
    "semantic_merge": hybrid,
    "type": by_type,
    "hybrid": hybrid,
}
"""Policy -> its score. `semantic_merge` merges first (engine/merge.py) and scores what is left."""

WHICH = (
    ("chat, questions and answers", "fifo", "old words lose their worth in order"),
    ("long exploration with many dead ends", "type", "results outlive their use; then lru, where dead ends pile up"),
    ("blocks of very different importance", "priority", "goal, memory and results are weighed apart"),
    ("the same output again and again (polling, builds)", "semantic_merge", "one of the alike is enough"),
    ("anything else, and whenever a wrong eviction is dear", "hybrid", "all signals; the default"),
)
"""Which policy for which loop: (if your agent …, start with, because)."""


def checked(policy: str) -> str:
    """The policy's name. Raises BadInput for one that does not exist."""
    if policy not in SCORERS:
        raise BadInput(f"{policy!r} is no policy", "policy", f"Allowed: {', '.join(SCORERS)}")
    return policy


def settled(given: Settings) -> Settings:
    """The same settings. Raises BadInput, naming the key, for weights, lives or ages that cannot be."""
    for table in ("hybrid", "priority"):
        _weights(f"settings.{table}", getattr(given, table), getattr(DEFAULTS, table))
    unknown = sorted(set(_mapping("settings.ttl", given.ttl)) - set(KINDS))
    if unknown:
        raise BadInput(f"{', '.join(unknown)} unknown", "settings.ttl", f"Kinds are {', '.join(KINDS)}")
    lives = {f"ttl.{kind}": life for kind, life in given.ttl.items()}
    ages = {name: getattr(given, name) for name in ("recency", "idle", "full_uses")}
    for key, value in (lives | ages).items():
        if not _number(value) or value <= 0:
            raise BadInput(f"{value!r} cannot be", f"settings.{key}", "Allowed: a number above 0")
    return given


def _weights(key: str, given: Any, allowed: Mapping[str, float]) -> None:
    wrong = sorted(set(_mapping(key, given)) ^ set(allowed))
    if wrong:
        raise BadInput(f"{', '.join(wrong)} missing or unknown", key, f"Give each of {', '.join(allowed)}")
    if any(not _number(share) or share < 0 for share in given.values()):
        raise BadInput("a weight is negative or no number", key, "Weights are shares from 0 to 1")
    if abs(sum(given.values()) - 1) > TOLERANCE:
        raise BadInput(f"the weights sum to {sum(given.values()):g}", key, "They must sum to 1")


def _mapping(key: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping) or any(not isinstance(name, str) for name in given):
        raise BadInput(f"{given!r} cannot be", key, "Give a mapping with names as its keys")
    return given


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
