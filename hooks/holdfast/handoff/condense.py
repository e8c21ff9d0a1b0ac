"""What may a parent read of a report that is too long?

Rule (B3): at most `limit` tokens, offline, the same at every run. In this order the budget goes to the decision
that the report states, what is still open, constraints, files, findings as sentences under their headings, and
last to the remaining names, put after the sentences of their section. What the parent has anyway (`known`)
counts little, so that the room goes to what only the report holds. The line with the path of the whole report
is part of the budget.

The shares are a compromise between sentences and recall, set on 63 recorded reports (`holdfast replay` gives the
recall; tests/corpus holds it). More room for sentences costs recall at once in reports with 60 names or more.
"""

import heapq
import re
from collections.abc import Callable
from typing import NamedTuple

from holdfast.handoff import decision as verdict
from holdfast.handoff import model, term_weights
from holdfast.handoff import page as layout
from holdfast.text import tokens
from holdfast.text.lines import clip
from holdfast.text.markdown import Statement, names, statements

Counter = Callable[[str], int]

MARGINS = ((25, 1.075, 1.20), (10, 1.12, 1.24), (0, 1.21, 1.32))
"""From so many names in the report on, a text may in truth be this much larger than (counted, estimated). Texts
rich in names are counted well; in plain prose rare words cost up to a fifth more. Measured on 1,134 condensed
texts (63 reports, with and without path, counter and known text): none passed its limit."""

# share of the budget that a kind may take before names are counted, in the order of choice
SHARES = (("severe", 0.18), ("decision", 0.11), ("error", 0.08), ("constraint", 0.03))
AT_LEAST = 20
"""Tokens that each kind may take however small the budget: one statement."""
FILES_SHARE = 0.22
SENTENCES = 0.11
"""Findings in sentences get at least this share, and all that the names leave."""
GROUP = 6
"""So many names of one section are listed under its title."""
WORTHY = 0.12
"""A name below this chance of use is not listed by itself."""
_SENTENCE_CHARS = 260
_CHEAPEST = 4
_SAYS_SOMETHING = 0.2
_OVERHEAD = 12
"""Added to a statement's tokens when it is ranked, else the shortest would always win."""
_ROUNDS = 8


class _Job(NamedTuple):
    """One report to condense, prepared once for all rounds."""

    parts: list[Statement]
    weights: dict[str, float]
    decision: str
    tail: str


def condense(
    report: str, limit: int = 500, count: Counter | None = None, report_path: str = "", known: str = ""
) -> str:
    """At most `limit` tokens that stand for `report`, ending with the path of the whole."""
    rich = len(names(report))
    counted, estimated = next((by_count, by_guess) for least, by_count, by_guess in MARGINS if rich >= least)

    def size(text: str) -> int:
        return int(count(text) * counted) if count else int(tokens.estimate(text) * estimated)

    tail = _tail(report_path, limit, size)
    source = _source(report)
    if not source.strip():
        return tail or "(The report is empty.)"
    whole = _join(source.strip(), tail)
    if tokens.rough(len(whole)) <= 2 * limit and size(whole) <= limit:
        return whole
    parts = [_shorter(part) for part in statements(source)]
    job = _Job(parts, term_weights.weights(source, parts, known), _decision(source), tail)
    return _fit(job, source, limit, size)


def _tail(report_path: str, limit: int, size: Counter) -> str:
    """The path's line, unless it alone would eat most of the budget."""
    line = f"Full report: {report_path}" if report_path else ""
    return line if line and size(line) <= limit * 0.6 else ""


def _source(report: str) -> str:
    """What of the report counts: a structured one without its findings, which stay in the archive."""
    parsed = model.parse(report)
    if parsed.form == "prose":
        return report
    return model.render(parsed.handoff, rest=parsed.rest)


