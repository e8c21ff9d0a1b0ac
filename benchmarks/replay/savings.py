"""What the pack would have saved on recorded sessions.

Handoffs: of every report over the limit the outline is made, as the hooks do it when the agent never complies, and
compared with what the parent used afterwards. Results: what the hook makes of each that succeeded, by its own log, so
that these are the figures that `holdfast status` would have had. Calls before the
limit: a window grew from its first to its last recorded usage over so many calls; with what was saved in it taken off,
the same growth carries more calls. Only windows that a compaction ended count.
"""

import itertools
import os
import tempfile
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from benchmarks.replay.sessions import Report, Result, Session
from holdfast.config import load
from holdfast.digest.hooks import digested_output
from holdfast.handoff.outline import outline
from holdfast.hot import jsonc
from holdfast.hot.files import append
from holdfast.hot.paths import InSession
from holdfast.hot.thresholds import CHARS_PER_TOKEN
from holdfast.report import status
from holdfast.text import identifiers, tokens
from holdfast.transcript import tool_output

Counter = Callable[[str], int]
Reduce = Callable[[Result], str]
"""A tool result -> what stands in its place, "" to leave it."""

REPORT_PATH = ".claude/holdfast/sessions/00000000-0000-4000-8000-000000000000/handoffs/a0000000000000000.report.md"
"""As long as the real one, so that its tokens are counted in."""
OURS = "[Holdfast"
"""What stands in the place of a result's text, or of a report, begins with it: the recording was made with the pack."""
MOST_SAVED = 0.9
"""No window is believed to shrink by more than this: its text is not the only thing in it."""


class Options(NamedTuple):
    """How to replay."""

    limit: int = 500
    counter: Counter | None = None
    report_path: str = REPORT_PATH


class Recall(NamedTuple):
    """Names of a report that the parent used afterwards, and how many of them it would still have had."""

    used: int = 0
    kept: int = 0
    used_only_here: int = 0
    kept_only_here: int = 0


class Outcome(NamedTuple):
    """One report before and after."""

    before: int
    after: int
    saved: int
    recall: Recall
    over: tuple[bool, bool] = (False, False)
    """The limit: before, after."""
    is_ours: bool = False
    """It was recorded as an outline."""


DEFAULTS = Options()


def replay(sessions: Iterable[Session], options: Options = DEFAULTS, reduce: Reduce | None = None) -> dict[str, Any]:
    """The figures of `holdfast replay --json`."""
    outcomes: list[Outcome] = []
    results = {"count": 0, "already": 0, "digested": 0, "tokens_before": 0, "tokens_after": 0}
    totals = {"grown": 0.0, "saved": 0.0, "before": 0.0, "after": 0.0, "windows": 0.0}
    for session in sessions:
        saved = [0.0] * len(session.windows)
        for window, report in session.reports:
            outcome = hand_off(report, options, tokens.family(session.model))
            outcomes.append(outcome)
            saved[window] += outcome.saved
        with tempfile.TemporaryDirectory() as folder:
            _reduce_results(session, reduce or as_hooked(folder), saved)
            made = status.digests(os.path.join(folder, "s"))
        already = sum(map(_is_ours, session.results))
        sums = (len(session.results), already, made.count, made.tokens_before, made.tokens_after)
        results = {name: one + more for (name, one), more in zip(results.items(), sums, strict=True)}
        _windows(session, saved, totals)
    return {
        "handoffs": _handoffs(outcomes),
        "results": results,
        "calls_before_limit": {
            "windows": int(totals["windows"]),
            "before": round(totals["before"] / max(1, totals["windows"]), 1),
            "after": round(totals["after"] / max(1, totals["windows"]), 1),
        },
        "saved_share": round(totals["saved"] / max(1, totals["grown"]), 4),
    }


def _is_ours(result: Result) -> bool:
    return any(text.startswith(OURS) for _, text in tool_output.text_fields(result.tool, result.response))


