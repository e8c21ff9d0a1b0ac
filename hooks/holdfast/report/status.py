"""Where a session stands, gathered for `holdfast status` and the skills. Reads only."""

import os
from collections.abc import Mapping
from typing import Any

from holdfast.checkpoint import hooks as checkpoints
from holdfast.compaction import hooks as compaction
from holdfast.compaction import instructions
from holdfast.compaction.schema import whole
from holdfast.gauge import advice, pressure
from holdfast.gauge import hooks as gauge
from holdfast.gauge.pressure import left, use
from holdfast.gauge.suggest import WindowUse
from holdfast.handoff import orchestrator
from holdfast.hot.paths import InSession
from holdfast.ledger import hooks as ledger
from holdfast.memory import hooks as memory
from holdfast.report import breakdown
from holdfast.report.schema import Digests, Handoffs, SavedCheckpoint, SessionStatus
from holdfast.session import worklog
from holdfast.session.context import PROGRAM, Session, in_folder
from holdfast.session.event import from_fields
from holdfast.text.lines import age, counted, one_line
from holdfast.text.tokens import rough

SHOWN = "below 0: of a result above 30,000 characters the client alone shows 2 KB, a digest tells more"
"""Why a digest may have more tokens than what it stands for."""


def gather(state: str, folder: str, now: float) -> SessionStatus:
    """Where the session stands whose files are in `folder`. now: epoch seconds."""
    session = in_folder(state, folder, now)
    values = session.config
    transcript = str(session.read(InSession.LAST).get("transcript") or "")
    event = from_fields({"transcript_path": transcript, "session_id": os.path.basename(folder)}, "Stop")
    reading = gauge.read(event, session, by_hooks=True)
    own, history = os.path.basename(folder), list(whole(compaction.log(state)))
    history = [one for one in history if one.session == own] or history
    bill = breakdown.account(transcript, reading.limit, values["pressure.preset"])
    share = reading.tokens / reading.limit if reading.limit else None
    parts = [one.model_dump() for one in bill.components]
    return SessionStatus(
        **dict(bill),
        session=own,
        zone=reading.zone,
        advice=pressure.advice(reading.zone, values["pressure.preset"]),
        used=reading.tokens or None,
        limit=reading.limit or None,
        limit_source=reading.source,
        turns_left=reading.turns_left,
        tokens_per_turn=round(reading.per_turn) or None,
        todo=[*_unknown(reading), *advice.advice(share, parts, bill.last_turn_spiked)],
        calls=session.call,
        next_step=gauge.next_step(session, reading),
        handoffs=Handoffs(**orchestrator.state_of(session)["kept_out"]),
        digests=digests(folder),
        budgets={"handoff": values["handoff.limit"], "digest": values["digest.tokens"]},
        last_checkpoint=_checkpoint(session),
        last_compaction=history[-1].model_dump(exclude_none=True) if history else None,
        compact_line=instructions.compact_line(worklog.fold(event, session, write=False), *memory.standing(session)),
        problems=session.problems,
    )


def _unknown(reading: WindowUse) -> list[str]:
    """What to do where the limit is not known: the model has two sizes, or a name that nobody here knows."""
    model = one_line(reading.model, 60) or "its model"
    todo = f"`{PROGRAM} config set window.limit 167000`"
    told = f"say at how many tokens the client compacts, {model} does not tell: {todo}"
    return [f"{told} for a window of 200K, 967000 for 1M"] if reading.tokens and not reading.limit else []


def digests(folder: str) -> Digests:
    """Tool results that became digests, and their characters before and after."""
    rows = ledger.digests(folder)
    sizes: dict[str, int] = {}
    for place, name in enumerate(("before", "after")):
        sizes[f"characters_{name}"] = sum(row[place] for row in rows)
        sizes[f"tokens_{name}"] = sum(rough(row[place]) for row in rows)
    return Digests(count=len(rows), **sizes)


def _checkpoint(session: Session) -> SavedCheckpoint | None:
    if not (saved := checkpoints.newest(session)):
        return None
    return SavedCheckpoint(
        number=saved["number"],
        time=saved["stamp"],
        age_seconds=round(session.now - saved["time"]),
        reason=saved["reason"],
        path=checkpoints.page_path(session, saved),
    )


def lines(facts: SessionStatus) -> list[tuple[str, str]]:
    """The same for a reader, as (label, text)."""
    kept, cut, saved, last = facts.handoffs, facts.digests, facts.last_checkpoint, facts.last_compaction
    more = f": {SHOWN}" if cut.tokens_after > cut.tokens_before else ""
    returned = f", {kept.tokens_before:,} → {kept.tokens_after:,} tokens"
    digested = f", {cut.tokens_before:,} tokens as the client shows them → {cut.tokens_after:,}{more}"
    limit = f", limit from {facts.limit_source}" if facts.limit_source else ""
    spiked = ", the last turn far above" * facts.last_turn_spiked
    mean = f"the window grew by {facts.tokens_per_turn or 0:,} tokens a turn, the mean of the last turns{spiked}"
    rate = "; ".join(filter(None, (mean, left(facts.turns_left)))) if facts.tokens_per_turn else ""
    last_saved = f"{saved.number:04d}, {age(saved.age_seconds)} ago ({saved.reason}): {saved.path}" if saved else ""
    is_own = not last or last.get("session", "") in ("", facts.session)
    compacted = ("" if is_own else "none yet; last in this project: ") + (compaction_line(last) if last else "none yet")
    step = f"; outside the green zone a suggestion comes by call {facts.next_step:,}" if facts.next_step else ""
    return [
        ("session", facts.session[:8]),
        ("zone", f"{facts.zone}: {facts.advice}"),
        ("window", use(facts.used or 0, facts.limit or 0) + limit),
        ("rate", rate or "known once three prompts of yours were answered in this window"),
        *(("part", breakdown.told(one)) for one in facts.components),
        *(("to do", line) for line in facts.todo),
        ("calls", f"{counted(facts.calls, 'tool call')}{step}"),
        ("handoffs", f"{counted(kept.returns, 'return')}{returned}" if kept.returns else "none yet"),
        ("digests", f"{counted(cut.count, 'result')}{digested}" if cut.count else "none yet"),
        ("checkpoint", last_saved or "none yet"),
        ("compaction", compacted),
        ("to compact", facts.compact_line),
        *(("problem", problem) for problem in facts.problems),
    ]


def compaction_line(last: Mapping[str, Any]) -> str:
    """When, how large before and after, and what became of the facts that were compared, as the log counts them."""
    after = last.get("tokens_after")
    seen = "a summary of " * (last.get("after_source") == "summary")  # the window after it was not seen
    told = f"{last['tokens_before']:,} → {'unknown' if after is None else f'{seen}{after:,}'} tokens"
    said = f"{last['time']}, {last['trigger']}, {told}"
    own, facts, must = (last.get(name) for name in ("facts_in_summary", "facts", "must"))
    if isinstance(own, dict):
        said += f"; facts in the summary: {own.get('retained', 0)} of {sum(own.values())}"
    if isinstance(facts, dict):
        counts = ", ".join(f"{count} {verdict}" for verdict, count in facts.items() if count)
        said += f"; {'with what was put back' if own else 'facts'}: {counts or 'none'}"
    if isinstance(must, dict):
        said += f"; of what must stay: {must.get('held', 0) + must.get('on_page', 0)} of {must.get('items', 0)} kept"
    return said
