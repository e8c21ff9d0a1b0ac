"""SessionStart: put back what this kind of start lacks, and make the session's files ready."""

from holdfast.checkpoint import hooks as checkpoints
from holdfast.compaction import hooks as compaction
from holdfast.gauge import hooks as gauge
from holdfast.hook import memory, ready
from holdfast.hot import paths
from holdfast.session import liveness, worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply, utf16_length
from holdfast.worklog.model import Worklog


def handle(event: Event, session: Session) -> Reply:
    """The restore for this start, once however often the event fires."""
    if event.in_subagent:  # a sub-agent's own compaction
        return NOTHING
    source = event.text("source") or "startup"
    cut_off = source == "resume" and liveness.was_cut_off(session.read(paths.LAST))
    work = worklog.fold(event, session)
    compaction.settle(session, work)
    first = session.once(f"start-{source}-{work['messages']}-{liveness.client()['pid']}")
    if first and source == "compact":
        gauge.mark_compacted(session)
    ready.at_start(event, session, source if first else "")
    if not first:
        return NOTHING
    told = ready.set_up() if source != "compact" else []
    told += [f"Holdfast: {problem}" for problem in session.problems[:3]]
    if source in memory.WITH_MEMORY:
        memory.finish_others(event, session)
    user, text = _restored(event, session, work, cut_off)
    memory.begun(event, session)
    ready.remember(event, session)  # late: until the restore is made, a session that was cut off counts as such
    return Reply(context=text, user="\n".join([*told, *([user] if user else [])]))


def _restored(event: Event, session: Session, work: Worklog, cut_off: bool) -> tuple[str, str]:
    """(a line for the user, text for the model)."""
    source = event.text("source") or "startup"
    if source == "compact":
        text, user = compaction.after_compaction(event, session, work), ""
    else:
        point = checkpoints.at_start(event, session, source, cut_off)
        remembered, user = memory.told(event, session, source, bool(point.path)), point.user
        is_told = source == "startup" and bool(point.path or remembered)  # where the last session ended
        room = 0 if is_told else session.config["restore.max_chars"] - utf16_length(remembered) - 2
        text = "\n\n".join(filter(None, (compaction.at_start(event, session, work, point, room), remembered)))
    if text and not user and source not in memory.WITH_MEMORY:
        user = f"Holdfast: state restored after {source} ({len(text):,} characters)."
    return user, text
