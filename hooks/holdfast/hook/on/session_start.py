"""SessionStart: put back what this kind of start lacks, and make the session's files ready.

Whatever the memory does, the rest of the start is told: a fault of its goes into the log of faults.
"""

import os

from holdfast.checkpoint import git
from holdfast.checkpoint import hooks as checkpoints
from holdfast.checkpoint.sections import RETURNED
from holdfast.compaction import hooks as compaction
from holdfast.gauge import hooks as gauge
from holdfast.hook.ready import holding, make_ready, standing
from holdfast.hot.paths import InSession, InState
from holdfast.memory import pending_sessions
from holdfast.session import faults, liveness, worklog
from holdfast.session.context import Session, ignores_told, problems_told, settings_told, welcome
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply, utf16_length
from holdfast.team import entry
from holdfast.text.tokens import rough
from holdfast.worklog import marks
from holdfast.worklog.model import Worklog

PRIVATE = (InState.PROGRESS, InState.COMPACTIONS, InState.KEPT, "knowledge", f"{InState.MEMORY}/.cache")
"""What a clone can name beforehand, and only this machine is to have: a commit would take it along."""
NEW_WINDOW = ("startup", "clear")
"""Starts at which what other sessions left is not in the window yet."""


def handle(event: Event, session: Session) -> Reply:
    """The restore for this start, once however often the event fires."""
    source = event.text("source") or "startup"
    cut_off = source == "resume" and liveness.was_cut_off(session.read(InSession.LAST))
    work = holding(session, worklog.fold(event, session), event.name)
    first = session.at_least_once(f"start-{source}-{work['messages']}-{liveness.client()['pid']}")
    with session.noting():  # first: what is read next goes by it
        gauge.named(session, event.text("model"))
    reading = gauge.read(event, session)
    with session.noting():
        compaction.settle(session, work)
        if first and source == "compact":
            gauge.mark_compacted(session)
            reading = reading._replace(tokens=0)  # the boundary is not in the transcript yet: there stands the old size
        make_ready(session, reading, event.name)
    if not first:
        return NOTHING
    told, remembers = _set_up() if source != "compact" else [], session.config["memory.mode"] != "off"
    if source in NEW_WINDOW and remembers:
        _finish_others(event, session)
    is_asked = remembers and session.config["memory.ask"] and session.is_kept()
    asked = marks.ASK if is_asked and source in (*NEW_WINDOW, "compact") else ""
    company = ""
    with faults.logged(event.name):
        entry.enter(session)
        company = entry.company(session) if source != "compact" else ""  # who is in the way is told at the edit, too
    user, context = _restored(event, session, work, cut_off, (company, asked))
    # Late: till now a session that was cut off counts as such.
    told += _note_and_tell(event, session, source, remembers)
    told += [hello] if source != "compact" and (hello := welcome(session)) else []
    if source in NEW_WINDOW and remembers and session.config["store.url"]:
        with faults.logged(event.name):
            from holdfast.postgres import hooks  # nobody else pays for it

            told += hooks.at_start(session)
    told += problems_told(session)
    told += [f"Holdfast: {one}" for one in (settings_told(session), ignores_told(session)) if one]
    if source in NEW_WINDOW and (names := git.tracked(session.state, PRIVATE)):
        told += [
            f"Holdfast: git tracks {', '.join(names)} in {session.state}. Nothing more is written there: "
            "`git rm -r --cached` takes it out of the next commit; earlier ones keep it"
        ]
    user = "\n".join(filter(None, (*told, company, user)))
    return Reply(context=context, user=user)


def _restored(event: Event, session: Session, work: Worklog, cut_off: bool, beside: tuple[str, str]) -> tuple[str, str]:
    """(a line for the user, text for the model); beside: what is told before and behind the restore."""
    source, (before, behind) = event.text("source") or "startup", beside
    room = session.config["restore.max_chars"] - utf16_length(before) - utf16_length(behind) - 4
    session = session._replace(config={**session.config, "restore.max_chars": room})
    if source == "compact":
        text, user = compaction.after_compaction(event, session, work, standing(session, event.name)[0])
        from holdfast.compaction.packet import ASK  # a start after a compaction alone has it

        behind = "" if f"\n## {ASK[0]}\n" in text else behind  # it asks for the same lines in another form
    else:
        point = checkpoints.at_start(event, session, source, cut_off)
        remembered, user = _remembered(event, session, source, bool(point.path)), point.user
        is_told = source == "startup" and bool(point.path or remembered)  # where the last session ended
        room = 0 if is_told else session.config["restore.max_chars"] - utf16_length(remembered) - 2
        text = "\n\n".join(filter(None, (compaction.at_start(event, session, work, point, room), remembered)))
    context = "\n\n".join(filter(None, (before, text, behind)))
    if text and source not in NEW_WINDOW and (source == "compact" or not user):
        more, after = f"; {user}" if user else "", "a compaction" if source == "compact" else f"a {source}"
        user = f"state put back after {after} ({rough(len(context)):,} tokens){more}"  # as the receipt has it
        is_empty = "\n## " not in text  # it says where the rest is found, and that is all
        user = f"Holdfast: {f'nothing to put back after {after}' if is_empty else user}."
    if RETURNED in text:
        user = f"{user.rstrip('.')}; the agent is told which background agents had returned, whatever the client says."
    return user, context


def _set_up() -> list[str]:
    """A plugin's first start makes its environment in the background; the hooks work meanwhile."""
    data, root = os.environ.get("CLAUDE_PLUGIN_DATA", ""), os.environ.get("CLAUDE_PLUGIN_ROOT", "")
    if not data or not root or os.environ.get("HOLDFAST_SETUP") == "off":
        return []
    from holdfast.install import background_setup  # 13 ms of imports that only a plugin needs

    if background_setup.needs_setup(data) and background_setup.start(data, root):
        return ["Holdfast: setting up its packages in the background; until then token counts are estimates."]
    return []


def _note_and_tell(event: Event, session: Session, source: str, remembers: bool) -> list[str]:
    """Note this session for other hooks and later starts, and prune at a startup. The lines that waited to be told."""
    waited = list[str]()
    with session.noting():
        liveness.opened(event, session)
    with faults.logged(event.name):
        if remembers:
            pending_sessions.add(session)
            waited = pending_sessions.waiting_lines(session)
    if source == "startup":
        from holdfast.session import pruning  # only here is there time for old sessions' files

        with session.noting():
            pruning.prune(session)
    return waited


def _finish_others(event: Event, session: Session) -> None:
    """Put away what sessions left that were killed, or had no time at their end."""
    for other in pending_sessions.pending(session):
        with faults.logged(event.name):
            from holdfast.memory import hooks  # rarely needed, as what follows

            if hooks.end_late(event, other) and session.config["knowledge.on"]:
                from holdfast.knowledge import build

                build.renew(session.now, session.project)


def _remembered(event: Event, session: Session, source: str, task_told: bool) -> str:
    """What the project's memory tells this start; the old task only where it is wanted and not told otherwise."""
    if source in NEW_WINDOW and pending_sessions.has_memory(session):
        with faults.logged(event.name):
            from holdfast.memory import hooks  # a project without a memory does not pay for it

            of_the_task = 2_500 if task_told else 0  # room for what is told of a session that was cut off
            room = session.config["restore.max_chars"] - of_the_task
            return hooks.start(session, room, task_told or source == "clear")
    return ""
