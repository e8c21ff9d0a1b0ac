"""SessionStart: put back what this kind of start lacks, and make the session's files ready."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from holdfast.checkpoint import bootstrap, progress, recovery, store
from holdfast.checkpoint.environment import differences, last_sign
from holdfast.checkpoint.page import Section
from holdfast.compaction import packet, restore
from holdfast.compaction import record as compacting
from holdfast.digest import archive
from holdfast.gauge import hooks as gauge
from holdfast.gauge import suggest
from holdfast.handoff import orchestrator
from holdfast.hook.ready import make_ready
from holdfast.hot import call_log, paths, thresholds
from holdfast.hot.files import write_atomic
from holdfast.memory import pending_sessions
from holdfast.session import liveness, worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply, utf16_length
from holdfast.text import lines
from holdfast.worklog import fold


def handle(event: Event, session: Session) -> Reply:
    """The restore for this start, once however often the event fires."""
    if event.in_subagent:  # a sub-agent's own compaction
        return NOTHING
    source = event.text("source") or "startup"
    cut_off = source == "resume" and liveness.was_cut_off(session.read(paths.LAST))
    work = worklog.fold(event, session)
    compacting.settle(session, work)
    first = session.once(f"start-{source}-{work['messages']}-{liveness.client()['pid']}")
    if first and source == "compact":
        gauge.mark_compacted(session)
    _make_ready(event, session, source if first else "")
    if not first:
        return NOTHING
    started = _set_up() if source != "compact" else []
    if source in WITH_MEMORY:
        _finish_others(event, session)
    said, text = _restored(event, session, work, cut_off)
    _begin(event, session)
    _remember(event, session)  # late: until the restore is made, a session that was cut off counts as such
    if source == "startup":
        from holdfast.session import pruning  # only here is there time for it

        pruning.prune(session)
    return Reply(context=text, user="\n".join([*started, *_notices(session), *said]))


WITH_MEMORY = ("startup", "clear")
"""Starts of a new window: what other sessions left is not in it yet."""


def _finish_others(event: Event, session: Session) -> None:
    """Put into the memory what sessions left that were killed, or had no time at their end."""
    for other in pending_sessions.pending(session):
        if _safely(event, partial(_end_late, event, other)):
            from holdfast.knowledge import build  # rarely needed

            build.renew(session.now, session.project)


def _end_late(event: Event, other: Session) -> bool:
    from holdfast.memory import hooks  # rarely needed

    return hooks.end_late(event, other)


def _begin(event: Event, session: Session) -> None:
    """Note that there is something to put away later; where that cannot be noted, the start goes on."""
    _safely(event, lambda: pending_sessions.add(session))


def _safely(event: Event, act: Callable[[], Any]) -> Any:
    """What it gives; None where it fails: whatever the memory does, the rest of the start is told."""
    try:
        return act()
    except Exception:  # noqa: BLE001 - see above
        from holdfast.session import faults

        faults.log_current_fault(event.name)
        return None


def _restored(event: Event, session: Session, work: dict[str, Any], cut_off: bool) -> tuple[list[str], str]:
    """(lines for the user, text for the model)."""
    source, limit = event.text("source") or "startup", session.config["restore.max_chars"]
    point = recovery.at_start(event, session, source, cut_off)
    known, note = _known(source, work, session)
    if source == "compact":
        text = _packet(known, note, session)
        write_atomic(session.path(paths.PACKET), text)
    else:
        memory = _safely(event, lambda: _memory(session, source, limit, bool(point.path))) or ""
        rest = [*([note] if source == "resume" else []), *restore.sections(source, known)]
        told = source == "startup" and (point.path or memory)  # where the last session ended
        news = [part for part in rest if part[1] and not told and (cut_off or _is_news(part, session))]
        text = restore.text(point.of(known), point.sections + news, limit - utf16_length(memory) - 2)
        text = "\n\n".join(filter(None, (text, memory)))
    return [*point.user, *([] if point.user or source in WITH_MEMORY else _receipt(source, text))], text


def _memory(session: Session, source: str, limit: int, task_told: bool) -> str:
    """What the project's memory tells this start; the old task only where it is wanted and not told otherwise."""
    if source not in WITH_MEMORY or not pending_sessions.has_memory(session):
        return ""
    from holdfast.memory import hooks  # a project without a memory does not pay for it

    return hooks.start(session, limit - (TASK_CHARS if task_told else 0), task_told or source == "clear")


