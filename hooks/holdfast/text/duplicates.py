"""Which of these texts say the same thing as a newer one, and which commands are one search made again?

Rule: texts are compared without times, dates, ids, case and white space. Equal ones are one; so are near ones, when at
least 0.85 of their words and word pairs are common and the newer leaves out nothing that the older said: no name, no
number, no word but a filler, and neither denies what the other says. The newest is kept. Commands that differ only in
how much of the output was looked at are one, told with their count. Source: requirement K9; the second condition comes
from near pairs of recorded sessions, where similarity alone took two hashes, two files or two plans for one.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

SIMILAR = 0.85
LOOKS = 12
"""Candidates that a text is compared with at most, newest first: keeps the cost of a thousand alike lines small."""


class Group(NamedTuple):
    """Texts that say the same, by their indices in the list given."""

    kept: int
    """The newest."""
    older: tuple[int, ...]
    """What it stands for, newest first; () for most."""


# What differs between two runs of the same thing: stamps, dates, clock times, running times; ids, hashes, addresses.
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\dt\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?:z|[+-]\d\d:?\d\d)?\b"
    r"|(?<![\w./-])\d{4}[-/]\d\d[-/]\d\d(?![\w/-]|\.\w)"
    r"|(?<![\w.:])\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[ap]m)?(?![\w:])"
    r"|(?<![\w.])\d+\.\d+\s?(?:ms|s|secs?|seconds)\b"
)
_ID = re.compile(  # not within a path: that is another file
    r"(?<![\w/-])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?:toolu|msg|req|call|sess)_\w{8,}|0x[0-9a-f]{4,}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}|\d{9,})(?![\w/-]|\.\w)"
)
_DIGIT = re.compile(r"\d")
TIMED, NAMED, NEAR = 2, 3, 3
"""Words that must be left for a time, or an id, to count as a detail and not as what is said; and for nearness."""

_WORD = re.compile(r"[\w@#%$+-]*\w(?:[./:'\u2019][\w#-]+)*|[\w#%]+")
_FILLERS = frozenset(
    ["a", "an", "the", "now", "let's", "let", "me", "us", "ok", "okay", "so", "and", "also", "again", "just", "then",
     "please", "first", "next", "well", "great", "good", "perfect", "i'll", "i", "will", "we", "to", "is", "are",
     "it", "that", "this", "of", "still", "really", "here", "there"]
)  # fmt: skip
_DENIALS = frozenset(
    ["not", "no", "never", "don't", "dont", "doesn't", "isn't", "can't", "cannot", "won't", "without", "except",
     "unless", "only", "nothing", "none", "neither", "nor", "didn't", "shouldn't", "wasn't", "aren't", "instead"]
)  # fmt: skip
_VIEW = re.compile(
    r"\s*(?:2>&1|[12]?>\s?/dev/null|\|\s*(?:head|tail)(?:\s+-?n?\s?\d+|\s+-c\s?\d+)?|\|\s*(?:cat|less))\s*$"
)


def normalise(text: str) -> str:
    """The text as it is compared: lower case, single blanks, `~` in place of what changes from run to run."""
    return _without_ids(_without_times(text))


def _without_times(text: str) -> str:
    plain = " ".join(text.lower().split())
    return _blanked(_TIME, plain, TIMED) if _DIGIT.search(plain) else plain


def _without_ids(plain: str) -> str:
    return _blanked(_ID, plain, NAMED) if _DIGIT.search(plain) else plain


def _blanked(pattern: re.Pattern[str], text: str, least: int) -> str:
    """The text with `~` for each match, unless then nearly nothing is left: a line of ids is about these ids."""
    blanked, count = pattern.subn("~", text)
    return blanked if count and len(_WORD.findall(blanked)) >= least else text


def groups(texts: Sequence[str]) -> list[Group]:
    """Texts, oldest first, as groups in the order of their newest members; every index stands in one group."""
    timeless = [_without_times(text) for text in texts]
    older: dict[int, list[int]] = {}
    by_key: dict[str, int] = {}
    for index in range(len(texts) - 1, -1, -1):
        kept = by_key.setdefault(_without_ids(timeless[index]), index)
        older.setdefault(kept, []).extend([index] if kept != index else [])
    for kept, near in _near({index: timeless[index] for index in older}).items():
        older[near] = [*older[near], kept, *older.pop(kept)]
    return [Group(kept, tuple(sorted(older[kept], reverse=True))) for kept in sorted(older)]


def newest(texts: Sequence[str]) -> list[str]:
    """The texts without those that a newer one repeats."""
    return [texts[group.kept] for group in groups(texts)]


def _near(keys: Mapping[int, str]) -> dict[int, int]:
    """Index -> index of a newer text that says the same. `keys`: distinct texts as compared, newest first.

    All that the older says must stand in the newer, so the older's rarest word leads to every candidate.
    """
    words = {index: frozenset(_WORD.findall(key)) for index, key in keys.items()}
    common = Counter(word for found in words.values() for word in found)
    places: dict[str, list[int]] = {}
    same: dict[int, int] = {}
    for index, found in words.items():
        rarest = min(found - _FILLERS, key=lambda word: (common[word], word), default="")
        candidates = places.get(rarest, ())[:LOOKS] if len(found) >= NEAR else ()
        match = next((other for other in candidates if _says(keys, words, index, other)), None)
        if match is not None:
            same[index] = match
            continue
        for word in found:
            if common[word] > 1:
                places.setdefault(word, []).append(index)
    return same


def _says(keys: Mapping[int, str], words: Mapping[int, frozenset[str]], older: int, newer: int) -> bool:
    before, after = words[older], words[newer]
    if not SIMILAR * len(after) <= 1.2 * len(before) or before - after - _FILLERS:
        return False
    return not (before ^ after) & _DENIALS and similarity(keys[older], keys[newer]) >= SIMILAR


def similarity(one: str, other: str) -> float:
    """0..1: twice the words and word pairs that two normalised texts have in common, over all they have."""
    first, second = _features(one), _features(other)
    total = sum(first.values()) + sum(second.values())
    return 2 * sum((first & second).values()) / total if total else float(one == other)


def _features(key: str) -> Counter[str | tuple[str, str]]:
    found = _WORD.findall(key)
    counted: Counter[str | tuple[str, str]] = Counter(found)
    counted.update(pairwise(found))
    return counted


def merged(commands: Mapping[str, int]) -> dict[str, int]:
    """Command -> times, with those that show the same as one; the order is that of their last use.

    What only limits the view is taken off the end (`| head -20`, `2>&1`); nothing else is, since two hashes, paths or
    patterns are two searches.
    """
    found: dict[str, int] = {}
    for command, times in commands.items():
        key = viewless(command)
        found[key] = found.pop(key, 0) + times
    return found


def viewless(command: str) -> str:
    """A command without what only limits what is seen of its output, and without needless blanks around it."""
    shorter = _VIEW.sub("", command.strip())
    while shorter != command and shorter:
        command, shorter = shorter, _VIEW.sub("", shorter)
    return shorter or command


def told(commands: Mapping[str, int]) -> list[str]:
    """`rg foo (3x)`; a command that ran once stands alone."""
    return [f"{command} ({times}x)" if times > 1 else command for command, times in commands.items()]
