"""The receipt of a session: what the pack put into the window, what it kept out, and what its hooks took.

Read from what the hooks left: `hook.log`, `saved.log`, `calls.log`, and the usage that was folded from the transcript.
What stands in it adds up to the session's figures of `holdfast stats`, which are made of the same.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.compaction import hooks as compaction
from holdfast.handoff import orchestrator
from holdfast.hot.paths import InSession
from holdfast.ledger import hooks as ledger
from holdfast.ledger.model import total
from holdfast.report import status
from holdfast.report.schema import HookCost, SessionReceipt, Sum
from holdfast.report.stats import HOT_MS
from holdfast.session import hook_log
from holdfast.session.context import Session
from holdfast.text.lines import counted
from holdfast.text.tokens import rough
from holdfast.worklog import model as worklog

WHAT = {  # event and kind -> what it put in
    ("SessionStart", "compact"): "packet after a compaction",
    ("SessionStart", "resume"): "restore at a resume",
    ("SessionStart", ""): "told at a start",
    ("SubagentStart", ""): "handoff protocol, into sub-agents",
    ("SubagentStop", ""): "requests to cut a report, into sub-agents",
    ("UserPromptSubmit", ""): "corrections and notes with prompts",
    ("PostToolUse", ""): "corrections with tool results",
}


def gather(session: Session) -> SessionReceipt:
    """Of the session whose files these are."""
    entries, own = hook_log.load(session.folder), os.path.basename(session.folder)
    work = worklog.load(session.read(InSession.STATE))
    sums = ledger.figures(session.state, session.folder, work)
    return SessionReceipt(
        session=own,
        injected=_injected(entries, session),
        steering=_sum("steering of the summariser", [entry.plain for entry in entries if entry.plain]),
        kept_out=_kept_out(session),
        hooks=_hooks(entries),
        extra_requests=sums.get("send_backs", 0),
        hot_runs=sums.get("hot_runs", 0),
        compactions=sum(row.get("session") == own for row in compaction.log(session.state)),
        usage=_usage(work["spent"].values()),
    )


def _sum(what: str, sizes: list[int]) -> Sum:
    return Sum(what=what, times=len(sizes), characters=sum(sizes), tokens=sum(map(rough, sizes)))


def _injected(entries: list[hook_log.HookRun], session: Session) -> list[Sum]:
    """What was given to the model, by kind."""
    sizes = defaultdict[str, list[int]](list)
    if briefed := list(filter(None, ledger.protocols(session.folder, entries))):
        sizes[WHAT["SubagentStart", ""]] = briefed
    for entry in filter(lambda one: one.context, entries):
        what = WHAT.get((entry.event, entry.kind)) or WHAT.get((entry.event, "")) or entry.event
        sizes[what].append(entry.context)
    return [_sum(what, sizes[what]) for what in sorted(sizes)]


def _kept_out(session: Session) -> dict[str, dict[str, int]]:
    reports = orchestrator.state_of(session)["kept_out"]
    digests = status.digests(session.folder)
    return {
        "handoffs": {**reports, "tokens_kept_out": reports["tokens_before"] - reports["tokens_after"]},
        "digests": {**digests.model_dump(), "tokens_kept_out": digests.tokens_before - digests.tokens_after},
    }


def _hooks(entries: list[hook_log.HookRun]) -> list[HookCost]:
    taken = defaultdict[str, list[float]](list)
    for entry in entries:
        taken[entry.event].append(entry.ms)
    return [HookCost(event=name, runs=len(taken[name]), ms=round(sum(taken[name]), 1)) for name in sorted(taken)]


def _usage(spent: Iterable[Mapping[str, Any]]) -> dict[str, int] | None:
    sums = total({**one} for one in spent)
    written = sums.get("cache_5m", 0) + sums.get("cache_1h", 0)
    told = {name: sums.get(name, 0) for name in ("input", "cache_read", "output")}
    return {"messages": sums["answers"], **told, "cache_written": written} if sums else None


def lines(facts: SessionReceipt) -> list[tuple[str, str]]:
    """The same for a reader, as (label, text)."""
    told = facts.steering
    handoffs, digests = facts.kept_out["handoffs"], facts.kept_out["digests"]
    kept_out = handoffs["tokens_kept_out"] + digests["tokens_kept_out"]
    more = f" ({status.SHOWN})" if digests["tokens_kept_out"] < 0 else ""
    steered = f"told what to keep {counted(told.times, 'time')}, {told.tokens:,} tokens"
    asked, hot_ms, reports = facts.extra_requests, facts.hot_runs * HOT_MS, counted(handoffs["returns"], "report")
    rows = [
        *(("put in", f"{one.what}: {counted(one.times, 'time')}, {one.tokens:,} tokens") for one in facts.injected),
        ("put in", f"together: {sum(one.tokens for one in facts.injected):,} tokens"),
        *([("requests", f"{asked} extra, for sub-agents to cut their reports")] * bool(asked)),
        *([("summariser", steered)] * bool(told.times)),
        ("kept out", f"of {reports} of sub-agents: {handoffs['tokens_kept_out']:,} tokens"),
        ("kept out", f"of {counted(digests['count'], 'tool result')}: {digests['tokens_kept_out']:,} tokens{more}"),
        ("kept out", f"together: {kept_out:,} tokens"),
        *(("hooks", f"{one.event}: {counted(one.runs, 'run')}, {one.ms:,.0f} ms") for one in facts.hooks),
        ("hooks", f"short runs: {facts.hot_runs:,}, not timed, about {hot_ms:,} ms ({HOT_MS} ms each)"),
        ("hooks", f"together: {(sum(one.ms for one in facts.hooks) + hot_ms) / 1000:,.0f} s"),
        ("compactions", str(facts.compactions)),
    ]
    if usage := facts.usage:
        said = (
            "{messages:,} answers, without sub-agents and summariser: {input:,} tokens in, "
            "{cache_read:,} read from the cache, {cache_written:,} written to it, {output:,} out"
        )
        rows.append(("usage", said.format(**usage)))
    return rows
