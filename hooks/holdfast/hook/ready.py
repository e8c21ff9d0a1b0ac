"""What the hot road needs of a session, made where it is missing and at each start."""

import os

from holdfast.gauge import hooks as gauge
from holdfast.gauge import suggest
from holdfast.gauge.suggest import Past
from holdfast.handoff import hooks as handoffs
from holdfast.hot import call_log, paths, thresholds
from holdfast.memory.location import words_of
from holdfast.session import liveness
from holdfast.session.context import Session
from holdfast.session.event import Event


def make_ready(session: Session, reading: gauge.Reading, past: Past | None = None) -> str:
    """Compile the thresholds and the reply to new sub-agents; gives that. Raises OSError."""
    gauge.compile_thresholds(session, reading, past=past)
    thresholds.update(session.path(paths.GATE), {"recall": words_of(session.project)})
    return handoffs.compile_subagent_start(session)


def at_start(event: Event, session: Session, source: str) -> None:
    """At any start; source: "" where this start has been seen already. Raises OSError."""
    past, reading = gauge.past_of(thresholds.load(session.path(paths.GATE))), gauge.read(event, session)
    if source == "compact":  # the boundary is not in the transcript yet, so what stands there is the old size
        past = suggest.after_compaction(past, call_log.count(session.path(paths.CALLS)))
        reading = reading._replace(tokens=0)
    make_ready(session, reading, past)


def set_up() -> list[str]:
    """A plugin's first start makes its environment in the background; the hooks work meanwhile."""
    data, root = os.environ.get("CLAUDE_PLUGIN_DATA", ""), os.environ.get("CLAUDE_PLUGIN_ROOT", "")
    if not data or not root or os.environ.get("HOLDFAST_SETUP") == "off":
        return []
    from holdfast.install import background_setup  # 13 ms of imports that only a plugin needs

    if background_setup.needs_setup(data) and background_setup.start(data, root):
        return ["Holdfast: setting up its packages in the background; until then token counts are estimates."]
    return []


def remember(event: Event, session: Session) -> None:
    """Note what other hooks and the command line are not told: the client's process, the model, the transcript's place.

    At a startup, where there is time for it, old sessions' files go as well. Raises OSError.
    """
    liveness.opened(event, session)
    if event.text("model"):
        session.write(paths.WINDOW, {**session.read(paths.WINDOW), "model": event.text("model")})
    if (event.text("source") or "startup") == "startup":
        from holdfast.session import pruning  # only here is there time for it

        pruning.prune(session)
