"""Does a decision replace an older one, or stand beside it?

Rule: it replaces the older one when it says so (names its id, or what it chose as the thing not to be used any more),
when it chooses otherwise for the very same purpose ("use X for Y" against "use Z for Y"), or when both say the same
but for one number. Anything less is no conflict: a decision that is archived by mistake costs more than two that
stand side by side with their dates. Source: requirement J4.
"""

import functools
import re
from typing import NamedTuple

from holdfast.policy.preserve import words

_CHOICE = re.compile(
    r"\b(?:us(?:e|es|ing)|adopt(?:s|ed|ing)?|choos(?:e|ing)|chose|pick(?:ed)?|go(?:ing)? with|went with"
    r"|stay(?:ing)? with|stick(?:ing)? (?:to|with)|switch(?:ed|ing)? to|mov(?:e|ed|ing) to|settled on|opted for"
    r"|decided (?:on|for)|select(?:ed)?|store|keep)\s+(?P<what>[^,.;:]{2,80}?)\s+"
    r"(?:for|as|in|to|on)\s+(?P<purpose>[^,.;:]{3,120})",
    re.IGNORECASE,
)
_NOT_THIS = re.compile(
    r"\b(?:instead of|rather than|no longer|replac(?:es?|ing)|supersed(?:es?|ing)|not any ?more|moving away from"
    r"|(?:switch|migrat|mov)\w* (?:away )?from|drops?|in place of|overrid(?:es?|ing)|revers(?:es?|ing))\s+"
    r"(?P<old>[^,.;:]{2,120})",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)*")
_TOKEN = re.compile(r"[\w.+#/-]*\w")
_SMALL = frozenset(
    ["a", "an", "the", "this", "that", "these", "those", "our", "all", "every", "each", "any", "and", "or",
     "with", "by", "from", "of", "for", "as", "in", "to", "on", "at", "is", "are", "be", "will", "we", "it",
     "its", "use", "using", "used", "keep", "store", "now", "only", "one", "new"]
)  # fmt: skip
ENOUGH = 0.6  # of the older choice's words that stand in what the newer one turns away from


class Choice(NamedTuple):
    """What a decision says, as far as a conflict is concerned."""

    text: str
    code: str = ""
    """Its id, DEC-YYYY-MM-DD-NNN; "" where it has none."""


def replaces(new: Choice, old: Choice) -> bool:
    """Whether the newer decision takes the place of the older one."""
    if not may_replace(new, old) or _plain(new.text) == _plain(old.text):
        return False
    return (
        _named(new, old)
        or _turned_away(new.text, old.text)
        or _other_choice(new.text, old.text)
        or _other_number(new.text, old.text)
    )


def may_replace(new: Choice, old: Choice) -> bool:
    """False for two that cannot be in conflict; cheap enough to ask of a whole memory."""
    return (bool(old.code) and old.code in new.text) or not _longer_words(new.text).isdisjoint(_longer_words(old.text))


@functools.lru_cache(maxsize=1 << 14)
def _longer_words(text: str) -> frozenset[str]:
    return frozenset(word for word in text.lower().translate(_APART).split() if len(word) >= _LONGER)


_LONGER = 3
_APART = str.maketrans(dict.fromkeys(".,;:()\"'`", " "))


def _named(new: Choice, old: Choice) -> bool:
    return bool(old.code) and old.code in new.text and bool(_NOT_THIS.search(new.text) or "instead" in new.text.lower())


def _turned_away(new: str, old: str) -> bool:
    """What the new one puts aside is what the old one chose, and both are about the same thing."""
    chosen = _CHOICE.search(old)
    if not chosen:
        return False
    what, about = _tokens(chosen["what"]), words(old) - words(chosen["what"])
    for found in _NOT_THIS.finditer(new):
        aside = _tokens(found["old"])
        if what and len(what & aside) >= ENOUGH * len(what) and (about & words(new) or not about):
            return True
    return False


def _other_choice(new: str, old: str) -> bool:
    one, other = _CHOICE.search(new), _CHOICE.search(old)
    if not one or not other:
        return False
    purposes, choices = (
        (_tokens(one["purpose"]), _tokens(other["purpose"])),
        (_tokens(one["what"]), _tokens(other["what"])),
    )
    return bool(purposes[0]) and purposes[0] == purposes[1] and not choices[0] & choices[1]


def _other_number(new: str, old: str) -> bool:
    """The same sentence with one other number; with two of them it may be about another thing."""
    pairs = list(zip(_NUMBER.findall(new), _NUMBER.findall(old), strict=False))
    if sum(one != other for one, other in pairs) != 1 or len(_tokens(new)) < _FEWEST:
        return False
    return _plain(_NUMBER.sub("0", new)) == _plain(_NUMBER.sub("0", old))


_FEWEST = 3  # words that two sentences must have for their numbers to be about the same thing


def _plain(text: str) -> str:
    return " ".join(_TOKEN.findall(text.lower()))


def _tokens(text: str) -> frozenset[str]:
    return frozenset(word for word in _TOKEN.findall(text.lower()) if word not in _SMALL)
