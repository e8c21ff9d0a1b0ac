"""Stop: fold the turn into the session's state; checkpoint and progress entry at milestones."""

from typing import Any

from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.policy import checkpoint, worklog
from holdfast.policy.keep import one_line
from holdfast.runtime import compacting, upkeep
from holdfast.runtime.session import Session
from holdfast.store import checkpoints, paths, progress


def handle(event: Event, session: Session) -> Reply:
    """Says nothing; what it learns stands in the session's files."""
    if event.in_subagent:
        return NOTHING
    work = upkeep.fold(event, session)
    work["said"] = event.text("last_assistant_message")[:1200] or work["said"]  # the transcript may lack it yet
    compacting.settle(session, work)
    reading = upkeep.gauge(event, session)
    before = checkpoints.newest(session.path(paths.CHECKPOINTS))
    reason = checkpoint.milestone(before, work, session.read(paths.ORCHESTRATOR))
    if not reason and checkpoint.crossed(before, reading.tokens, reading.limit):
        reason = "context over 85 %"
    if reason:
        saved = upkeep.save_checkpoint(session, work, reading, reason)
        _log(session, saved, work, reason)
    session.write(
        paths.LAST,
        {
            "time": session.now,
            "transcript": event.transcript_path,
            "environment": upkeep.environment(session, work),
        },
    )
    upkeep.compile_gate(session, reading)
    return NOTHING


def _log(session: Session, saved: dict[str, Any], work: dict[str, Any], reason: str) -> None:
    """One entry of the progress log: what was reached, the evidence, what is open, what comes next."""
    last = work["tests"][-1] if work["tests"] else None
    following = [item["text"] for item in worklog.plan(work) if item["status"] != "completed"]
    evidence = work["commits"][-1] if reason == "commit" else f"{last['command']}: {last['end']}" if last else ""
    progress.add(
        f"{session.state}/{paths.PROGRESS}",
        saved["stamp"],
        reason,
        [
            ("task", one_line(work["goal"], 160)),
            ("changed", ", ".join(path.rsplit("/", 1)[-1] for path in work["changed"][-8:])),
            ("evidence", one_line(evidence, 200)),
            ("open", "; ".join(one_line(error["what"], 120) for error in work["errors"][-2:])),
            ("next", one_line("; ".join(following[:2]), 200)),
            ("checkpoint", f"{saved['number']:04d} of session {saved['session']}"),
        ],
    )
