"""Which statements of a long conversation are told again, and in which order?

Rule: the ones that are worth most per character (compaction/worth.py), picked one by one, since what one statement says
makes another worth less; shown request by request, in the order in which they were made. Source: requirement W5.
"""

import heapq
from typing import Any, NamedTuple

from holdfast.compaction import prompt_list, worth
from holdfast.compaction.overlap import Summary
from holdfast.text import phrasing
from holdfast.worklog import mentions
from holdfast.worklog.statements import Said


class _Turn(NamedTuple):
    """One request and what was told in answer to it."""

    prompt: dict[str, Any]
    said: list[Said]


def lines(work: dict[str, Any], asked: dict[int, str], chars: int, page: str, summary: Summary) -> list[str]:
    """Every request in its order with what was found and decided on it, in at most `chars` characters.

    asked: the requests' lines; page: what is shown anyway.
    """
    gone = sum(prompt["n"] not in asked for prompt in work["prompts"])
    found = [f"- (earlier requests left out: {gone})"] if gone else []
    used = sum(len(line) + 1 for line in (*found, *asked.values()))
    picked = _pick(work, chars - used, "\n".join([page, *asked.values(), summary.text]).replace("`", ""))
    for turn in _turns(work, picked):
        told = [f"  - {line}" for line in _lines(turn)]
        request = asked.get(turn.prompt.get("n", 0), "")
        if request and (told or request != prompt_list.ELSEWHERE):
            found.append(request)
        found += told
    return found


def _pick(work: dict[str, Any], chars: int, page: str) -> list[Said]:
    """The statements for `chars` characters, oldest first. `page`: what is shown anyway."""
    words = f" {worth.plain(' '.join(map(phrasing.marked, page.splitlines())))} "
    pool = [one for one in worth.candidates(work) if not _stands(one.said.text, page, words)]
    known, covered = worth.weights(work, pool), mentions.telling(page) | worth.concepts(page)
    heap = [(-worth.worth(candidate, known, covered, 0), index) for index, candidate in enumerate(pool)]
    heapq.heapify(heap)
    chosen: list[Said] = []
    headings: set[tuple[int, str]] = set()
    shown: dict[int, int] = {}
    while heap and chars > _LEAST:
        index = heapq.heappop(heap)[1]
        candidate = pool[index]
        value = worth.worth(candidate, known, covered, shown.get(candidate.turn, 0))
        if heap and value < -heap[0][0] - 1e-12:  # what was picked since has made it worth less
            heapq.heappush(heap, (-value, index))
            continue
        cost = _cost(candidate.said, headings)
        if value <= 0 or cost > chars:
            continue
        chars -= cost
        covered |= candidate.names | candidate.concepts
        headings.add((candidate.said.n, candidate.said.heading))
        shown[candidate.turn] = shown.get(candidate.turn, 0) + 1
        chosen.append(candidate.said)
    return sorted(chosen)


_KNOWN = 80  # characters by which a statement is recognised that stands in another section
_SHORT = 30  # characters below which only the very same text is the same statement
_LEAST = 20  # characters that any statement needs


def _stands(text: str, page: str, words: str) -> bool:
    """Whether a statement stands on the page, there perhaps in other markup. `words`: those of the page alone."""
    start = text if len(text) <= _KNOWN else text[:_KNOWN].rpartition(" ")[0]
    return text[:_KNOWN] in page or (len(start) >= _SHORT and f" {worth.plain(start)} " in words)


def _cost(said: Said, headings: set[tuple[int, str]]) -> int:
    """Characters at most: a line of its own with its mark and full stop, or one more statement on a heading's line."""
    if said.heading and (said.n, said.heading) in headings:
        return len(said.text) + 2
    return len(said.text) + (len(said.heading) + 2 if said.heading else 0) + 6


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
