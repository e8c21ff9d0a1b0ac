"""How much of an ageing text does the window still show?

Rule: whole for a turn, its key points up to five turns (30 %), one line up to twenty (5 %), after that a title (1 %).
Every level is made from the whole text, never from the level before, so that nothing drifts. It holds for what the
assistant and the user said and for memories; never for the task's goal, the newest request and marked blocks, and a
rule that the user laid down stays word by word at every level. Source: requirement K4; that a text is left alone when
little is saved is ours, and so are the smallest sizes: 1 % of most texts is not even a name.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from holdfast.compaction.critical_facts import NUMBER
from holdfast.engine import prompts
from holdfast.engine.block_index import LONG, sampled
from holdfast.engine.blocks import ASSISTANT, DIGEST, MEMORY, PLACEHOLDER, USER, Block
from holdfast.engine.eviction import LEAST
from holdfast.engine.plan import Change, Plan
from holdfast.engine.strategy import Scene
from holdfast.text import authorship, identifiers
from holdfast.text.lines import clip
from holdfast.text.markdown import sentences
from holdfast.text.phrasing import is_filler, plain
from holdfast.worklog import notes

KINDS = frozenset({ASSISTANT, USER, MEMORY})
GAP = " … "
MODEL_TOKENS = 200
"""Tokens from which on a model is asked for the key points."""


class Level(NamedTuple):
    """One step of the ladder."""

    name: str
    turns: int
    """Up to this age."""
    share: float
    """Of the whole text's tokens."""
    least: int
    """Tokens that it may have however short the text."""
    state: str


LEVELS = (
    Level("full", 1, 1.0, 0, ""),
    Level("key points", 5, 0.30, 40, DIGEST),
    Level("one line", 20, 0.05, 24, DIGEST),
    Level("title", 1_000_000_000, 0.01, 10, PLACEHOLDER),
)


def level(age: int) -> Level:
    """The level of a text that came in `age` turns ago."""
    return next(one for one in LEVELS if age <= one.turns)


def progressive(scene: Scene) -> Plan:
    """The ageing texts at their levels, oldest first, until enough is free. Raises OSError; see Scene.where."""
    return prompts.until_enough("progressive", scene.free(KINDS), scene, _change)


def _change(block: Block, scene: Scene, asker: prompts.Asker) -> Change | None:
    step = level(scene.moment.turn - block.turn)
    room = max(step.least, int(step.share * sampled(block.text, scene.count)))
    rules = standing_rules(block.text) if block.kind == USER else []
    if not step.state or room + sum(map(scene.count, rules)) + _HEAD + LEAST > block.tokens:
        return None
    asked = ""
    if step.state == DIGEST and step.share * block.tokens >= MODEL_TOKENS * LEVELS[1].share:
        asked = asker(prompts.turn(block.text, room), room, scene.count)
    body = asked or shortened(block.text[:LONG], room, scene.count, step.state == PLACEHOLDER)
    missing = [rule for rule in rules if rule not in body]
    text = "\n".join([f"[Turn {block.turn}, {step.name}; whole: {scene.where(block)}] {body}", *missing])
    tokens = scene.count(text)
    return Change(block.id, text, tokens, step.state, step.name) if tokens + LEAST <= block.tokens else None


_HEAD = 20  # tokens of what stands before a shortened text


def standing_rules(text: str) -> list[str]:
    """The user's sentences that bind the work from there on: constraints, corrections, what was called off."""
    heard = {"notes": [], "messages": 0, "items": {}}
    notes.heard(heard, text, _ANYTHING)
    known = {note["text"] for note in notes.of(heard, "constraint", "correction", "cancelled")}
    return [sentence for sentence in notes.own_sentences(text) if clip(sentence, notes.CHARS) in known]


_ANYTHING = "…"  # a correction counts whatever it corrects


def shortened(text: str, room: int, count: Callable[[str], int], title: bool = False) -> str:
    """At most about `room` tokens of a text in its own words: its most telling sentences, in their order.

    title: what the most telling of them is about, in place of sentences.
    """
    parts = [" ".join(part.split()) for part in sentences(authorship.prose(text)) or [text]]
    parts = [part for part in parts if part and not is_filler(part)] or [" ".join(text.split())]
    ranked = sorted(range(len(parts)), key=lambda index: (-_worth(parts[index], index == 0), index))
    if title:
        return _title(parts[ranked[0]], room, count)
    taken: list[int] = []
    left = room
    for index in ranked:
        cost = count(parts[index]) + 2
        if cost <= left:
            taken.append(index)
            left -= cost
    if not taken:
        return _cut(parts[ranked[0]], room, count)
    return GAP.join(parts[index] for index in sorted(taken))


def _title(sentence: str, room: int, count: Callable[[str], int]) -> str:
    """The names of a sentence that fit, since they say what it is about; the beginning of one that has none."""
    names: list[str] = []
    for name in dict.fromkeys(
        [*map(identifiers.basename, identifiers.paths(sentence)), *identifiers.identifiers(sentence)]
    ):
        if count(", ".join([*names, name])) <= room:
            names.append(name)
    return ", ".join(names) or _cut(plain(sentence), room, count)


_TROUBLE = re.compile(r"(?i)\b(?:error|fail\w*|bug|broken|exception|blocked|cannot|crash\w*)\b")


def _worth(sentence: str, first: bool) -> float:
    """How much a sentence tells: marked ones before all, then trouble, names and numbers for its length."""
    low = sentence.lower()
    marked = any(any(word in low for word in words) and row.search(sentence) for _, words, row in notes.MARKED)
    telling = len(identifiers.paths(sentence)) + len(identifiers.identifiers(sentence)) + len(NUMBER.findall(sentence))
    density = min(1.0, 5 * telling / (len(sentence.split()) + 5))
    return 2.0 * marked + 0.8 * bool(_TROUBLE.search(sentence)) + density + 0.5 * first


def _cut(sentence: str, room: int, count: Callable[[str], int]) -> str:
    """The beginning of a sentence, within `room` tokens where a single word allows it."""
    shown = clip(sentence, 4 * room)
    while count(shown) > room and len(shown) > 8:
        shown = clip(sentence, len(shown) * 3 // 4)
    return shown
