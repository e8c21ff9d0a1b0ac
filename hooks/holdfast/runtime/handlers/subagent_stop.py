"""SubagentStop: hold the report to the limit; ask to cut, at most twice, then condense."""

import os

from holdfast.core.config import handoff_limits, limit_for
from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.policy.handoff import Terms, judge
from holdfast.runtime import handoffs
from holdfast.runtime.session import Session
from holdfast.store import paths
from holdfast.store.files import safe_name, write_atomic


def handle(event: Event, session: Session) -> Reply:
    """A block that says what to cut, or nothing."""
    text, limits = event.text("last_assistant_message"), handoff_limits(session.config)
    limit = limit_for(limits, event.agent_type)
    if not event.agent_type or not event.agent_id or not text.strip() or not limit:
        return NOTHING  # no type: one of the client's own forks, e.g. the summariser
    condensed = handoffs.path_of(session, event.agent_id, handoffs.CONDENSED)
    if os.path.exists(condensed):  # of an earlier return: an agent may be sent another message and return again
        os.unlink(condensed)
    asked = _asked(event, session)
    report = handoffs.path_of(session, event.agent_id, handoffs.REPORT)
    terms = Terms(limit, session.config["handoff.blocks"], session.config["handoff.decision"])
    verdict = judge(text, terms, asked, handoffs.counter(session), report)
    if verdict.action == "block":
        handoffs.keep_report(session, event.agent_id, text)
        return Reply(block=verdict.reason) if session.once(_ask(event, asked + 1)) else NOTHING
    if verdict.action == "condense" and session.config["handoff.background"] == "auto":
        path = handoffs.keep_report(session, event.agent_id, text)
        write_atomic(condensed, handoffs.shorten(session, event, text, limit, path))
    return NOTHING


def _ask(event: Event, number: int) -> str:
    return f"ask-{safe_name(event.agent_id)}-{number}"


def _asked(event: Event, session: Session) -> int:
    """How often this agent has been asked to cut."""
    return sum(os.path.exists(session.path(f"{paths.CLAIMS}/{_ask(event, number)}")) for number in (1, 2))
