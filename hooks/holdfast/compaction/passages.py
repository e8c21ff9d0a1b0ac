"""Which passage of a text speaks of a thing, and in what state does it say that the thing is?

Rule: a text is cut into lines and sentences, each with the heading above it and its telling words (four letters or
more, by their first six, so that "replace" and "replaced" are one). A passage speaks of a thing when it holds most
of that thing's telling words. Its state is the marker nearest to hand: in the passage first ("✅", "[ ]", "not yet
done"), else in the heading ("Pending Tasks"). Source: requirement F1.
"""

import re
from typing import NamedTuple

STEM = 6  # letters that tell a word
SENTENCE = re.compile(r"(?<=[.;!?])\s+(?=[A-Z`*\"(\[])")
LONG_LINE = 160  # characters from which a line is cut into sentences
_WORD = re.compile(r"[^\W\d_]{4,}")
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+\S.*|\*\*[^*]{2,70}\*\*:?|(?:\d{1,2}[.)]\s+)?[A-Z][^.:`]{2,60}:)\s*$")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "that this with from have should would could will when then them they there their also into only just make made"
        " need needs please want wants your about which what because before after some more been were does like user"
        " used uses using here where while than very each other these those being same such over must shall file files"
        " code change changes",
    )
)
_AT = (
    r"(?:^\W*|[(\[*:\u2013\u2014-]\s*"
    r"|\b(?:is|are|was|were|still|remains?|now|marked|status|as|already|been)\s+(?:\w+\s+)?)"
)
"""Where a state's bare name is the state of the item, and no adjective of something else ("a pending review")."""
# What denies a state is looked for before the state itself.
_MARKS = (
    (
        "cancelled",
        rf"{_AT}(?:cancel+ed|dropped|discarded)\b|\bcalled off\b|\babandoned\b|\bno longer (?:need|want|plan)ed\b",
    ),
    (
        "open",
        rf"\[ \]|☐|⏳|🔲|{_AT}(?:pending|to-?do|remaining|outstanding|unfinished|incomplete|open)\b(?!\s+[a-z]+ed\b)"
        r"|(?:\bnot|n't|\bnever)(?: yet)?(?: been)? (?:started|done|finished|implemented|completed?)\b"
        r"|\b(?:still (?:to|open|needs?)|needs? to be|yet to be|remains? to|left to do)\b",
    ),
    ("in progress", r"\b(?:in[ _-]progress|ongoing|under way)\b"),
    ("done", rf"✅|✓|☑|\[x\]|{_AT}(?:completed?|done|finished)\b"),
)
MARKS = tuple((state, re.compile(pattern, re.IGNORECASE)) for state, pattern in _MARKS)
_HEADS = (
    ("open", re.compile(r"(?i)\b(?:pending|remaining|to-?do|outstanding|open (?:tasks|items|work))\b")),
    ("done", re.compile(r"(?i)\b(?:completed|done|accomplished|finished)\b")),
)


class Passage(NamedTuple):
    """One line or sentence."""

    text: str
    words: frozenset[str]
    heading: str
    """The heading above it, "" for none."""


def telling(text: str) -> frozenset[str]:
    """The words by which a sentence is known again, each as its first letters."""
    return frozenset(word[:STEM] for word in (w.lower() for w in _WORD.findall(text)) if word not in _COMMON)


def cut(text: str) -> list[Passage]:
    """The passages of a text in order; what stands in code fences is left out, since it is quoted."""
    found: list[Passage] = []
    heading, fenced = "", False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif line.strip() and not fenced:
            heading = line.strip() if _HEADING.match(line) else heading
            pieces = SENTENCE.split(line) if len(line) > LONG_LINE else [line]
            found += [Passage(piece.strip(), telling(piece), heading) for piece in pieces if piece.strip()]
    return found


def about(words: frozenset[str], passages: list[Passage], share: float) -> list[Passage]:
    """The passages that hold at least `share` of the words; none for a thing without words."""
    least = len(words) * share
    return [passage for passage in passages if words and len(words & passage.words) >= least]


def best_share(words: frozenset[str], passages: list[Passage], width: int = 3) -> float:
    """The largest share of the words that `width` neighbouring passages hold together, 0.0 to 1.0."""
    best = 0
    for start in range(len(passages)):
        first = passages[start].words & words
        if first:
            together = first.union(*(passage.words & words for passage in passages[start + 1 : start + width]))
            best = max(best, len(together))
    return best / len(words) if words else 0.0


def state_of(passage: Passage, item: str = "") -> str:
    """open, in progress, done or cancelled as the passage says it; "" when it says nothing or two things at once.

    item: the item's own words; a marker that stands among them ("fix the remaining errors") says nothing of it.
    """
    found = {state: match for state, pattern in MARKS if (match := pattern.search(passage.text))}
    said = [state for state, match in found.items() if match.group().strip(" *-").lower() not in item.lower()]
    if "open" in said:  # "not done" holds "done"
        said = [state for state in said if state == "open" or not _overlap(found[state], found["open"])]
    if said:
        return said[0] if len(said) == 1 else ""
    heads = [state for state, pattern in _HEADS if pattern.search(passage.heading)]
    return heads[0] if len(heads) == 1 else ""


def _overlap(one: re.Match[str], two: re.Match[str]) -> bool:
    return one.start() < two.end() and two.start() < one.end()
