"""Where a session stands, gathered for `holdfast status` and the skills. Reads only."""

import os
from typing import Any

from holdfast.checkpoint import store as checkpoints
from holdfast.compaction import instructions
from holdfast.compaction import store as compactions
from holdfast.config import load
from holdfast.gauge import advice, pressure
from holdfast.gauge import hooks as gauge
from holdfast.gauge.pressure import left, use
from holdfast.handoff import orchestrator
from holdfast.hot import call_log, paths
from holdfast.hot.files import names_in, read_text
from holdfast.report import breakdown
from holdfast.session.context import Session
from holdfast.session.event import from_fields
from holdfast.worklog import fold


def newest_session(state: str) -> str:
    """Folder of the session that was active last; "" when there is none."""
    folders = [f"{state}/sessions/{name}" for name in names_in(f"{state}/sessions")]
    alive = [folder for folder in folders if os.path.exists(f"{folder}/{paths.CALLS}")]
    return max(alive, key=lambda folder: os.path.getmtime(f"{folder}/{paths.CALLS}"), default="")


def session_at(state: str, folder: str, now: float) -> Session:
    """The session whose files are in `folder`, as a handler would have it."""
    values, problems = load.load(state, dict(os.environ))
    made = call_log.count(f"{folder}/{paths.CALLS}")
    return Session(state, folder, paths.project_folder(), values, problems, now, made)


def gather(state: str, folder: str, now: float) -> dict[str, Any]:
    """The contract of `holdfast status --json`."""
    session = session_at(state, folder, now)
    values, problems, made = session.config, session.problems, session.call
    transcript = str(session.read(paths.LAST).get("transcript") or "")
    event = from_fields({"transcript_path": transcript, "session_id": os.path.basename(folder)}, "Stop")
    reading = gauge.read(event, session)
    saved = checkpoints.newest(session.path(paths.CHECKPOINTS))
    agents = orchestrator.load(session.read(paths.ORCHESTRATOR))
    history = compactions.load(f"{state}/{paths.COMPACTIONS}")
    bill = breakdown.account(transcript, reading.limit, values["pressure.preset"])
    share = reading.tokens / reading.limit if reading.limit else None
    return {
        "session": os.path.basename(folder),
        "zone": reading.zone,
        "advice": pressure.advice(reading.zone, values["pressure.preset"]),
        "used": reading.tokens or None,
        "limit": reading.limit or None,
        "limit_source": reading.source,
        "turns_left": reading.turns_left,
        "tokens_per_turn": round(reading.per_turn) or None,
        **bill,
        "todo": advice.advice(share, bill["components"], bill["last_turn_spiked"]),
        "calls": made,
        "handoffs": agents["kept_out"],
        "digests": digests(session),
        "budgets": {"handoff": values["handoff.limit"], "digest": values["digest.tokens"]},
        "last_checkpoint": _brief(saved, session),
        "last_compaction": history[-1] if history else None,
        "compact_line": instructions.compact_line(fold.load(session.read(paths.STATE))),
        "problems": problems,
    }


def digests(session: Session) -> dict[str, int]:
    """Tool results that became digests, and their characters before and after."""
    rows = [line.split() for line in read_text(session.path(paths.SAVED)).splitlines()]
    whole = [row for row in rows if len(row) == 3 and row[1].isdigit() and row[2].isdigit()]
    return {
        "count": len(whole),
        "characters_before": sum(int(row[1]) for row in whole),
        "characters_after": sum(int(row[2]) for row in whole),
    }


def _brief(saved: dict[str, Any], session: Session) -> dict[str, Any] | None:
    if not saved:
        return None
    return {
        "number": saved["number"],
        "time": saved["stamp"],
        "age_seconds": round(session.now - float(saved["time"])),
        "reason": saved["reason"],
        "path": checkpoints.readable_path(session.path(paths.CHECKPOINTS), saved),
    }


def lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The same for a reader, as (label, text)."""
    kept, cut, saved = facts["handoffs"], facts["digests"], facts["last_checkpoint"]
    last = facts["last_compaction"]
    rows = [
        ("zone", f"{facts['zone']}: {facts['advice']}"),
        (
            "used",
            use(facts["used"] or 0, facts["limit"] or 0)
            + (f", limit from {facts['limit_source']}" if facts["limit"] else ""),
        ),
        (
            "rate",
            f"{facts['tokens_per_turn']} tokens a turn, {left(facts['turns_left'])}"
            if facts["tokens_per_turn"]
            else "not known yet",
        ),
        *breakdown.lines(facts),
        *(("to do", line) for line in facts["todo"]),
        ("calls", str(facts["calls"])),
        ("handoffs", f"{kept['returns']} returns, {kept['tokens_before']} -> {kept['tokens_after']} tokens"),
        (
            "digests",
            f"{cut['count']} results, {cut['characters_before']:,} -> {cut['characters_after']:,} chars",
        ),
        (
            "checkpoint",
            f"{saved['number']:04d}, {saved['age_seconds'] // 60} min ago ({saved['reason']}): {saved['path']}"
            if saved
            else "none yet",
        ),
        ("compaction", _compaction(last) if last else "none yet"),
        ("to compact", facts["compact_line"]),
    ]
    return rows + [("problem", problem) for problem in facts["problems"]]


def _compaction(last: dict[str, Any]) -> str:
    """When, how large before and after, and what became of the critical facts where they were compared."""
    said = f"{last['time']}, {last['trigger']}, {last['tokens_before']} -> {last.get('tokens_after')} tokens"
    facts = last.get("facts")
    if not isinstance(facts, dict):
        return said
    wrong = facts.get("altered", 0) + facts.get("stale", 0)
    counts = f"{facts.get('retained', 0)} facts retained, {facts.get('recoverable', 0)} recoverable"
    return f"{said}; {counts}, {wrong} altered, {facts.get('missing', 0)} missing{_must_stay(last.get('must'))}"


def _must_stay(found: Any) -> str:
    """What became of the facts that no compaction may lose; "" in records of before they were counted."""
    if not isinstance(found, dict):
        return ""
    page = f", {found['on_page']} on the checkpoint's page" if found["on_page"] else ""
    return f"; of {found['items']} that must stay {found['held']} held{page}"
