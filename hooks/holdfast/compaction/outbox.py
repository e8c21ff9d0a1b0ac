"""Deliver what PostCompact has queued: once, to the main session, with the next prompt or tool result.

The gate says whether anything waits (`queue`), so the hot hooks know without a look at the disk.
"""

import contextlib
import os

from holdfast.compaction import store, waiting
from holdfast.hot import paths, thresholds
from holdfast.session.context import Session
from holdfast.session.event import Event

UNHEARD = ("/compact", "/clear", "/exit")
"""Prompts after which the window is emptied or gone: what was told with them nobody would read."""


def queue(session: Session, note: dict[str, str]) -> None:
    """Put {text, key} into the queue, or only empty it when there is no text. Raises OSError."""
    if note["text"]:
        waiting.put(session.folder, {**note, "time": session.now})
    else:
        waiting.drop(session.folder)
    mark(session)


def mark(session: Session) -> None:
    """Let the gate say whether something waits. Raises OSError."""
    thresholds.update(session.path(paths.GATE), {"queue": waiting.is_there(session.folder)})


def deliver(event: Event, session: Session) -> str:
    """The text that waits, for the one hook that gets it; "" for all others and inside a sub-agent."""
    if event.in_subagent or event.text("prompt").lstrip().startswith(UNHEARD):
        return ""
    note = waiting.take(session.folder)
    with contextlib.suppress(OSError):  # what is taken is delivered, whatever becomes of the books
        mark(session)
        log = f"{session.state}/{paths.COMPACTIONS}"
        if note.get("text") and os.path.exists(log):
            store.complete(log, str(note.get("key")), {"corrected": event.name, "corrected_at": session.now})
    return str(note.get("text") or "")
