"""What is left of one window after two compactions?

Rule: asked for are the critical facts (compaction/critical_facts.py) that stood before one compaction and stand
unchanged before
the next: a fact that the work itself has overtaken is not lost. Each gets its verdict (compaction/fidelity.py) from
what
an agent reads after the one and after the other. Beside them the prompts that are kept
(benchmarks/compaction/score.py): those of the
window that was compacted, and those of the windows before it. The packet is made from the record each time, a summary
from the summary before it; there a chain decays. Source: requirement F1.
"""

from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

from benchmarks.compaction import score
from holdfast.compaction import critical_facts, fidelity
from holdfast.compaction.critical_facts import Fact
from holdfast.compaction.fidelity import Verdict
from holdfast.handoff import orchestrator

SUMMARY, PACKET, TOGETHER = "client's own summary", "packet", "summary and packet together"


class Link(NamedTuple):
    """One compaction of a session: what was before, and what may be read after it."""

    work: dict[str, Any]
    """The record before it."""
    prompts: tuple[str, ...]
    """The user's, since the compaction before."""
    summary: str
    """The client's own."""
    alone: str
    """The packet as it is without a summary."""
    beside: str
    """The packet that is made beside this summary."""


class Tally(NamedTuple):
    """What became of the facts of all chains in one text."""

    name: str
    after: int
    """Compactions since the facts were in the window: 1 or 2."""
    counts: dict[str, int]
    """Number of facts by verdict."""


class Prompts(NamedTuple):
    """Mean shares of prompts that a text keeps, None where there were none."""

    name: str
    first: float | None
    """Of the window, at the first compaction of a session that has several."""
    later: float | None
    """Of the window, at its later compactions."""
    earlier: float | None
    """Of the windows before, at its later compactions."""


def standing(first: dict[str, Any], second: dict[str, Any]) -> list[Fact]:
    """The facts of the second record that the first one has too, in the same state."""
    known = {(fact.kind, fact.text, fact.state) for fact in _facts(first)}
    return [fact for fact in _facts(second) if (fact.kind, fact.text, fact.state) in known]


def _facts(work: dict[str, Any]) -> list[Fact]:
    return critical_facts.critical(work, orchestrator.empty())


def tallies(sessions: list[list[Link]]) -> list[Tally]:
    """The counts over each two compactions in a row, for each text after the one and after the other."""
    found = {(name, after): Counter[str]() for name in (SUMMARY, PACKET, TOGETHER) for after in (1, 2)}
    for first, second in (pair for session in sessions for pair in pairwise(session)):
        asked = standing(first.work, second.work)
        for after, link in ((1, first), (2, second)):
            for name, verdicts in _verdicts(asked, link).items():
                found[name, after].update(fidelity.counts(verdicts))
    return [
        Tally(name, after, {one: counts[one] for one in fidelity.VERDICTS}) for (name, after), counts in found.items()
    ]


def _verdicts(asked: list[Fact], link: Link) -> dict[str, list[Verdict]]:
    known = critical_facts.known_names(link.work)
    summary, alone, beside = (fidelity.judge(asked, text, known) for text in (link.summary, link.alone, link.beside))
    return {SUMMARY: summary, PACKET: alone, TOGETHER: fidelity.together(summary, beside)}


def prompts(sessions: list[list[Link]]) -> list[Prompts]:
    """What each text keeps of the prompts, over the sessions with two compactions or more."""
    chains = [session for session in sessions if len(session) > 1]
    later = [(session[:place], session[place]) for session in chains for place in range(1, len(session))]
    return [
        Prompts(
            name,
            _mean([score.prompts_held(session[0].prompts, _text(name, session[0])) for session in chains]),
            _mean([score.prompts_held(link.prompts, _text(name, link)) for _, link in later]),
            _mean(
                [
                    score.prompts_held([p for one in past for p in one.prompts], _text(name, link))
                    for past, link in later
                ]
            ),
        )
        for name in (SUMMARY, PACKET, TOGETHER)
    ]


def _text(name: str, link: Link) -> str:
    return {SUMMARY: link.summary, PACKET: link.alone, TOGETHER: f"{link.summary}\n{link.beside}"}[name]


def _mean(shares: list[float | None]) -> float | None:
    found = [share for share in shares if share is not None]
    return sum(found) / len(found) if found else None
