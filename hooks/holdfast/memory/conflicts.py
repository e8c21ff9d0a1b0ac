"""Does a decision replace an older one, or stand beside it?

Rule: it replaces the older one when it says so (names its id, or puts aside what that one chose, for the same
purpose), when both fill the same slot (a database, a queue, a formatter) with another name, or when both say the same
but for one measure. Two tools for one purpose, two things in one place, two spellings and two numbered parts are no
conflict, and neither is what is in doubt or only considered: a decision that is archived by mistake costs more than two
that stand side by side with their dates. Source: requirement J4.
"""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

_IN = r"(?:[^,.;:]|\.(?=\w))"  # a character of the same clause; a name may hold a dot
_CHOICE = re.compile(
    r"(?<!not )(?<!n't )(?<!never )\b(?:(?P<keeps>store|keep)"
    r"|us(?:e|es|ing)|adopt(?:s|ed|ing)?|choos(?:e|ing)|chose|pick(?:ed)?|go(?:ing)? with|went with"
    r"|stay(?:ing)? with|stick(?:ing)? (?:to|with)|switch(?:ed|ing)? to|mov(?:e|ed|ing) to|settled on|opted for"
    r"|decided (?:on|for)|select(?:ed)?)"
    rf"\s+(?P<what>{_IN}{{2,80}}?)(?:\s+(?P<by>for|as|in|to|on)\s+(?P<purpose>{_IN}{{2,120}})|(?=[,.;:](?!\w)|\s*\Z))",
    re.IGNORECASE,
)
_KEPT_IN = re.compile(
    rf"\b(?P<purpose>{_IN}{{2,80}}?)\s+(?:lives?|(?:is|are) (?:kept|stored|held)) in\s+(?P<what>{_IN}{{2,80}})",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s+(?:instead of|rather than|in place of)\s+\S+", re.IGNORECASE)
_NOT_THIS = re.compile(
    r"\b(?:(?:instead of|rather than|no longer|replac(?:es?|ing)|supersed(?:es?|ing)|not any ?more|moving away from"
    r"|(?:switch|migrat|mov)\w*(?: [^,.;:]{1,40}?)? (?:away )?from|drops?|in place of|overrid(?:es?|ing)"
    rf"|revers(?:es?|ing))\s+(?P<old>{_IN}{{2,120}})"
    rf"|(?:do not|don't|stop) us(?:e|ing)\s+(?P<ended>{_IN}{{2,120}}?) any ?(?:more|longer)\b)"
    r"|(?:\A|[.,;:!?]\s+|the\s+)(?P<gone>\S{2,60}) (?:is|are|was|were|has been|have been) (?:now )?"
    r"(?:replaced|superseded|dropped|retired)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:if|unless|whether|would|could|might|against|consider\w*|should (?:we|i|it))\b", re.IGNORECASE
)
"""Behind one of these in a sentence nothing is chosen and nothing put aside."""
_SENTENCE = re.compile(r"[.!?;]\s|\n")
_SLOT = re.compile(
    r"\b(?:database|db|(?:data|session|key[- ]value|object) ?store|queue|broker|event bus|cache backend"
    r"|search engine|formatter|linter|type checker|test (?:runner|framework)|package manager|build (?:tool|system)"
    r"|bundler|(?:web|ui|css) framework|orm|ci (?:system|server)|web server|logger|template engine"
    r"|hosting|cloud provider|licen[cs]e|state management)\W*\Z",
    re.IGNORECASE,
)
"""What is filled by one thing at a time; it ends the purpose."""
_LONGEST_NAME = 2  # words of a thing that fills a slot; a longer phrase tells how something is done
_MEASURE = re.compile(
    r"(?:\b(?:after|at|to|of|is|are|by|within|than|least|most|every|under|over|below|above|port|up|about|exactly)"
    r"|[=<>])\s*\Z|\A\s*(?:%|(?:(?:milli)?seconds?|minutes?|hours?|days?|weeks?|months?|years?|ms|s|min|h|d"
    r"|[kmgt]i?b|bytes|times|retries|tries|attempts|items|rows|users|tokens|char(?:acter)?s|lines|requests"
    r"|connections|workers|threads|replicas|copies|percent)\b)",
    re.IGNORECASE,
)
"""How the text before or after a number looks that measures; any other ("stage 2", "Python 3") is part of a name."""
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)*")
_TOKEN = re.compile(r"[\w.+#/-]*\w")
_SMALL = frozenset(
    ["a", "an", "the", "this", "that", "these", "those", "our", "all", "every", "each", "any", "and", "or",
     "with", "by", "from", "of", "for", "as", "in", "to", "on", "at", "is", "are", "be", "will", "we", "it",
     "its", "use", "using", "used", "keep", "store", "now", "only", "one", "new"]
)  # fmt: skip
ENOUGH = 0.6  # of the older choice's words, and of its purpose's, that stand in what the newer one turns away from
_SPELLING = 4  # letters from which on a name that another one begins with is another spelling of it


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
    return (bool(old.code) and old.code in new.text) or not _longer_words(new.text).isdisjoint(_words(old.text))


