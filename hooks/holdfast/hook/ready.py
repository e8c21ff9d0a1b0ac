"""What the hot road needs of a session, made where it is missing and at each start."""

from holdfast.gauge import hooks as gauge
from holdfast.gauge.suggest import Past
from holdfast.handoff import hooks as handoffs
from holdfast.hot import paths, thresholds
from holdfast.memory.location import words_of
from holdfast.session.context import Session


def make_ready(session: Session, reading: gauge.Reading, past: Past | None = None) -> str:
    """Compile the thresholds and the reply to new sub-agents; gives that. Raises OSError."""
    gauge.compile_thresholds(session, reading, past=past)
    thresholds.update(session.path(paths.GATE), {"recall": words_of(session.project)})
    return handoffs.compile_subagent_start(session)
