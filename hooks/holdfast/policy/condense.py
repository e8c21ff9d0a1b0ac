"""What may a parent read of a report that is too long?

Rule (B3): at most `limit` tokens, offline, the same at every run. In this order the budget goes to the decision
that the report states, what is still open, constraints, files, findings as sentences under their headings, and
last to the remaining names, put after the sentences of their section. What the parent has anyway (`known`)
counts little, so that the room goes to what only the report holds. The line with the path of the whole report
is part of the budget.

The shares were chosen on one half of the recorded sessions and checked on the other; see `holdfast replay`.
"""

from collections.abc import Callable
from typing import NamedTuple

from holdfast.core import handoff, tokens, verdict
from holdfast.policy import layout, weigh
from holdfast.policy.sections import Statement, statements
from holdfast.policy.wording import clip

Counter = Callable[[str], int]

COUNT_MARGIN = 1.06
"""A counted text may be this much larger in truth; with it no condensed report passed its limit."""
ESTIMATE_MARGIN = 1.10

# share of the budget that a kind may take, in the order of choice
SHARES = (("decision", 0.12), ("error", 0.20), ("constraint", 0.08), ("finding", 0.62))
FILES_SHARE = 0.25
_SENTENCE_CHARS = 260
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
    def size(text: str) -> int:
        return int(count(text) * COUNT_MARGIN) if count else int(tokens.estimate(text) * ESTIMATE_MARGIN)

    tail = _tail(report_path, limit, size)
    source = _source(report)
    if not source.strip():
        return tail or "(The report is empty.)"
    whole = _join(source.strip(), tail)
    if tokens.rough(len(whole)) <= 2 * limit and size(whole) <= limit:
        return whole
    parts = [_shorter(part) for part in statements(source)]
    job = _Job(parts, weigh.weights(source, parts, known), _decision(source), tail)
    return _fit(job, source, limit, size)


def _tail(report_path: str, limit: int, size: Counter) -> str:
    """The path's line, unless it alone would eat most of the budget."""
    line = f"Full report: {report_path}" if report_path else ""
    return line if line and size(line) <= limit * 0.6 else ""


def _source(report: str) -> str:
    """What of the report counts: a structured one without its findings, which stay in the archive."""
    parsed = handoff.parse(report)
    if parsed.form == "prose":
        return report
    return handoff.render(parsed.handoff, rest=parsed.rest)


def _join(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _shorter(part: Statement) -> Statement:
    if len(part.text) <= _SENTENCE_CHARS:
        return part
    text = clip(part.text, _SENTENCE_CHARS)
    return part._replace(text=text, names=tuple(name for name in part.names if name in text))


def _decision(source: str) -> str:
    """"Decision: STOP (Verdict: REQUEST CHANGES)", or "" when the report states none."""
    found = verdict.decide(source)
    if not found.stated:
        return ""
    words = " ".join(found.words.replace("*", "").replace("`", "").replace("#", "").split()).strip("- ")
    if words.upper().strip(" .:") in (found.name, f"DECISION: {found.name}"):
        return f"Decision: {found.name}"
    return f"Decision: {found.name} ({clip(words, 160)})"


def _fit(job: _Job, source: str, limit: int, size: Counter) -> str:
    """Compose with a budget, measure, and adjust the budget until the text just fits."""
    budget, best = float(limit), ""
    for _ in range(_ROUNDS):
        text = _compose(job, budget)
        measured = size(text)
        if measured <= limit and len(text) > len(best):
            best = text
        if measured <= limit and (measured >= 0.97 * limit or budget > 4 * limit):
            break
        budget *= 0.995 * limit / max(1, measured) if measured > limit else (1 + limit / max(1, measured)) / 2
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
    left = budget - layout.FRAME - tokens.estimate(job.tail)
    if job.decision:
        page.decision = job.decision
        left -= tokens.estimate(job.decision) + 1
    for kind, share in SHARES:
        left -= _choose(page, job, kind, min(left, share * budget))
        if kind == "constraint":
            left -= _choose_files(page, job, min(left, FILES_SHARE * budget))
    _choose_names(page, job, left)
    return _join(page.text(), job.tail)


def _choose(page: layout.Page, job: _Job, kind: str, room: float) -> float:
    """Take statements of a kind, best value for their tokens first; returns the tokens spent."""
    spent = 0.0
    waiting = [part for part in job.parts if part.kind == kind and part.text]
    while waiting:
        part = max(waiting, key=lambda p: (weigh.value(p, job.weights, page.covered) / (page.cost(p) + 4), -p.order))
        waiting.remove(part)
        cost = page.cost(part)
        if spent + cost <= room and not page.holds(part):
            page.add(part)
            spent += cost
    return spent


def _choose_files(page: layout.Page, job: _Job, room: float) -> float:
    spent = 0.0
    paths = [name for name in job.weights if "." in name and name not in page.covered]
    for path in sorted(paths, key=lambda name: -job.weights[name]):
        cost = page.file_cost(path)
        if spent + cost <= room:
            page.add_file(path)
            spent += cost
    return spent


def _choose_names(page: layout.Page, job: _Job, room: float) -> None:
    home: dict[str, str] = {}
    for part in job.parts:
        for name in part.names:
            home.setdefault(name, part.heading)
    rest = [name for name in home if name not in page.covered]
    for name in sorted(rest, key=lambda n: -job.weights[n] / (page.name_cost(n, home[n]) + 1)):
        cost = page.name_cost(name, home[name])
        if cost <= room:
            page.add_name(name, home[name])
            room -= cost
