"""Which statements of a long conversation does somebody need who goes on with the work?

Rule: a statement is worth the names that it brings which nothing else on the page brings yet, each by how much the
session works with it, and what its kind is worth (a decision, an error, a rule more than a finding). Statements
that close a turn, that are recent, and those that the user said yes to count more; announcements, questions and
sentences that lean on others less. Picked greedily by worth per character, shown request by request, in order.
Sources: requirements W5, K8.
"""

import heapq
import math
import re
from typing import Any, NamedTuple

from holdfast.policy import requests, vocabulary, wording
from holdfast.policy.spoken import Said, all_of
from holdfast.policy.summary import Summary

_KIND = {"decision": 0.4, "severe": 0.5, "error": 0.3, "constraint": 0.3, "finding": 0.12}
_ANSWER = 0.2
_STRONG, _AGAIN, _UNKNOWN = 0.12, 0.15, 0.1
_OLDEST = 0.5  # worth of the oldest statement, of the newest 1
_CLOSING, _AGREED, _LEANING = 1.5, 1.3, 0.5
_WORD, _POWER = 0.8, 1.0
_POWERED = lambda x: x**_POWER
_RECAP_WORTH = 1.5
_RECAP = re.compile(
    r"\b(removed|added|dropped|restructured|renamed|moved|replaced|landed|agreed|decided|resolved|recap|summary|in short"
    r"|key (?:\w+ )?changes|what (?:changed|was done)|created|fixed|root cause|the (?:fix|problem|issue|cause) (?:is|was)"
    r"|verdict|conclusion|done|completed|implemented)\b",
    re.IGNORECASE,
)
_SINGLE, _PAIR = 0.05, 0.1
_PAD = 20  # characters that a line costs beside its words
LONGEST = 420
_BARE = 30  # characters below which a statement without a name says nothing
_INTENT = re.compile(
    r"(?:ok(?:ay)?[,.]? |now,? |perfect[.!]? |good[.!]? |first,? )?(?:let me|let's|i(?:'ll| will| need to| should| am going to|'m going to))\b"
    r"|(?:all )?tests? pass\w*[.!]*$",
    re.IGNORECASE,
)

class Room(NamedTuple):
    """Characters that the story may have, and how many of them the requests."""

    chars: int
    prompts: int


class _Turn(NamedTuple):
    """One request and what was told in answer to it."""

    prompt: dict[str, Any]
    said: list[Said]


def lines(work: dict[str, Any], room: Room, page: str, summary: Summary) -> list[str]:
    """Every request in its order with what was found and decided on it. `page`: what is shown anyway."""
    asked = requests.lines(work, max(0, min(room.prompts, room.chars)), summary)
    used = sum(len(line) + 1 for line in asked.values())
    picked = _pick(work, room.chars - used, "\n".join([page, *asked.values(), summary.text]))
    found: list[str] = []
    for turn in _turns(work, picked):
        told = [f"  - {line}" for line in _lines(turn)]
        request = asked.get(turn.prompt.get("n", 0), "")
        if request and (told or request != requests.ELSEWHERE):
            found.append(request)
        found += told
    return found


def _pick(work: dict[str, Any], chars: int, page: str) -> list[Said]:
    """The statements for `chars` characters, oldest first. `page`: what is shown anyway."""
    pool = _candidates(work)
    weights = {**_concept_weights(work, pool), **_weights(work)}
    covered = vocabulary.telling(page) | concepts(page)
    heap = [(-_worth(c, weights, covered), index) for index, c in enumerate(pool)]
    heapq.heapify(heap)
    chosen: list[Said] = []
    headings: set[tuple[int, str]] = set()
    while heap:
        index = heapq.heappop(heap)[1]
        candidate = pool[index]
        worth = _worth(candidate, weights, covered)
        if heap and worth < -heap[0][0] - 1e-12:  # what was picked since has made it worth less
            heapq.heappush(heap, (-worth, index))
            continue
        cost = _cost(candidate.said, headings)
        if worth <= 0 or cost > chars:
            continue
        chars -= cost
        covered |= candidate.names | candidate.concepts
        headings.add((candidate.said.n, candidate.said.heading))
        chosen.append(candidate.said)
    return sorted(chosen)


class _Candidate(NamedTuple):
    said: Said
    names: set[str]
    concepts: set[str]
    factor: float
    base: float


