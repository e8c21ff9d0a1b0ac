"""What a start has to do with the memory: sessions that were left over, what is told, the note that this one has begun.

Whatever the memory does, the rest of the start is told: a fault goes into the log of faults.
"""

from collections.abc import Callable
from typing import Any

from holdfast.memory import pending_sessions
from holdfast.session.context import Session
from holdfast.session.event import Event

WITH_MEMORY = ("startup", "clear")
"""Starts of a new window: what other sessions left is not in it yet."""
TASK_CHARS = 2_500
"""Room for what is told of a session that was cut off."""


def finish_others(event: Event, session: Session) -> None:
    """Put away what sessions left that were killed, or had no time at their end."""
    for other in pending_sessions.pending(session):

        def end(left: Session = other) -> bool:
            from holdfast.memory import hooks  # rarely needed

            return hooks.end_late(event, left)

        if _safely(event, end):
            from holdfast.knowledge import build  # rarely needed

            build.renew(session.now, session.project)


def told(event: Event, session: Session, source: str, task_told: bool) -> str:
    """What the project's memory tells this start; the old task only where it is wanted and not told otherwise."""
    if source not in WITH_MEMORY or not pending_sessions.has_memory(session):
        return ""

    def start() -> str:
        from holdfast.memory import hooks  # a project without a memory does not pay for it

        room = session.config["restore.max_chars"] - (TASK_CHARS if task_told else 0)
        return hooks.start(session, room, task_told or source == "clear")

    return _safely(event, start) or ""


def begun(event: Event, session: Session) -> None:
    """Note that there is something to put away later."""
    _safely(event, lambda: pending_sessions.add(session))


def _safely(event: Event, act: Callable[[], Any]) -> Any:
    """What it gives; None where it fails."""
    try:
        return act()
    except Exception:  # noqa: BLE001 - see above
        from holdfast.session import faults

        faults.log_current_fault(event.name)
        return None