TASK_CHARS = 2_500
"""Room for what is told of a session that was cut off."""


def _is_news(section: Section, session: Session) -> bool:
    """What no start has told since the last compaction: what one has told is in the window still.

    What the compaction itself put back may come once more: it is old by the time that somebody resumes.
    """
    epoch = thresholds.load(session.path(paths.GATE)).get("epoch", 0)
    mark = archive.fingerprint("\n".join([section[0], *section[1]]).encode("utf-8", "replace"))
    return session.once(f"told-{epoch}-{mark}")


def _remember(event: Event, session: Session) -> None:
    """What other hooks and the command line are not told: the client's process, the model, where the transcript is."""
    liveness.opened(event, session)
    if event.text("model"):
        session.write(paths.WINDOW, {**session.read(paths.WINDOW), "model": event.text("model")})


def _make_ready(event: Event, session: Session, source: str) -> None:
    past = gauge.past_of(thresholds.load(session.path(paths.GATE)))
    if source == "compact":
        past = suggest.after_compaction(past, call_log.count(session.path(paths.CALLS)))
    reading = gauge.read(event, session)
    if source == "compact":  # the boundary is not in the transcript yet, so what stands there is the old size
        reading = reading._replace(tokens=0)
    make_ready(session, reading, past)


def _set_up() -> list[str]:
    """A plugin's first start makes its environment in the background; the hooks work meanwhile."""
    data, root = os.environ.get("CLAUDE_PLUGIN_DATA", ""), os.environ.get("CLAUDE_PLUGIN_ROOT", "")
    if not data or not root or os.environ.get("HOLDFAST_SETUP") == "off":
        return []
    from holdfast.install import background_setup  # 13 ms of imports that only a plugin needs

    if background_setup.needs_setup(data) and background_setup.start(data, root):
        return ["Holdfast: setting up its packages in the background; until then token counts are estimates."]
    return []


def _known(source: str, work: dict[str, Any], session: Session) -> tuple[restore.Known, Section]:
    """What a restore can draw on, and the note that was left with the newest checkpoint."""
    folder = session.path(paths.CHECKPOINTS)
    saved = store.newest(folder)
    last = session.read(paths.LAST)
    newest = max((last, saved), key=lambda record: float(record.get("time") or 0))
    then = float(newest.get("time") or 0)
    log = f"{session.state}/{paths.PROGRESS}"
    current = work if work["messages"] else fold.load(saved.get("work") or {})
    seen = session.now if source == "compact" else last_sign(session.path(paths.CALLS), then)
    drift = differences(session, current, newest.get("environment") or {}, seen)
    if source == "startup":
        then = os.path.getmtime(log) if os.path.exists(log) else session.now
    noted = float((saved.get("note") or {}).get("time") or session.now)
    known = restore.Known(
        {"work": current},
        session.read(paths.ORCHESTRATOR) or saved.get("agents") or {},
        progress.end(log),
        session.now - then if then else -1.0,
        drift,
        store.readable_path(folder, saved),
        session.path(paths.HANDOFFS),
    )
    return known, bootstrap.note(saved, lines.age(session.now - noted))


def _packet(known: restore.Known, note: Section, session: Session) -> str:
    """What a session is told that comes out of a compaction."""
    limit = session.config["restore.max_chars"]
    agents, said = orchestrator.load(known.agents), compacting.fresh(session, paths.SUMMARY)
    told = "\n".join(note[1])
    material = packet.Material(known.checkpoint["work"], agents, known.drift, known.reports, told, said, known.path)
    return restore.packed(known, material, limit)[1]


def _notices(session: Session) -> list[str]:
    """What the user should repair; the model reads none of it."""
    return [f"Holdfast: {problem}" for problem in session.problems[:3]]


def _receipt(source: str, text: str) -> list[str]:
    if not text:
        return []
    return [f"Holdfast: state restored after {source} ({len(text):,} characters)."]
