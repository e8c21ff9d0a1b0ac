"""What the hot road needs of a session, made where it is missing and at each start."""

import os

from holdfast.compaction import hooks as compaction
from holdfast.gauge import hooks as gauge
from holdfast.gauge.suggest import WindowUse
from holdfast.hot import thresholds
from holdfast.hot.paths import InSession
from holdfast.memory import pending_sessions
from holdfast.memory.location import words_of
from holdfast.session import faults
from holdfast.session.context import Session
from holdfast.team import entry
from holdfast.team.location import folder_for
from holdfast.worklog.model import Worklog


def make_ready(session: Session, reading: WindowUse, event: str) -> str:
    """Compile the thresholds and the reply to new sub-agents; gives that. Raises OSError."""
    gauge.compile_thresholds(session, reading)
    compaction.mark_waiting(session)
    leave_places(session)
    return brief_agents(session, event)


def brief_agents(session: Session, event: str) -> str:
    """Compile the reply to new sub-agents, and give it: after a return, and when the memory has changed."""
    from holdfast.handoff import protocol  # most ends of turns need none of it

    return protocol.compile_start(session, standing(session, event)[0])


def holding(session: Session, work: Worklog, event: str) -> Worklog:
    """The worklog without what the user has had forgotten or set aside since it was said."""
    if (work["marks"] or work["record"] or work["let_go"]) and session.config["memory.mode"] != "off":
        with faults.logged(event):
            from holdfast.memory import hooks  # most sessions have marked nothing

            return hooks.let_go(session, work)
    return work


def memory_has_changed(session: Session) -> bool:
    """Since that was compiled."""
    paths = words_of(session.project), session.path(InSession.SUBAGENT)
    words, reply = (os.path.getmtime(path) if os.path.exists(path) else 0.0 for path in paths)
    return words > reply > 0


def leave_places(session: Session) -> None:
    """Where the hot road looks for others at work and for memories, as the settings are now. Raises OSError."""
    path, place = session.path(InSession.THRESHOLDS), folder_for(session)
    if thresholds.load(path).get("team") != place:
        entry.enter(session)
    asks = bool(session.config["store.url"]) and session.config["coordination.mode"] == "enforce"
    thresholds.update(path, {"recall": words_of(session.project), "team": place, "asks": asks})


def standing(session: Session, event: str) -> tuple[list[str], list[str]]:
    """The user's own rules and the grave open issues that the memory has: a start has told them, and a compaction takes
    them out of the window.
    """
    if pending_sessions.has_memory(session):
        with faults.logged(event):
            from holdfast.memory import hooks  # a project without a memory does not pay for it

            return hooks.standing(session)
    return [], []