def _candidates(work: dict[str, Any]) -> list[_Candidate]:
    """Every distinct statement, the newest of equal ones."""
    newest = max(1, work["messages"])
    closing = {prompt["after"] for prompt in work["prompts"]} | {work["said_at"]}
    agreed = {prompt["after"] for prompt in work["prompts"] if prompt["re"]}
    found: dict[str, _Candidate] = {}
    for said in all_of(work):
        text = wording.clip(said.text, LONGEST)
        names = vocabulary.telling(text)
        answer = said.order < 2 and said.n in closing
        if _INTENT.match(text) or (not names and not answer and (len(text) < _BARE or wording.leans(text))):
            continue
        factor = _OLDEST + (1 - _OLDEST) * said.n / newest
        factor *= _CLOSING if said.n in closing else 1.0
        factor *= _AGREED if said.n in agreed else 1.0
        factor *= _LEANING if not answer and (wording.leans(text) or text.endswith((":", "?"))) else 1.0
        factor *= _RECAP_WORTH if _RECAP.search(f"{said.heading} {text[:80]}") else 1.0
        base = _KIND.get(said.kind, 0.0) + _STRONG * said.strong + _ANSWER * answer
        found[_plain(text)] = _Candidate(said._replace(text=text), names, concepts(f"{said.heading} {text}"), factor, base)
    return list(found.values())


_LETTERS = re.compile(r"[a-z]{4,}")
_STEM = 7
_COMMON = frozenset(
    "that this with from have should would could will when then them they there their also into only just make need"
    " needs want your about which what because before after some more been were does like used uses using here where"
    " while than very each other these those being same such over must".split()
)


def concepts(text: str) -> set[str]:
    """What a text speaks of: its telling words, and pairs of them that stand together, by their first letters."""
    stems = [word[:_STEM] for word in _LETTERS.findall(text.lower()) if word not in _COMMON]
    return {*stems, *(f"{one} {two}" for one, two in zip(stems, stems[1:]))}


def _concept_weights(work: dict[str, Any], pool: list[_Candidate]) -> dict[str, float]:
    """Each concept that comes up in several messages, by in how many."""
    where: dict[str, set[int]] = {}
    for candidate in pool:
        for concept in candidate.concepts:
            where.setdefault(concept, set()).add(candidate.said.n)
    for prompt in work["prompts"]:
        for concept in concepts(prompt["text"]):
            where.setdefault(concept, set()).update((-prompt["n"], -prompt["n"] - 1))
    return {
        concept: (_PAIR if " " in concept else _SINGLE) * math.log(len(messages))
        for concept, messages in where.items()
        if len(messages) > 1
    }


def _weights(work: dict[str, Any]) -> dict[str, float]:
    ranked = vocabulary.ranked(work)
    top = math.log1p(max(ranked.values(), default=1.0)) or 1.0
    return {name: _POWERED(math.log1p(score) / top) * (1.0 if vocabulary.is_name(name) else _WORD) for name, score in ranked.items()}


def _worth(candidate: _Candidate, weights: dict[str, float], covered: set[str]) -> float:
    """Worth per character of what the statement would add."""
    value = candidate.base
    for name in candidate.names:
        value += weights.get(name, _UNKNOWN) * (_AGAIN if name in covered else 1.0)
    value += sum(weights.get(concept, 0.0) for concept in candidate.concepts - covered)
    return value * candidate.factor / (len(candidate.said.text) + _PAD)


def _cost(said: Said, headings: set[tuple[int, str]]) -> int:
    title = 0 if (said.n, said.heading) in headings or not said.heading else len(said.heading) + 2
    return len(said.text) + title + 4


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _turns(work: dict[str, Any], picked: list[Said]) -> list[_Turn]:
    """The picked statements under the prompts that they followed; those before the first under an empty one."""
    starts = [prompt["n"] for prompt in work["prompts"]]
    found = [_Turn({}, []), *(_Turn(prompt, []) for prompt in work["prompts"])]
    for said in picked:
        place = sum(start < said.n for start in starts)
        found[place].said.append(said)
    return found


def _lines(turn: _Turn) -> list[str]:
    """What was told in one turn, a line per heading."""
    groups: dict[tuple[int, str], list[str]] = {}
    for said in turn.said:
        groups.setdefault((said.n, said.heading) if said.heading else (said.n, f"\0{said.order}"), []).append(said.text)
    return [_line("" if heading.startswith("\0") else heading, texts) for (_, heading), texts in groups.items()]


def _line(heading: str, texts: list[str]) -> str:
    said = " ".join(text if text.endswith((".", "!", "?", ":", "…")) else text.rstrip(" ,;-") + "." for text in texts)
    return f"{heading}: {said}" if heading else said
