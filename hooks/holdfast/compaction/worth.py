"""How much is a statement worth to somebody who goes on with the work?

Rule: it is worth the names that it brings and that nothing else on the page brings yet, each by how much the session
works with it; the things that it speaks of which come up in several messages; and what its kind is worth (a severe
problem, a rule, a decision more than a finding). Recaps of what was done or decided, statements that the user agreed
to, direct answers and the answers to corrections count more; announcements and questions less; so do the tenth
statement of one turn, those of long messages, old ones and above all what an earlier compaction has left behind. The
weights were found by a random search over 39 recorded compactions: what the client's own summary names, what is used
again afterwards and labelled facts. Sources: requirements W5, K8.
"""

import itertools
import math
import re
from collections import Counter
from typing import Any, NamedTuple

from holdfast.text import phrasing
from holdfast.worklog import mentions, notes
from holdfast.worklog.statements import Said, all_of

KIND = {"decision": 1.6, "severe": 2.8, "error": 0.6, "constraint": 0.35, "finding": 0.075, "code": 0.045}
TUNED = {
    "answer": 0.8,  # added for a direct answer
    "strong": 0.3,  # added for what its author stressed
    "flow": 0.1,  # added for a chain of steps or causes ("a → b")
    "again": 0.06,  # share of a name's weight that stays when the page has it already
    "unknown": 0.03,  # weight of a telling word that the session has seen only here
    "word": 2.0,  # of a number, code or marked term, against 1 for a name, which the index may bring
    "power": 0.8,  # by how much frequent names outweigh rare ones
    "single": 0.06,  # of a word that comes up in several messages
    "pair": 0.05,  # of two such words together
    "oldest": 0.1,  # factor of the oldest statement, the newest has 1
    "older": 0.3,  # factor of what was said before the last compaction: what mattered of it came up again
    "long": 0.2,  # by how much each statement of a long message is worth less than that of a short one
    "closing": 0.7,  # factor of a message that ends a turn
    "agreed": 0.9,  # factor of what the user answered briefly, mostly with yes
    "accepted": 2.0,  # factor of what the latest request says yes to: it is the work at hand
    "corrected": 1.2,  # factor of the answer to a correction or a rule
    "recap": 2.5,  # factor of what tells in retrospect
    "leaning": 0.8,  # factor of what leans on the sentence before
    "first": 2.0,  # factor of the first statement of a turn: every request has its answer
    "spread": 0.15,  # by how much each statement of a turn makes the next one of that turn worth less
    "pad": 3,  # characters that a line costs beside its words
}
OBJECTED = "(the user then objected)"  # before what was said and then corrected by the user
_BARE = 30  # characters below which a statement without a name says nothing
_RECAP = re.compile(
    r"\b(removed|added|dropped|restructured|renamed|moved|replaced|landed|agreed|decided|resolved|recap|summary"
    r"|in short|key (?:\w+ )?changes|what (?:changed|was done)|created|fixed|root cause"
    r"|the (?:fix|problem|issue|cause) (?:is|was)|verdict|conclusion|done|completed|implemented)\b",
    re.IGNORECASE,
)
_FLOW = re.compile(r"→|->|=>")
_LETTERS = re.compile(r"[a-z]{4,}")
_STEM = 7
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "that this with from have should would could will when then them they there their also into only just make"
        " need needs want your about which what because before after some more been were does like used uses using"
        " here where while than very each other these those being same such over must",
    )
)


class Candidate(NamedTuple):
    """A statement that may be shown."""

    said: Said
    turn: int
    """Number of the prompt's message that it followed, 0 before the first."""
    names: frozenset[str]
    concepts: frozenset[str]
    factor: float
    base: float


