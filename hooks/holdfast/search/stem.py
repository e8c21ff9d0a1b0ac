"""Which words are forms of one word?

Rule: J7 compares texts by their words, so "camping", "camped" and "camps" must meet. English endings are taken off
by the algorithm of M. F. Porter (1980, "An algorithm for suffix stripping"), from its published description, with two
of its author's later changes: -logi becomes -log, and -bli becomes -ble. A word of another script or with digits in it
stays as it is.
"""

import re

_VOWEL = re.compile(r"[aeiou]|(?<=[^aeiou])y")
_MEASURE = re.compile(r"(?:[aeiou]|(?<=[^aeiou])y)+(?:[^aeiouy]|(?<![^aeiou])y)+")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")
_SHORT = re.compile(r"[^aeiou][aeiouy][^aeiouwxy]$")
_PLAIN = re.compile(r"[a-z]{3,30}$")

_PLURALS = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_MENDED = (("at", "ate"), ("bl", "ble"), ("iz", "ize"))
_SECOND = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble")),
    *(("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate")),
    *(("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al")),
    *(("iviti", "ive"), ("biliti", "ble"), ("logi", "log")),
)
_THIRD = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")),
)
_FOURTH = tuple(
    (ending, "")
    for ending in [
        "ement",
        "ance",
        "ence",
        "able",
        "ible",
        "ment",
        "ant",
        "ent",
        "ism",
        "ate",
        "iti",
        "ous",
        "ive",
        "ize",
        "ion",
        "al",
        "er",
        "ic",
        "ou",
    ]
)
_STEPS = ((_SECOND, 1), (_THIRD, 1), (_FOURTH, 2))
"""Endings and what takes their place, and the least measure of what must stand before them."""


def stem(word: str) -> str:
    """The stem of a lower-case word."""
    if not _PLAIN.match(word):
        return word
    word = _last_y(_past(_plural(word)))
    for table, measure in _STEPS:
        word = _replaced(word, table, measure)
    return _last_letters(word)


def _measure(stem: str) -> int:
    """How often vowels are followed by consonants."""
    return len(_MEASURE.findall(stem))


def _plural(word: str) -> str:
    for ending, instead in _PLURALS:
        if word.endswith(ending):
            return word[: -len(ending)] + instead
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and _VOWEL.search(rest):
            return _mended(rest)
    return word


def _mended(rest: str) -> str:
    """What stood before -ed or -ing, as a word again: hop(p), fil(e)."""
    for ending, instead in _MENDED:
        if rest.endswith(ending):
            return rest.removesuffix(ending) + instead
    if _DOUBLE.search(rest):
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _SHORT.search(rest) else rest


def _last_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _VOWEL.search(word[:-1]) else word


def _replaced(word: str, table: tuple[tuple[str, str], ...], measure: int) -> str:
    for ending, instead in table:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            fits = _measure(rest) >= measure and (ending != "ion" or rest[-1:] in ("s", "t"))
            return rest + instead if fits else word
    return word


def _last_letters(word: str) -> str:
    rest = word[:-1]
    if word.endswith("e") and (_measure(rest) > 1 or (_measure(rest) == 1 and not _SHORT.search(rest))):
        word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
