"""SessionStart: put back what this kind of start lacks, and make the session's files ready."""

import os
from typing import Any

from holdfast.core.events import Event
from holdfast.core.replies import NOTHING, Reply
from holdfast.policy import restore, suggest, worklog
from holdfast.runtime import compacting, upkeep
from holdfast.runtime.session import Session
from holdfast.store import archive, calls, checkpoints, gate, paths, progress


def handle(event: Event, session: Session) -> Reply:
    """The restore for this start, once however often the event fires."""
    if event.in_subagent:  # a sub-agent's own compaction
        return NOTHING
    source = event.text("source") or "startup"
    work = upkeep.fold(event, session)
    compacting.settle(session, work)
    _remember(event, session)
    first = session.once(f"start-{source}-{work['messages']}")
    if first and source == "compact":
        upkeep.new_epoch(session)
    _make_ready(event, session, source if first else "")
    if not first:
        return NOTHING
    started = _set_up() if source != "compact" else []
    known = _known(source, work, session)
    said = [section for section in restore.sections(source, known) if _is_news(source, section, session)]
    text = restore.text(known, said, session.config["restore.max_chars"])
    return Reply(context=text, user="\n".join([*started, *_notices(session), *_receipt(source, text)]))


def _is_news(source: str, section: restore.Section, session: Session) -> bool:
    """After a compaction everything is; else what no start has told since the last one: that is in the window still.

    What the compaction itself put back may come once more: it is old by the time that somebody resumes.
    """
    if source == "compact":
        return True
    epoch = gate.load(session.path(paths.GATE)).get("epoch", 0)
    mark = archive.fingerprint("\n".join([section[0], *section[1]]).encode("utf-8", "replace"))
    return session.once(f"told-{epoch}-{mark}")


def _remember(event: Event, session: Session) -> None:
    """What other hooks and the command line are not told: the model's id and where the transcript is."""
    session.write(paths.LAST, {**session.read(paths.LAST), "transcript": event.transcript_path})
    if event.text("model"):
        session.write(paths.WINDOW, {**session.read(paths.WINDOW), "model": event.text("model")})


def _make_ready(event: Event, session: Session, source: str) -> None:
    past = upkeep.past_of(gate.load(session.path(paths.GATE)))
    if source == "compact":
        past = suggest.after_compaction(past, calls.count(session.path(paths.CALLS)))
    reading = upkeep.gauge(event, session)
    if source == "compact":  # the boundary is not in the transcript yet, so what stands there is the old size
        reading = reading._replace(tokens=0)
    upkeep.compile_gate(session, reading, past)
    upkeep.compile_subagent_start(session)


def _set_up() -> list[str]:
    """A plugin's first start makes its environment in the background; the hooks work meanwhile."""
    data, root = os.environ.get("CLAUDE_PLUGIN_DATA", ""), os.environ.get("CLAUDE_PLUGIN_ROOT", "")
    if not data or not root or os.environ.get("HOLDFAST_SETUP") == "off":
        return []
    from holdfast.runtime import setup  # 13 ms of imports that only a plugin needs

    if setup.needs_setup(data) and setup.start(data, root):
        return ["Holdfast: setting up its packages in the background; until then token counts are estimates."]
    return []


def _known(source: str, work: dict[str, Any], session: Session) -> restore.Known:
    folder = session.path(paths.CHECKPOINTS)
    saved = checkpoints.newest(folder)
    last = session.read(paths.LAST)
    newest = max((last, saved), key=lambda record: float(record.get("time") or 0))
    then = float(newest.get("time") or 0)
    log = f"{session.state}/{paths.PROGRESS}"
    if source == "startup":
        then = os.path.getmtime(log) if os.path.exists(log) else session.now
    current = work if work["messages"] else worklog.load(saved.get("work") or {})
    before = newest.get("environment") or {}
    missing = [path for path in before.get("files") or () if not os.path.exists(path)]
    return restore.Known(
        {"work": current},
        session.read(paths.ORCHESTRATOR),
        progress.end(log),
        session.now - then if then else -1.0,
        restore.drift(before, {**upkeep.environment(session, current), "missing": missing}),
        checkpoints.readable_path(folder, saved),
        session.path(paths.HANDOFFS),
    )


def _notices(session: Session) -> list[str]:
    """What the user should repair; the model reads none of it."""
    return [f"Holdfast: {problem}" for problem in session.problems[:3]]


def _receipt(source: str, text: str) -> list[str]:
    if not text or source == "startup":
        return []
    return [f"Holdfast: state restored after {source} ({len(text):,} characters)."]
