"""Which blocks say what a newer block says, so that one of them is enough?

Rule: results and memories are compared without times and ids. Equal ones are always one; near ones too where asked
for: a cosine above 0.85 of their words and word pairs, or of the vectors of a function that the caller gives. The
newest stays; an older one becomes a reference to it that says how often it was seen and what only the older said,
where that is little; where it is much, both stay. Each text is compared with the few that share its rarest words, or
fall into the same cell, never with all. Sources: requirements E (semantic merge) and K9; the bounds are ours.
"""

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import pairwise
from operator import mul
from typing import NamedTuple

from holdfast.compaction.critical_facts import NUMBER
from holdfast.engine.block_index import names_of
from holdfast.engine.blocks import MEMORY, PLACEHOLDER, RESULT, Block
from holdfast.engine.eviction import LEAST, protected
from holdfast.engine.plan import Change, Plan, plan
from holdfast.engine.strategy import Embed, Scene
from holdfast.errors import Fault
from holdfast.text import duplicates
from holdfast.text.lines import clip

SIMILAR = duplicates.SIMILAR
KINDS = frozenset({RESULT, MEMORY})
RAREST, LOOKS = 6, 12
"""Words by which a text is found again; texts that it is compared with at most, newest first."""
DIFFERENT = 12
"""Names and numbers of an older text that the newer may lack; with more they are two things."""
SHORTER = 0.7
"""Length of the shorter text over the longer from which on they may be near."""
TABLES, BITS = 12, 8
"""Of the cells that vectors fall into: at a cosine of .85, nine pairs of ten meet in one of so many."""

Pairs = dict[int, int]
"""Index of an older text -> index of the newer one that says it."""
Says = Callable[[int, int], bool]
"""Whether the newer text (second index) says what the older one does."""
Feature = str | tuple[str, str]
"""A word, or two neighbouring ones."""
_WORD = re.compile(r"\w+")


class Same(NamedTuple):
    """One group of blocks that say the same."""

    kept: Block
    older: tuple[Block, ...]
    """Newest first."""


def merge(scene: Scene) -> Plan:
    """References in place of older blocks that say what newer ones say. Raises OSError; see Scene.where.

    Near ones are looked for under the policy `semantic_merge`, or where a function for vectors is given.
    """
    near = scene.options.policy == "semantic_merge" or scene.embed is not None
    blocks = [
        block
        for block in scene.blocks
        if block.kind in KINDS and block.state != PLACEHOLDER and block.text and not block.stored
    ]
    found, note = groups([block for block in blocks if block.tokens >= 2 * LEAST], near, scene.embed)
    changes = [
        change
        for same in found
        for block in same.older
        if not protected(block, scene.moment) and (change := _change(block, same, scene))
    ]
    made = plan("merge", {block.id: block for block in scene.blocks}, changes, scene.wanted)
    return made._replace(note=note)


def _change(block: Block, same: Same, scene: Scene) -> Change | None:
    lacking = different(block.text, same.kept.text)
    if len(lacking) > DIFFERENT or block.tokens < 2 * LEAST:
        return None
    turns = ", ".join(str(one.turn) for one in sorted((*same.older, same.kept), key=lambda one: one.turn)[-8:])
    told = f"; only here: {', '.join(lacking)}" if lacking else ""
    text = (
        f"[Merged: {clip(block.about or block.kind, 80)}; said {1 + len(same.older)} times (turns {turns}), it stands "
        f"in turn {same.kept.turn}: {clip(same.kept.about or same.kept.kind, 60)}{told}; whole: {scene.where(block)}]"
    )
    tokens = scene.count(text)
    return Change(block.id, text, tokens, PLACEHOLDER, "merge") if tokens + LEAST <= block.tokens else None


def different(older: str, newer: str) -> list[str]:
    """Names and numbers that only the older text says, in order; what changes from run to run is none."""
    said = _said(newer)
    return [one for one in _said(older) if one not in said]


def _said(text: str) -> dict[str, None]:
    return dict.fromkeys([*names_of(text), *NUMBER.findall(duplicates.normalise(text))])


def groups(blocks: Sequence[Block], near: bool = False, embed: Embed | None = None) -> tuple[list[Same], str]:
    """Groups of two and more, oldest block first in `blocks`; and why an embedding was not used, "" otherwise.

    Unless near ones are asked for, times and ids are looked through only where one source has spoken twice.
    """
    sources = Counter(block.about for block in blocks)
    compared = {block.text for block in blocks if near or (block.about and sources[block.about] > 1)}
    normal = {text: duplicates.normalise(text) for text in compared}
    keys = [normal.get(block.text, block.text) for block in blocks]
    newest = {key: index for index, key in enumerate(keys)}
    pairs: Pairs = {index: newest[key] for index, key in enumerate(keys) if newest[key] != index}
    rest, note = sorted(newest.values()), ""
    if near and len(rest) > 1:
        found, note = _near([keys[index] for index in rest], [blocks[index].text for index in rest], embed)
        pairs |= {rest[older]: rest[newer] for older, newer in found.items()}
    members: dict[int, list[int]] = {}
    for older in sorted(pairs, reverse=True):
        members.setdefault(_newest(older, pairs), []).append(older)
    return [Same(blocks[kept], tuple(blocks[one] for one in older)) for kept, older in sorted(members.items())], note


