"""Checkpoints and the progress log as hooks save them."""

import contextlib
import os
from typing import Any

from holdfast.checkpoint import model as checkpoint
from holdfast.checkpoint import page, progress, store
from holdfast.checkpoint.environment import environment
from holdfast.gauge.hooks import Reading
from holdfast.handoff import orchestrator
from holdfast.hot import call_log, paths, provenance
from holdfast.session.context import Session, stamp
from holdfast.text.lines import one_line


def save(
    session: Session, work: dict[str, Any], reading: Reading, reason: str, note: str | None = None
) -> dict[str, Any]:
    """Store a checkpoint of the work as it stands and give it back. Raises OSError.

    note: what is to stand first in it. None takes over the note of the one before; "" lets it go.
    """
    folder, name = session.path(paths.CHECKPOINTS), os.path.basename(session.folder)
    agents = orchestrator.load(session.read(paths.ORCHESTRATOR))
    kept = checkpoint.carried(store.newest(folder)) if note is None else {}
    data = {
        "time": session.now,
        "stamp": stamp(session.now),
        "session": name,
        "made": provenance.marked(session.folder),
        "reason": reason,
        "note": {"text": note, "time": session.now} if note else kept,
        "calls": call_log.count(session.path(paths.CALLS)),
        "tokens": reading.tokens,
        "limit": reading.limit,
        "environment": environment(session, work),
        **checkpoint.contents(work, agents, name),
    }
    return store.save(folder, data, lambda saved: page.readable(saved, work["notes"]))


def log_progress(session: Session, saved: dict[str, Any], work: dict[str, Any], reason: str) -> None:
    """One entry of the progress log: what was reached, the evidence, what is open, what comes next.

    Where it cannot be written (a link, a full disk) the checkpoint stands without.
    """
    last = work["tests"][-1] if work["tests"] else None
    tasks = checkpoint.tasks(work)
    following = [*tasks["in_progress"], *tasks["planned"]]
    evidence = work["commits"][-1] if reason == "commit" else f"{last['command']}: {last['end']}" if last else ""
    with contextlib.suppress(OSError):
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
