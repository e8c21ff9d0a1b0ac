"""Does a text say something else of a fact than the record does?

Rule: only what contradicts the record in so many words counts, since a false alarm costs trust and tokens:
- a number: a sentence holds most of the fact's telling words and, beside the same unit or word, another number,
  while the fact's own number stands nowhere in the text;
- a file: its name is nowhere in the text, and one that the record does not know, alike and of the same ending, is;
- a plan item: every passage that says its state says another one than the record (called off or finished work as
  open, planned work as done);
- an open error: the passage that holds its words says that it is fixed; a failed test run: that it passed;
- the last commit: another one is called the last.
A value that the record once had is stale, any other altered. Sources: requirements F1, H8.
"""

import re
from typing import NamedTuple

from holdfast.compaction import passages
from holdfast.compaction.critical_facts import Fact, words
from holdfast.compaction.passages import Passage
from holdfast.text import identifiers


class Reading(NamedTuple):
    """A text made ready for many facts."""

    text: str
    passages: list[Passage]
    names: tuple[str, ...]
    """Paths in the text."""
    known: frozenset[str]
    """Base names of the files that the record knows."""


SAME = 0.6  # share of a sentence's telling words from which another one speaks of the same
SAME_ITEM = 0.8  # the same for a plan item: plans hold items that differ in one word
LEAST_WORDS = 3
ALIKE = 0.6  # share of letter pairs that two file names have in common
_NUMBER = re.compile(
    r"(?:\b(?P<before>[A-Za-z_]{3,})(?:\s+(?:is|are|of|to|at|by|than|over|under|the|be|max|=))*[\s:=`*\"]*)?"
    r"(?<![\w.#-])(?P<number>\d++(?:[.,]\d++)*+)(?:(?P<glued>%|[A-Za-z]{1,3}\b)|(?![A-Za-z])[\s-]?(?P<unit>[A-Za-z]+)?)"
)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")
_FIXED = re.compile(r"(?i)\b(?:fixed|resolved|solved|no longer (?:occurs|fails|happens)|now pass(?:es)?)\b|✅")
_NOT_FIXED = re.compile(
    r"(?i)\b(?:not|never|still|remains?|need(?:s|ed)?|must|should|to be|being|try|tried|attempt\w*|yet)\b"
    r"|n't\b|unfixed|unresolved"
)
_PASSED = re.compile(r"(?i)\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b|✅")
_FAILED = re.compile(r"(?i)\b(?:fail\w*|red|broken|error\w*)\b|❌")
_LAST_COMMIT = re.compile(
    r"(?i)\b(?:last|latest|newest|most recent) commit\b[^.\n]{0,40}?\b([0-9a-f]{7,40})\b"
    r"|\bHEAD (?:is|at|=)[^.\n]{0,20}?\b([0-9a-f]{7,40})\b"
)
_TESTING = re.compile(r"(?i)(?:^|[_.-])(?:tests?|spec|mock|bench)(?=[_.-]|$)")


def read(text: str, known: frozenset[str] = frozenset()) -> Reading:
    """Cut a text once for all facts."""
    return Reading(text, passages.cut(text), tuple(identifiers.paths(text)), known)


def other(fact: Fact, reading: Reading) -> tuple[str, str]:
    """("altered" or "stale", the passage that says so), or ("", "") when the text contradicts nothing."""
    check = _CHECKS.get(fact.kind, _number)
    said = check(fact, reading)
    if not said:
        return "", ""
    replaced = any(identifiers.occurs(value, said) for value in fact.old)
    return "stale" if replaced else "altered", said


def _number(fact: Fact, reading: Reading) -> str:
    """The passage with another number in the place of one of the fact's."""
    for sentence in _SENTENCE.split(fact.text):
        own = [slot for slot in slots(sentence) if slot[0] not in fact.old]
        telling = passages.telling(sentence)
        if own and len(telling) >= LEAST_WORDS:
            told = [(slots(p.text), p.text) for p in passages.about(telling, reading.passages, SAME)]
            said = next(filter(None, (_in_place_of(number, own, told) for number in own)), "")
            if said:
                return said
    return ""


Slot = tuple[str, frozenset[str]]
"""A number, and the words beside it as their first letters."""