def candidates(work: dict[str, Any]) -> list[Candidate]:
    """Every distinct statement, the newest of equal ones."""
    closing = {prompt["after"] for prompt in work["prompts"]} | {work["said_at"]}
    agreed = {prompt["after"] for prompt in work["prompts"] if prompt["re"]}
    numbers = {note["n"] for note in notes.of(work, "correction")}
    objected = {prompt["after"] for prompt in work["prompts"] if prompt["n"] in numbers} - {0}
    corrected = {note["n"] for note in notes.of(work, "correction", "constraint", "cancelled")}
    last = work["prompts"][-1] if work["prompts"] else {}
    accepted = last["after"] if last.get("re") else -1
    starts = [prompt["n"] for prompt in work["prompts"]]
    since = work["boundaries"][-1].get("n", 0) if work["boundaries"] else 0
    said_in = Counter(said.n for said in all_of(work))
    to_do = {note["text"] for note in notes.of(work, "todo")}  # told with the decisions, while they are open
    found: dict[str, Candidate] = {}
    for said in all_of(work):
        text = f"{OBJECTED} {said.text}" if said.n in objected else said.text
        names = frozenset(mentions.telling(text))
        answer = said.order < 2 and said.n in closing
        if (
            _says_nothing(text, names)
            or text in to_do
            or (not names and not answer and (len(text) < _BARE or phrasing.leans(text)))
        ):
            continue
        turn = max((start for start in starts if start < said.n), default=0)
        leaning = not answer and (phrasing.leans(text) or text.endswith((":", "?")))
        signs = {
            "older": said.n <= since,
            "closing": said.n in closing,
            "agreed": said.n in agreed,
            "accepted": said.n == accepted,
            "corrected": turn in corrected,
            "recap": bool(_RECAP.search(f"{said.heading} {text[:80]}")),
            "leaning": leaning,
        }
        factor = TUNED["oldest"] + (1 - TUNED["oldest"]) * said.n / max(1, work["messages"])
        factor *= math.prod(TUNED[sign] for sign, there in signs.items() if there) / said_in[said.n] ** TUNED["long"]
        base = KIND.get(said.kind, 0.0) + TUNED["strong"] * said.strong + TUNED["answer"] * answer
        base += TUNED["flow"] * bool(_FLOW.search(text))
        speaks = frozenset(concepts(f"{said.heading} {text}"))
        bare = text.replace("`", "")  # names are known without marks, and two characters each add up
        found[plain(text)] = Candidate(said._replace(text=bare), turn, names, speaks, factor, base)
    return list(found.values())


def _says_nothing(text: str, names: frozenset[str]) -> bool:
    """Whether a statement only opens ("Here's why:") or nods ("Right.", "That's a good question.")."""
    words = len(text.split())
    opens = text.endswith(":") and words < _OPENING
    nods = len(text) < _NOD and phrasing.leans(text) and not _ANSWER.match(text)
    return not names and (words < _FEW or opens or nods)


_FEW, _OPENING, _NOD = 3, 7, 60
_ANSWER = re.compile(r"(?:yes|no)\b", re.IGNORECASE)


def concepts(text: str) -> set[str]:
    """What a text speaks of: its telling words, and pairs of them that stand together, by their first letters."""
    stems = [word[:_STEM] for word in _LETTERS.findall(text.lower()) if word not in _COMMON]
    return {*stems, *(f"{one} {two}" for one, two in itertools.pairwise(stems))}


def weights(work: dict[str, Any], pool: list[Candidate]) -> dict[str, float]:
    """Each name, telling word and concept with its weight."""
    where: dict[str, set[int]] = {}
    for candidate in pool:
        for concept in candidate.concepts:
            where.setdefault(concept, set()).add(candidate.said.n)
    for prompt in work["prompts"]:
        for concept in concepts(prompt["text"]):
            where.setdefault(concept, set()).update((-prompt["n"], -prompt["n"] - 1))  # the user's words count twice
    spoken_of = {
        concept: TUNED["pair" if " " in concept else "single"] * math.log(len(messages))
        for concept, messages in where.items()
        if len(messages) > 1
    }
    ranked = mentions.ranked(work)
    top = math.log1p(max(ranked.values(), default=1.0)) or 1.0
    named = {
        name: (math.log1p(score) / top) ** TUNED["power"] * (1.0 if mentions.is_name(name) else TUNED["word"])
        for name, score in ranked.items()
    }
    return {**spoken_of, **named}


def worth(candidate: Candidate, known: dict[str, float], covered: set[str], before: int) -> float:
    """Worth per character of what the statement would add; `before`: statements of its turn that are shown."""
    named = (
        known.get(name, TUNED["unknown"]) * (TUNED["again"] if name in covered else 1.0) for name in candidate.names
    )
    value = candidate.base + math.fsum(named)  # sets have no order of their own, and the sum must not depend on it
    value += math.fsum(known.get(concept, 0.0) for concept in candidate.concepts - covered)
    value *= TUNED["first"] if not before else 1 / (1 + TUNED["spread"] * before)
    return value * candidate.factor / (len(candidate.said.text) + TUNED["pad"])


def plain(text: str) -> str:
    """The words of a text alone, by which two statements are known to be one."""
    return " ".join(re.findall(r"\w+", text.lower()))