@functools.lru_cache(maxsize=8)  # the new one's words are asked for with each of the old ones
def _longer_words(text: str) -> frozenset[str]:
    return frozenset(word for word in _words(text) if len(word) >= _LONGER)


def _words(text: str) -> list[str]:
    return text.lower().translate(_APART).split()


_LONGER = 3
_APART = str.maketrans(dict.fromkeys(".,;:()\"'`", " "))


def _named(new: Choice, old: Choice) -> bool:
    return bool(old.code) and old.code in new.text and ("instead" in new.text.lower() or any(_asides(new.text)))


def _turned_away(new: str, old: str) -> bool:
    """What the new one puts aside is what the old one chose, and both are about the same thing."""
    chosen = _chosen(old)
    if not chosen or not chosen.name:
        return False
    return any(_covers(aside, chosen.name) and _is_about(new, chosen.purpose) for aside in _asides(new))


def _asides(text: str) -> Iterator[frozenset[str]]:
    """The words of each thing that a text turns away from."""
    for found in _NOT_THIS.finditer(text):
        if _is_certain(text, found.start()):
            yield _tokens(found["old"] or found["ended"] or found["gone"])


def _is_certain(text: str, start: int) -> bool:
    """Whether what begins there stands behind no word of doubt in its sentence."""
    return not _DOUBT.search(_SENTENCE.split(text[:start])[-1])


def _covers(words: frozenset[str], named: frozenset[str]) -> bool:
    return len(named & words) >= ENOUGH * len(named)


def _is_about(new: str, purpose: frozenset[str]) -> bool:
    return _covers(_tokens(new), purpose) if purpose else not _ABOUT.search(new)


_ABOUT = re.compile(r"\b(?:for|as|in|on)\s", re.IGNORECASE)
"""A purpose: what was chosen for everything is not put aside by a choice for one thing."""


class _Chosen(NamedTuple):
    name: frozenset[str]
    purpose: frozenset[str]
    slot: bool
    """Whether the purpose is one that a single thing fills."""


def _chosen(text: str) -> _Chosen | None:
    """The first choice that a text tells of; where something is kept, the purpose is the thing that is kept."""
    said = _ASIDE.sub("", text)
    found = _CHOICE.search(said) or _KEPT_IN.search(said)
    if not found or not _is_certain(said, found.start()):
        return None
    what, purpose = _tokens(found["what"]), _tokens(found["purpose"] or "")
    if found.re is _KEPT_IN:
        return _Chosen(what, purpose, slot=False)
    if found["keeps"]:
        return _Chosen(purpose, what, slot=False)
    return _Chosen(what, purpose, found["by"] in ("for", "as") and bool(_SLOT.search(found["purpose"])))


def _other_choice(new: str, old: str) -> bool:
    """Both name what fills the same slot, and it is not the same thing."""
    one, other = _chosen(new), _chosen(old)
    if not one or not other or not (one.slot and other.slot):
        return False
    short = 0 < len(one.name) <= _LONGEST_NAME and 0 < len(other.name) <= _LONGEST_NAME
    same = any(_is_spelling(name, known) for name in one.name for known in other.name)
    return short and one.purpose == other.purpose and not same


def _is_spelling(one: str, other: str) -> bool:
    """Whether two names are one: Postgres and PostgreSQL."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _SPELLING and long.startswith(short))


def _other_number(new: str, old: str) -> bool:
    """The same sentence with one other measure; with two of them it may be about another thing."""
    pairs = zip(_NUMBER.finditer(new), _NUMBER.findall(old), strict=False)
    other = [number for number, before in pairs if number[0] != before]
    if len(other) != 1 or len(_tokens(new)) < _FEWEST:
        return False
    measures = _MEASURE.search(new[: other[0].start()]) or _MEASURE.search(new[other[0].end() :])
    return bool(measures) and _plain(_NUMBER.sub("0", new)) == _plain(_NUMBER.sub("0", old))


_FEWEST = 3  # words that two sentences must have for their numbers to be about the same thing


def _plain(text: str) -> str:
    return " ".join(_TOKEN.findall(text.lower()))


def _tokens(text: str) -> frozenset[str]:
    return frozenset(word for word in _TOKEN.findall(text.lower()) if word not in _SMALL)
