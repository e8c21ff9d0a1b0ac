"""Is it well that these agents of the main session run side by side? Gathers for engine/shared/gate.py.

How full the window may be stands in `gate.json`; working it out anew would take three times as long.
"""

from typing import NamedTuple

from holdfast.config.load import handoff_limit
from holdfast.engine.shared import branches, gate
from holdfast.gauge import pressure
from holdfast.handoff import running_agents
from holdfast.hot import paths, usage_tail
from holdfast.hot import thresholds as gates
from holdfast.session.context import Session
from holdfast.session.event import Event

BACKLOG = {"orange": 1, "red": 2}
"""Zone -> compactions that are due: each zone from orange on asks for one."""


class Refusal(NamedTuple):
    """What the gate has against a batch of agents."""

    key: str
    """The same for all launches of one batch."""
    text: str


def judged(event: Event, session: Session, running: list[running_agents.Row]) -> Refusal | None:
    """What speaks against the agents that run, this launch among them; None when nothing does."""
    text = gate.advice(gate.judge(_plan(event, session, running)), len(running))
    return Refusal(f"gate-{running[0]['id']}", text) if text else None


def _plan(event: Event, session: Session, running: list[running_agents.Row]) -> gate.FanOut:
    tasks = [branches.Task(*(str(row.get(key) or "") for key in ("name", "prompt", "type"))) for row in running]
    compiled, sizes = (
        gates.load(session.path(paths.GATE)),
        usage_tail.sizes(usage_tail.read_tail(event.transcript_path)),
    )
    used, limit = sizes[0][0] if sizes else 0, compiled.get("limit", 0)
    limits = [handoff_limit(session.config, task.agent_type) for task in tasks]
    known = gate.FanOut(
        len(tasks),
        payload=sum(limits) if all(limits) else None,
        room=max(0, limit - used) if limit and used else None,
        escalations=_waiting(event, session),
        backlog=BACKLOG.get(pressure.zone(used, compiled.get("zones", [])), 0),
    )
    return branches.examined(known, tasks, protocol=True)  # SubagentStart tells each agent what to return


def _waiting(event: Event, session: Session) -> tuple[str, ...]:
    """An agent of this very turn that asked for a decision: nobody can have answered it since."""
    state = session.read(paths.ORCHESTRATOR)
    progress, decisions = state.get("progress"), state.get("decisions")
    phase = progress.get("current_phase") if isinstance(progress, dict) else ""
    asked = isinstance(decisions, dict) and decisions.get(phase) == "CLARIFY"
    return (
        (f"the agent of {phase!r} asked for a decision",) if asked and running_agents.returned(event, session) else ()
    )