def _in_place_of(number: Slot, own: list[Slot], told: list[tuple[list[Slot], str]]) -> str:
    """The passage where another number has this one's place; "" when any passage on the matter has it right.

    own: all numbers of the fact's sentence, which may have changed places with each other.
    """
    value, place = number
    if not place or any(value == other for slots_, _ in told for other, _ in slots_):
        return ""
    known = {other for other, _ in own}
    fitting = (text for slots_, text in told if any(p & place and other not in known for other, p in slots_))
    return next(fitting, "")


def slots(sentence: str) -> list[Slot]:
    """The numbers of a sentence; numbers of its list and of lines in a file are none, since those move."""
    text = re.sub(r"^\W*\d+[.)]\s", "", sentence)
    return [
        (match["number"], frozenset(_short(match[name]) for name in ("before", "unit", "glued") if match[name]))
        for match in _NUMBER.finditer(text)
        if _short(match["before"] or "") != "line"
    ]


def _short(word: str) -> str:
    return word.lower().rstrip("s")[: passages.STEM]


def _file(fact: Fact, reading: Reading) -> str:
    """The name that the text gives in place of the file's."""
    name = identifiers.basename(fact.text)
    if name in reading.text:
        return ""
    folder = fact.text.rpartition("/")[0].rpartition("/")[2]
    for path in reading.names:
        told = identifiers.basename(path)
        where = path.rpartition("/")[0].rpartition("/")[2]
        if told not in reading.known and where in ("", folder) and alike(name, told):
            return path
    return ""


def alike(name: str, told: str) -> bool:
    """Whether two file names could be one misremembered: same ending, most letter pairs, no test beside its subject."""
    stem, _, ending = name.rpartition(".")
    other_stem, _, other_ending = told.rpartition(".")
    if name == told or ending != other_ending or bool(_TESTING.search(stem)) != bool(_TESTING.search(other_stem)):
        return False
    one, two = ({s[i : i + 2] for i in range(len(s) - 1)} for s in (stem.lower(), other_stem.lower()))
    return bool(one and two) and 2 * len(one & two) >= ALIKE * (len(one) + len(two))


_CONTRADICTS = {
    "cancelled": ("open", "in progress", "done"),
    "done": ("open",),
    "planned": ("done",),
}


def _item(fact: Fact, reading: Reading) -> str:
    """The passage that gives a plan item another state; "" when any passage gives it the right one or none does."""
    wrong = _CONTRADICTS.get(fact.state, ())
    telling = words(fact)
    if not wrong or len(telling) < LEAST_WORDS:
        return _number(fact, reading)
    found = [(passages.state_of(p, fact.text), p.text) for p in passages.about(telling, reading.passages, SAME_ITEM)]
    said = [(state, text) for state, text in found if state]
    contrary = [text for state, text in said if state in wrong]
    return contrary[0] if contrary and len(contrary) == len(said) else ""


def _error(fact: Fact, reading: Reading) -> str:
    telling = words(fact)
    if len(telling) < LEAST_WORDS:
        return ""
    found = [p.text for p in passages.about(telling, reading.passages, SAME_ITEM)]
    fixed = [text for text in found if _FIXED.search(text) and not _denies(text, fact.text)]
    return fixed[0] if fixed and len(fixed) == len(found) else ""


def _denies(text: str, message: str) -> bool:
    """Whether the text says that it is not fixed: by more words of that kind than the message itself has."""
    return len(_NOT_FIXED.findall(text)) > len(_NOT_FIXED.findall(message))


def _test(fact: Fact, reading: Reading) -> str:
    """Only passages that name what was run; the last of them counts, since a summary tells the story in order."""
    if not fact.keys:
        return ""
    found = [p.text for p in reading.passages if identifiers.occurs(fact.keys[-1], p.text)]
    told = [(bool(_PASSED.search(text)), bool(_FAILED.search(text)), text) for text in found]
    clear = [(passed, text) for passed, failed, text in told if passed != failed]
    wrong = bool(clear) and all(passed == (fact.state == "failed") for passed, _ in clear)
    return clear[-1][1] if wrong else ""


def _commit(fact: Fact, reading: Reading) -> str:
    if any(key in reading.text for key in fact.keys):
        return ""
    called = _LAST_COMMIT.search(reading.text)
    return called.group() if called else ""


_CHECKS = {
    "file": _file,
    "plan": _item,
    "step": _item,
    "cancelled": _item,
    "error": _error,
    "test": _test,
    "commit": _commit,
}
