"""What the hot road needs of a session, made where it is missing and at each start."""

from holdfast.compaction import hooks as compaction
from holdfast.gauge import hooks as gauge
from holdfast.gauge import suggest
from holdfast.gauge.suggest import Past
from holdfast.handoff import hooks as handoffs
from holdfast.hot import call_log, thresholds
from holdfast.hot.paths import InSession
from holdfast.memory.location import words_of
from holdfast.session.context import Session
from holdfast.session.event import Event


def make_ready(session: Session, reading: gauge.Reading, past: Past | None = None) -> str:
    """Compile the thresholds and the reply to new sub-agents; gives that. Raises OSError."""
    gauge.compile_thresholds(session, reading, past=past)
    compaction.mark_waiting(session)
    thresholds.update(session.path(InSession.THRESHOLDS), {"recall": words_of(session.project)})
    return handoffs.compile_subagent_start(session)


def at_start(event: Event, session: Session, source: str) -> None:
    """At any start; source: "" where this start has been seen already. Raises OSError."""
    past, reading = gauge.past_of(thresholds.load(session.path(InSession.THRESHOLDS))), gauge.read(event, session)
    if source == "compact":  # the boundary is not in the transcript yet, so what stands there is the old size
        past = suggest.after_compaction(past, call_log.count(session.path(InSession.CALLS)))
        reading = reading._replace(tokens=0)
    make_ready(session, reading, past)
