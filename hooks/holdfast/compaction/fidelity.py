"""What of the critical facts does a text still hold after a compaction?

Rule: each fact is one of five: altered or stale (compaction/contradictions.py), retained (its keys occur, and where
it is a
sentence most of its telling words stand together), recoverable (the text names the file that holds it), missing. Of
summary and packet together the better verdict counts, except that what the summary altered stays altered: the agent
reads both. Of the facts that must stay it is said after every compaction whether they are held, in the two texts or at
least on the page that one of them names. Over two compactions the facts of the first are asked for again, as far as
the record still has them. No model is asked. Sources: requirements F1, H8, K8.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from holdfast.compaction import contradictions, passages
from holdfast.compaction.contradictions import Reading
from holdfast.compaction.critical_facts import Fact, words
from holdfast.text import identifiers

RETAINED, RECOVERABLE, ALTERED, STALE, MISSING = "retained", "recoverable", "altered", "stale", "missing"
VERDICTS = (RETAINED, RECOVERABLE, ALTERED, STALE, MISSING)
HELD_TOGETHER = 0.6  # of a short fact's telling words, within three neighbouring passages
HELD_ANYWHERE = 0.6  # of a long one's, in the whole text; the benchmark's own measure of a kept prompt
LONG = 20  # telling words from which a fact is long
HELD_KEYS = 0.6
BY_KEYS_ALONE = ("file", "commit")


class Verdict(NamedTuple):
    """One fact and what became of it."""

    fact: Fact
    verdict: str
    said: str = ""
    """The passage that alters it, "" otherwise."""


def judge(facts: Iterable[Fact], text: str, known: frozenset[str] = frozenset()) -> list[Verdict]:
    """A verdict per fact, in order; known: base names of files that a text may rightly name."""
    reading = contradictions.read(text, known)
    everything = passages.telling(text)
    return [_verdict(fact, reading, everything) for fact in facts]


def _verdict(fact: Fact, reading: Reading, everything: frozenset[str]) -> Verdict:
    changed, said = contradictions.other(fact, reading)
    if changed:
        return Verdict(fact, changed, said)
    if _holds(fact, reading, everything):
        return Verdict(fact, RETAINED)
    named = bool(fact.where) and (
        fact.where in reading.text or identifiers.occurs(identifiers.basename(fact.where), reading.text)
    )
    return Verdict(fact, RECOVERABLE if named else MISSING)


def _holds(fact: Fact, reading: Reading, everything: frozenset[str]) -> bool:
    if fact.text in reading.text:
        return True
    held = sum(key in reading.text for key in fact.keys)
    if fact.kind in BY_KEYS_ALONE:
        return bool(fact.keys) and held == len(fact.keys)
    telling = words(fact)
    if len(telling) < 2:
        return bool(fact.keys) and held == len(fact.keys)
    if len(telling) > LONG:
        return len(telling & everything) >= HELD_ANYWHERE * len(telling)
    literal = not fact.keys or held >= HELD_KEYS * len(fact.keys) or _plain(fact)
    return literal and passages.best_share(telling, reading.passages) >= HELD_TOGETHER


def _plain(fact: Fact) -> bool:
    """Whether the keys are only words of the text, which stand among its telling words already."""
    return all(key.isalpha() and not identifiers.is_identifier(key) for key in fact.keys)


_BEST = {verdict: place for place, verdict in enumerate((ALTERED, STALE, RETAINED, RECOVERABLE, MISSING))}


def together(summary: list[Verdict], packet: list[Verdict]) -> list[Verdict]:
    """The verdicts on both texts as an agent reads them; the two lists are on the same facts.

    A packet is made from the record, so an alteration in it is only a passage that reads like one: it counts for
    nothing.
    """
    joined = []
    for one, two in zip(summary, packet, strict=True):
        kept = two if two.verdict in (RETAINED, RECOVERABLE) else Verdict(two.fact, MISSING)
        joined.append(min((one, kept), key=lambda verdict: _BEST[verdict.verdict]))
    return joined


def counts(verdicts: list[Verdict]) -> dict[str, int]:
    """How many there are of each verdict."""
    return {name: sum(one.verdict == name for one in verdicts) for name in VERDICTS}


def must_stay(both: list[Verdict], page: str = "") -> dict[str, int]:
    """What became of the facts of score 100: how many `items`, `held`, on_page, `altered` and `missing`.

    page: the text of the page that summary or packet name for re-reading; it is asked for what neither of them has.
    """
    asked = [one for one in both if one.fact.must]
    found = counts(asked)
    lost = [one.fact for one in asked if one.verdict == MISSING]
    on_page = sum(one.verdict != MISSING for one in judge(lost, page)) if page else 0
    return {
        "items": len(asked),
        "held": found[RETAINED] + found[RECOVERABLE],
        "on_page": on_page,
        "altered": found[ALTERED] + found[STALE],
        "missing": found[MISSING] - on_page,
    }


def over(before: list[Any], verdicts: list[Verdict]) -> list[Verdict]:
    """Of these verdicts those on facts that the compaction before had to carry already: the chain's second link.

    before: [kind, text, …] of each fact then.
    """
    known = {(str(row[0]), str(row[1])) for row in before if isinstance(row, list) and len(row) > 1}
    return [one for one in verdicts if (one.fact.kind, one.fact.text) in known]