def _join(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _shorter(part: Statement) -> Statement:
    if len(part.text) <= _SENTENCE_CHARS:
        return part
    text = clip(part.text, _SENTENCE_CHARS)
    return part._replace(text=text, names=tuple(name for name in part.names if name in text))


def _decision(source: str) -> str:
    """ "Decision: STOP, Verdict: REQUEST CHANGES", or "" when the report states none."""
    found = verdict.decide(source)
    if not found.stated:
        return ""
    words = " ".join(found.words.replace("*", "").replace("`", "").replace("#", "").split()).strip("- ")
    words = _SAID_TWICE.sub("", words, count=1)
    return f"Decision: {found.name}, {clip(words, 280)}" if words else f"Decision: {found.name}"


_SAID_TWICE = re.compile(r"^(?:decision\b\W*)*(?:(?:PROCEED|STOP|CLARIFY)\b\W*)?", re.IGNORECASE)


def _fit(job: _Job, source: str, limit: int, size: Counter) -> str:
    """Compose with a budget, measure, and close in on the largest budget whose text fits."""
    low, high, budget, best = 0.0, 0.0, float(limit), ""
    for _ in range(_ROUNDS):
        text = _compose(job, budget)
        measured = size(text)
        if measured <= limit:
            low, best = budget, max(best, text if text != job.tail else "", key=len)
            if measured >= 0.98 * limit:
                break
        else:
            high = budget
        aimed = budget * limit / max(1, measured)
        budget = (low + high) / 2 if low and high else min(aimed * (1.01 if low else 0.99), 3.0 * limit)
    return best or _cut(job.tail, source, limit, size)


def _cut(tail: str, source: str, limit: int, size: Counter) -> str:
    """The longest beginning that fits: the last resort for text that is no sentences at all."""
    low, high = 0, min(len(source), 8 * limit)
    while low < high:
        middle = (low + high + 1) // 2
        fits = size(_join(source[:middle].strip() + "…", tail)) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return _join(source[:low].strip() + "…" if low else "", tail)


def _compose(job: _Job, budget: float) -> str:
    page = layout.Page()
    left = budget - layout.FRAME - layout.estimate(job.tail)
    if job.decision:
        page.decision = job.decision
        left -= layout.estimate(job.decision) + 1
    for kind, share in SHARES:
        left -= _choose(page, job, kind, min(left, max(share * budget, AT_LEAST)))
    left -= _choose_files(page, job, min(left, FILES_SHARE * budget))
    wanted = sum(layout.estimate(name) for name in job.weights if _worthy(name, page, job))
    left -= _choose(page, job, "severe", left - wanted)
    left -= _choose(page, job, "error", (left - wanted) / 2)
    left -= _choose(page, job, "finding", max(left - wanted, SENTENCES * budget))
    left -= _choose_names(page, job, left)
    for kind in ("severe", "error", "finding", "constraint", "praise"):
        left -= _choose(page, job, kind, left)
    return _join(page.text(), job.tail)


def _worthy(name: str, page: layout.Page, job: _Job) -> bool:
    return name not in page.covered and job.weights[name] >= WORTHY


def _choose(page: layout.Page, job: _Job, kind: str, room: float) -> float:
    """Take statements of a kind, best value for their tokens first; returns the tokens spent.

    What is covered only grows, so a value read earlier is an upper bound: the heap looks again only at its top.
    """

    def rank(part: Statement) -> float:
        return -term_weights.value(part, job.weights, page.covered) / (page.cost(part) + _OVERHEAD)

    spent = 0.0
    heap = [(rank(part), part.order, part) for part in job.parts if part.kind == kind and not page.holds(part)]
    heapq.heapify(heap)
    while heap and spent + _CHEAPEST <= room:
        _, order, part = heapq.heappop(heap)
        now = rank(part)
        if heap and now > heap[0][0]:
            heapq.heappush(heap, (now, order, part))
            continue
        cost = page.cost(part)
        if (
            spent + cost <= room
            and not page.holds(part)
            and term_weights.value(part, job.weights, page.covered) >= _SAYS_SOMETHING
        ):
            page.add(part)
            spent += cost
    return spent


def _choose_files(page: layout.Page, job: _Job, room: float) -> float:
    spent = 0.0
    paths = [name for name in job.weights if "." in name and _worthy(name, page, job)]
    for path in sorted(paths, key=lambda name: -job.weights[name] / page.file_cost(name)):
        cost = page.file_cost(path)
        if spent + cost <= room and path not in page.covered:
            page.add_file(path)
            spent += cost
    return spent


def _choose_names(page: layout.Page, job: _Job, room: float) -> float:
    """List worthy names, likeliest per token first, in their sections where those have a line."""
    homes, spent = _homes(job.parts), 0.0
    loose: dict[str, list[str]] = {}
    rest = [name for name in homes if _worthy(name, page, job)]
    for name in sorted(rest, key=lambda n: -job.weights[n] / layout.estimate(n)):
        cost = layout.estimate(name)
        if spent + cost > room:
            continue
        spent += cost
        home = page.shown(homes[name])
        if home:
            page.add_name(name, home)
            continue
        group = loose.setdefault(homes[name][0], [])
        group.append(name)
        title = layout.title_cost(homes[name][0])
        if len(group) == GROUP and homes[name][0].strip() and spent + title <= room:
            spent += title
            for member in loose.pop(homes[name][0]):
                page.add_name(member, homes[name][0])
    for group in loose.values():
        for name in group:
            page.add_name(name, layout.LOOSE)
    page.arrange({name: place for place, name in enumerate(homes)})
    return spent


def _homes(parts: list[Statement]) -> dict[str, list[str]]:
    """The sections in which each name stands."""
    homes: dict[str, list[str]] = {}
    for part in parts:
        for name in part.names:
            homes.setdefault(name, []).append(part.heading)
    return homes