def _newest(index: int, pairs: Mapping[int, int]) -> int:
    while index in pairs:
        index = pairs[index]
    return index


def _near(keys: list[str], texts: list[str], embed: Embed | None) -> tuple[Pairs, str]:
    """Texts as compared, and as they are: of two that are near, the newer must say nearly all that the older says."""

    said = functools.lru_cache(maxsize=None)(lambda index: _said(texts[index]))

    def says(older: int, newer: int) -> bool:
        return len(said(older).keys() - said(newer).keys()) <= DIFFERENT

    if embed is None:
        return _by_words(keys, says), ""
    try:
        return _by_vectors(_vectors(embed(texts), len(texts)), says), ""
    except Exception as error:  # noqa: BLE001 - the function is the caller's: whatever it raises, words serve
        return _by_words(keys, says), f"the embedding failed, words were compared ({clip(str(error), 160)})"


def _by_words(texts: Sequence[str], says: Says) -> Pairs:
    """Newest first; each is looked up by its rarest words and then joins the index with its own."""
    counted = [_features(text) for text in texts]
    common = Counter(feature for features in counted for feature in features)
    lengths = [math.sqrt(sum(times * times for times in features.values())) for features in counted]
    places: dict[Feature, list[int]] = {}
    pairs: Pairs = {}
    for index in range(len(texts) - 1, -1, -1):
        own = counted[index]
        # What stands in no other text leads nowhere; of what is shared the rarest leads to the fewest.
        shared = nsmallest(RAREST, (one for one in own if common[one] > 1), key=lambda one: (common[one], str(one)))
        candidates = _newest_of(places.get(one, ()) for one in shared)
        match = next(
            (other for other in candidates if _alike(index, other, counted, lengths) and says(index, other)), None
        )
        if match is not None:
            pairs[index] = match
            continue
        for one in shared:
            places.setdefault(one, []).append(index)
    return pairs


def _newest_of(lists: Iterable[Sequence[int]]) -> list[int]:
    return list(dict.fromkeys(index for found in lists for index in found[-LOOKS:]))[: 2 * LOOKS]


def _features(text: str) -> Counter[Feature]:
    words = _WORD.findall(text)
    counted: Counter[Feature] = Counter(words)
    counted.update(pairwise(words))
    return counted


def _alike(one: int, other: int, counted: Sequence[Counter[Feature]], lengths: Sequence[float]) -> bool:
    small, large = sorted((counted[one], counted[other]), key=len)
    if not len(small) or len(small) < SHORTER * len(large):
        return False
    both = sum(times * large[feature] for feature, times in small.items() if feature in large)
    return both > SIMILAR * lengths[one] * lengths[other]


def _vectors(given: object, expected: int) -> list[list[float]]:
    """Unit vectors. Raises Fault for a wrong number of them, unequal lengths, and numbers that are none."""
    rows = [[float(number) for number in row] for row in given] if isinstance(given, Iterable) else []
    if len(rows) != expected:
        raise Fault(f"{len(rows)} vectors for {expected} texts")
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise Fault("the vectors are of different lengths, or empty")
    if not all(math.isfinite(number) for row in rows for number in row):
        raise Fault("a vector holds what is no number")
    sizes = [math.sqrt(sum(map(mul, row, row))) or 1.0 for row in rows]
    return [[number / size for number in row] for row, size in zip(rows, sizes, strict=True)]


def _by_vectors(rows: Sequence[Sequence[float]], says: Says) -> Pairs:
    """Newest first, each compared with the newest of its cells. A cell is told by the order of some coordinates."""
    cells: dict[tuple[int, int], list[int]] = {}
    look = _looks(len(rows[0]))
    pairs: Pairs = {}
    for index in range(len(rows) - 1, -1, -1):
        row = rows[index]
        own = [
            (table, sum((row[one] > row[other]) << bit for bit, (one, other) in enumerate(bits)))
            for table, bits in enumerate(look)
        ]
        candidates = _newest_of(cells.get(cell, ()) for cell in own)
        near = (other for other in candidates if sum(map(mul, row, rows[other])) > SIMILAR)
        match = next((other for other in near if says(index, other)), None)
        if match is not None:
            pairs[index] = match
            continue
        for cell in own:
            cells.setdefault(cell, []).append(index)
    return pairs


def _looks(width: int) -> list[list[tuple[int, int]]]:
    """Pairs of coordinates whose order is compared: TABLES times BITS of them, the same in every run."""
    state, found = 1, []
    for _ in range(TABLES * BITS):
        state, one = _step(state, width)
        state, other = _step(state, width)
        found.append((one, other))
    return [found[table * BITS : (table + 1) * BITS] for table in range(TABLES)]


def _step(state: int, width: int) -> tuple[int, int]:
    """A next state and a number below `width`: a linear congruence, good enough to scatter."""
    state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 64)
    return state, (state >> 33) % width
