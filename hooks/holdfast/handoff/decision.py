"""The decision that a report states in words: PROCEED, STOP or CLARIFY.

Agents seldom write the keyword. What they write instead was read off reviews, implementation notes and
explorations: a labelled line ("Verdict: REQUEST CHANGES"), a heading with the verdict below it, or a sentence
that says that the work is done, is blocked, or waits for an answer. The tables are tried from top to bottom
and the first that matches decides. A sentence that only announces the results ("Here is what I found")
implies going on; it is told apart, because nobody should be shown a decision that was not stated.
"""

import re
from typing import NamedTuple

DECISIONS = ("PROCEED", "STOP", "CLARIFY")


class Decision(NamedTuple):
    """The decision ("" when none is recognisable), the words that state it, and whether they do so plainly."""

    name: str = ""
    words: str = ""
    stated: bool = False


_LABEL = re.compile(
    r"^[^A-Za-z0-9\n]*(?:final |overall |my )?(?:decision|verdict|recommendation|outcome|conclusion|assessment|status"
    r"|ready (?:to|for) \w+|ready)\b[^\w\n]*(?:\n+[\s#*>-]*)?(?P<value>\w[^\n]{1,300})",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 60
"""A verdict stands at the start of its line; further on the same words describe something else."""

_VALUES = (
    (
        "STOP",
        r"\b(stop|halt|abort|reject\w*|block(ed|ing)|request(ing)? changes|changes (requested|required|needed)"
        r"|needs? (changes|work|fix\w*)|not ready|failed|failure|cannot|can't|do not (merge|proceed)|incomplete"
        r"|must be (fixed|addressed))\b|^\W*no\b",
    ),
    (
        "CLARIFY",
        r"\b(clarify|clarification|unclear|open question|needs? (your |more |user )?(input|answer|decision)"
        r"|(awaiting|pending) (your|user|input|answer|decision))\b",
    ),
    (
        "PROCEED",
        r"\b(proceed|approv\w*|lgtm|accept\w*|ready|go ahead|completed?|done|success\w*|pass(ed|es|ing)?"
        r"|ship|merge|implement\w*|fixed|resolved|good|yes|recommend\w*|use|keep|add|option)\b",
    ),
)
_KEYWORD = re.compile(r"(?:^[^A-Za-z0-9\n]*|\bto |: )(PROCEED|STOP|CLARIFY)\b(?![ _-]*\w)", re.MULTILINE)

_SENTENCES = (
    (
        "CLARIFY",
        r"\b(would you like|should i\b|do you want|please (confirm|clarify|advise|tell)|which (one|option|of) .{0,80}\?"
        r"|needs? (clarification|your (input|decision|answer)))",
    ),
    (
        "STOP",
        r"\b(cannot (proceed|continue|be done)|can't (proceed|continue)|(?<!not )blocked by (?!stale)|am blocked"
        r"|unable to (proceed|complete|continue|finish)|could not (complete|finish)|must be fixed before"
        r"|do not (merge|proceed)|should not be merged|gave up)\b",
    ),
    (
        "PROCEED",
        r"(?<!what )\b((i|i've|we) (have )?(now )?(successfully )?(completed?|finished|implemented|fixed|added"
        r"|updated|addressed|verified|consolidated)|(implementation|review|task|migration|refactoring|fix)"
        r" (is|are|has been|have been) (now )?(completed?|done|finished|in place|implemented)"
        r"|all (\w+ )?tests (now )?pass|tests pass|(ready|safe) (to|for) (merge|merging|proceed|review|implementation)"
        r"|no (blocking |critical |major )?(issues|problems|conflicts)( were)? found"
        r"|i recommend|recommended (approach|fix|solution)|approved|lgtm)\b",
    ),
)
_ANNOUNCED = re.compile(
    r"\b(next steps?|now i have|i (now )?have (all|enough|a (complete|clear|comprehensive|full))"
    r"|i have gathered|here('s| is|'re| are) (a|the|my|what)|let me (compile|provide|create|summarize|write)"
    r"|recommend(ed|ation)?s?|based on my|what i (implemented|found|did)|what was (done|changed|implemented))\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_BY_VALUE = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _VALUES)
_BY_SENTENCE = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _SENTENCES)


def decide(text: str) -> Decision:
    """The decision in `text`; what stands in code blocks decides nothing unless nothing else does."""
    prose = _CODE.sub("", text)
    return _first(prose) or (_first(text) if prose != text else None) or Decision()


def _first(text: str) -> Decision | None:
    return _labelled(text) or _keyword(text) or _in_a_sentence(text) or _announced(text)


def keyword(value: str) -> str:
    """The decision that a short value such as "approved" or "request changes" stands for, or ""."""
    head = value[:_HEAD]
    plain = head.strip(" \t*_`\"'.!").upper()
    if plain in DECISIONS:
        return plain
    return next((name for name, pattern in _BY_VALUE if pattern.search(head)), "")


def _labelled(text: str) -> Decision | None:
    for match in _LABEL.finditer(text):
        name = keyword(match["value"])
        if name:
            return Decision(name, match.group().strip(), True)
    return None


def _keyword(text: str) -> Decision | None:
    match = _KEYWORD.search(text)
    return Decision(match.group(1), _line_around(text, match.start(1), match.end()), True) if match else None


def _in_a_sentence(text: str) -> Decision | None:
    for name, pattern in _BY_SENTENCE:
        match = pattern.search(text)
        if match:
            return Decision(name, _line_around(text, match.start(), match.end()), True)
    return None


def _announced(text: str) -> Decision | None:
    match = _ANNOUNCED.search(text)
    return Decision("PROCEED", _line_around(text, match.start(), match.end())) if match else None


def _line_around(text: str, start: int, end: int) -> str:
    """The line that holds a match; of a long one whole sentences from the match on, at most 300 characters."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    if last - first <= _LINE:
        return text[first:last].strip()
    first = max(first, text.rfind(". ", first, start) + 2)
    last = min(last, first + _LINE)
    stop = text.rfind(". ", end, last)  # whole sentences: "PROCEED." alone gives no reason
    last = last if stop <= end else stop + 1
    said = text[first:last].strip()
    return said if said.endswith((".", "!", "?")) or last >= len(text) else f"{said.rsplit(' ', 1)[0]}…"


_LINE = 300
