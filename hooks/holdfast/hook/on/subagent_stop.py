"""SubagentStop: hold the report to the limit; ask to cut, at most twice, then condense."""

import os

from holdfast.config.load import handoff_limit
from holdfast.handoff import hooks
from holdfast.handoff.rules import Terms, judge
from holdfast.hot import paths
from holdfast.hot.files import safe_name, write_atomic
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """A block that says what to cut, or nothing."""
    text, limit = event.text("last_assistant_message"), handoff_limit(session.config, event.agent_type)
    if not event.agent_type and text.strip():  # one of the client's own forks
        _summary(session, text)
    if not event.agent_type or not event.agent_id or not text.strip() or not limit:
        return NOTHING
    if not event.fields.get("stop_hook_active"):  # not sent back by us: a first answer, or one to a new message
        hooks.begin_return(session, event.agent_id)
    asked = _asked(event, session)
    report = hooks.path_of(session, event.agent_id, hooks.REPORT)
    terms = Terms(limit, session.config["handoff.blocks"], session.config["handoff.decision"])
    verdict = judge(text, terms, asked, hooks.counter(session), report)
    if verdict.action == "accept":
        return NOTHING
    path = hooks.keep_report(session, event.agent_id, text)
    if verdict.action == "block":
        reason = verdict.reason.replace(report, path)
        return Reply(block=reason) if session.once(_ask(event, asked + 1)) else NOTHING
    if session.config["handoff.background"] == "auto":
        short = hooks.shorten(session, event, text, limit, path)
        write_atomic(hooks.path_of(session, event.agent_id, hooks.CONDENSED), short)
    return NOTHING


def _summary(session: Session, text: str) -> None:
    """During a compaction it is the summariser's answer."""
    if session.read(paths.COMPACTING):
        from holdfast.compaction import record  # brings the worklog along, which no handoff needs

        record.keep_summary(session, text)


def _ask(event: Event, number: int) -> str:
    return f"ask-{safe_name(event.agent_id)}-{number}"


def _asked(event: Event, session: Session) -> int:
    """How often this agent has been asked to cut."""
    return sum(os.path.exists(session.path(f"{paths.CLAIMS}/{_ask(event, number)}")) for number in (1, 2))