def hand_off(report: Report, options: Options, family: str) -> Outcome:
    """One report as the hooks would hand it on."""
    text, size = report.text, options.counter or tokens.estimate
    if size(text) > options.limit:
        text = outline(report.text, options.limit, options.counter, options.report_path)
    saved = tokens.estimate(report.text, family) - tokens.estimate(text, family)
    over, is_ours = (size(report.text) > options.limit, size(text) > options.limit), report.text.startswith(OURS)
    sizes = tokens.estimate(report.text), tokens.estimate(text), max(0, saved)
    return Outcome(*sizes, recall(report, text), over, is_ours)


def recall(report: Report, handed: str) -> Recall:
    """Paths (by their basename) and identifiers of the report: used afterwards, and still to be had."""
    used = kept = only = kept_only = 0
    names = [
        *identifiers.identifiers(report.text),
        *dict.fromkeys(map(identifiers.basename, identifiers.paths(report.text))),
    ]
    for name in names:
        if not identifiers.occurs(name, report.used):
            continue
        held, had = identifiers.occurs(name, handed), identifiers.occurs(name, report.had)
        used, kept = used + 1, kept + (held or had)
        only, kept_only = only + (not had), kept_only + (held and not had)
    return Recall(used, kept, only, kept_only)


def _handoffs(outcomes: list[Outcome]) -> dict[str, Any]:
    sums = [sum(column) for column in zip(*(outcome.recall for outcome in outcomes), strict=True)] or [0, 0, 0, 0]
    return {
        "count": len(outcomes),
        "already": sum(outcome.is_ours for outcome in outcomes),
        "tokens_before": sum(outcome.before for outcome in outcomes),
        "tokens_after": sum(outcome.after for outcome in outcomes),
        "over_limit_before": sum(outcome.over[0] for outcome in outcomes),
        "over_limit_after": sum(outcome.over[1] for outcome in outcomes),
        "largest_after": max((outcome.after for outcome in outcomes), default=0),
        "names_used_afterwards": sums[0],
        "recall": _share(sums[1], sums[0]),
        "names_only_the_report_held": sums[2],
        "recall_only_the_report_held": _share(sums[3], sums[2]),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def as_hooked(folder: str) -> Reduce:
    """What PostToolUse puts in a result's place with the default settings. folder: an empty one for each session."""
    settings, session = load.defaults(), os.path.join(folder, "s")
    digest_tokens, tools = settings["digest.tokens"], settings["digest.tools"]
    limits: Any = {
        "digest_tokens": digest_tokens,
        "digest_bytes": digest_tokens * CHARS_PER_TOKEN,
        "digest_tools": tools,
        "digest_repeats": settings["digest.duplicates"],
    }
    for name in (InSession.ARCHIVE, InSession.SEEN):
        os.makedirs(os.path.join(session, name))

    calls = itertools.count(1)

    def reduce(result: Result) -> str:
        call, transcript = next(calls), os.path.join(folder, f"{result.window}.jsonl")
        told = {"tool_name": result.tool, "tool_input": result.inputs, "tool_response": result.response}
        told |= {"cwd": result.cwd or folder, "transcript_path": transcript, "tool_use_id": f"call-{call}"}
        output = None if result.response is None else digested_output(told, session, limits)
        row = {"uuid": str(call), "parentUuid": str(call - 1), "id": f"call-{call}", "text": result.text}
        append(transcript, jsonc.dumps(row) + "\n")  # where the next looks whether a result still stands above
        return "\n".join(text for _, text in tool_output.joined_fields(result.tool, output)) if output else ""

    return reduce


def _reduce_results(session: Session, reduce: Reduce, saved: list[float]) -> None:
    family = tokens.family(session.model)
    for result in session.results:
        if short := reduce(result):
            saved[result.window] += max(0, tokens.estimate(result.text, family) - tokens.estimate(short, family))


def _windows(session: Session, saved: list[float], totals: dict[str, float]) -> None:
    for window, removed in zip(session.windows, saved, strict=True):
        if window.grown <= 0:
            continue
        freed = min(removed, MOST_SAVED * window.grown)
        totals["grown"] += window.grown
        totals["saved"] += freed
        if window.compacted and window.calls:
            totals["windows"] += 1
            totals["before"] += window.calls
            totals["after"] += window.calls * window.grown / (window.grown - freed)
