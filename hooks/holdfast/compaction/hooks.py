"""A compaction as the hooks see it: begun, restored, compared, told, recorded.

The client may fire PreCompact early and throw the result away, or fire any of these twice: nothing here takes a
compaction for done before a summary or a boundary row is there.
"""

import contextlib
import os
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from holdfast.checkpoint import git
from holdfast.checkpoint import hooks as checkpoints
from holdfast.checkpoint.environment import drift, environment
from holdfast.checkpoint.model import StoredCheckpoint
from holdfast.checkpoint.sections import FULL, Section, SectionMaterial, sections
from holdfast.compaction import instructions, store
from holdfast.compaction.store import Begun
from holdfast.gauge.suggest import WindowUse
from holdfast.handoff import orchestrator
from holdfast.handoff.wakeup import DROPPED
from holdfast.hot import call_log, thresholds
from holdfast.hot.files import names_in, read_bytes, read_text, size_of, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import field
from holdfast.hot.paths import InSession, InState
from holdfast.session import hook_log
from holdfast.session.context import Session, stamp
from holdfast.session.event import Event
from holdfast.text.identifiers import basename
from holdfast.text.lines import counted, one_line
from holdfast.text.tokens import estimate
from holdfast.transcript.rows import LARGEST
from holdfast.worklog import record
from holdfast.worklog.model import Boundary, Worklog
from holdfast.worklog.record import RecordLine

if TYPE_CHECKING:
    from holdfast.compaction.checks import Now


def begin(event: Event, session: Session, work: Worklog, reading: WindowUse, rules: Sequence[str] = ()) -> str:
    """PreCompact: a checkpoint, once for one state of the conversation, what is before, and the summariser's text.

    Summary and packet of an earlier compaction go, unless the conversation stands where it stood: then a summary that
    was made ahead may still be the one that is used. rules: the user's own of earlier sessions.
    """
    saved: StoredCheckpoint | None = None
    with session.noting():
        settle(session, work)  # an earlier one whose PostCompact never came
        before = session.read(InSession.COMPACTING).get("key")
        goes_on = _begin(event, session, work, reading)["key"] == before
        for path in () if goes_on else filter(os.path.exists, map(session.path, (InSession.SUMMARY, InSession.PACKET))):
            os.unlink(path)
        if session.config["checkpoint.on"] and session.once(f"precompact-{work['messages']}"):
            saved = checkpoints.save(session, work, reading, f"before {event.text('trigger') or 'auto'} compaction")
    if not session.config["restore.on"]:
        return ""
    saved = saved or checkpoints.newest(session)
    most = instructions.SHOWN if event.text("trigger") == "manual" else instructions.CHARS
    return instructions.for_summariser(_as_now(session, work), rules, saved["environment"] if saved else {}, most)


def _gone(work: Worklog) -> tuple[str, ...]:
    """Changed files that are not there any more; of a record that another machine has made nobody can say."""
    is_here = os.path.isdir(work["folder"])
    return tuple(path for path in work["changed"] if is_here and not os.path.exists(path))


def _there(work: Worklog) -> Worklog:
    gone = _gone(work)
    return {**work, "changed": [path for path in work["changed"] if path not in gone]} if gone else work


def _as_now(session: Session, work: Worklog) -> Worklog:
    """Without files that are gone and commits that a rewrite replaced."""
    return {**_there(work), "commits": git.in_history(session.project, work["commits"], work["branches"])}


def _begin(event: Event, session: Session, work: Worklog, reading: WindowUse) -> Begun:
    name = os.path.basename(session.folder)
    begun: Begun = {
        "key": f"{name}-{work['messages']}",
        "time": stamp(session.now),
        "started": session.now,
        "session": name,
        "trigger": one_line(event.text("trigger"), 20) or "auto",
        "instructions": event.text("custom_instructions"),
        "tokens_before": reading.tokens,
        "limit": reading.limit,
        "tool_calls": call_log.count(session.path(InSession.CALLS)),
        "boundary": _boundary(work),
    }
    session.write(InSession.COMPACTING, {**begun})
    return begun


def _boundary(work: Worklog) -> str:
    """Id of the newest boundary row; only the newest are kept, so their number says nothing."""
    return work["boundaries"][-1]["id"] if work["boundaries"] else ""


def keep_summary(session: Session, text: str) -> None:
    """SubagentStop: keep what the summariser wrote, for the restore that follows. Raises OSError.

    The client's own forks carry no name and leave no transcript (2.1.329), so the summariser is told by its moment:
    a compaction has begun and has not ended. Another fork that ends in that moment would be taken for it, unless the
    summariser's marked text is there already; at worst the restore then leaves out a line that it need not.
    """
    begun = store.begun(session.read(InSession.COMPACTING))
    if not begun or not 0 <= session.now - begun["started"] <= 900:  # an older start was thrown away
        return
    if "<summary>" in text or "<summary>" not in read_text(session.path(InSession.SUMMARY)):
        write_atomic(session.path(InSession.SUMMARY), text)


def after_compaction(event: Event, session: Session, work: Worklog, rules: Sequence[str] = ()) -> tuple[str, str]:
    """SessionStart(compact): the packet for the model, kept for the comparison; for the user what was mended, or "".

    rules: the user's own of earlier sessions.
    """
    if not session.config["restore.on"]:
        return "", ""
    from holdfast.compaction import packet  # a start alone restores

    summary = _fresh(session, InSession.SUMMARY)
    known = _material(session, work, goes_on=True)
    known = known._replace(recalls=bool(event.transcript_path), chars=session.config["restore.max_chars"])
    now = world(session, work, known.work["commits"], event.transcript_path, record.read(summary).lines)
    known, counts = packet.beside(
        known, work, summary, now._replace(rules=tuple(rules), staged=known.environment.get("staged"))
    )
    text = packet.text(known, packet.after(known, counts, summary))
    with session.noting():
        if counts:
            session.write(InSession.COMPACTING, {**session.read(InSession.COMPACTING), "record": counts})
        write_atomic(session.path(InSession.PACKET), text)
    return text, _told(known) if counts else ""


def world(
    session: Session, work: Worklog, commits: Sequence[str], transcript: str, lines: Sequence[RecordLine]
) -> "Now":
    """The world as it is, for the checks of a record's lines. commits: of the session's those in the history."""
    from holdfast.compaction.checks import Now

    away = tuple(commit for commit in work["commits"] if commit not in commits)
    unseen = _unseen(lines, transcript, session, work)
    return Now(git.head(session.project)[0], away, _gone(work), (), unseen)


def _unseen(lines: Sequence[RecordLine], transcript: str, session: Session, work: Worklog) -> tuple[str, ...]:
    """Of the commits and paths that lines name those that git and the disk do not know, and nothing in the transcript
    before a summary has: of a path its last part. No commit where git is silent, no path outside of the project, which
    may be another machine's.
    """
    from holdfast.compaction.checks import commit_ids, files

    ids = commit_ids(lines)[:40]
    bases = {session.project, work["root"], work["folder"]}
    strange = {*ids} - {*git.in_history(session.project, ids, work["branches"])}
    for path in files(lines)[:40]:
        is_within = path[0] not in "/~" or path.startswith(f"{session.project}/")
        if is_within and not any(os.path.lexists(os.path.join(base, path)) for base in bases):
            strange.add(path)
    most = min(max(0, size_of(transcript)), LARGEST)
    said = read_bytes(transcript, most, follow=True) if strange and size_of(transcript) == most else b""
    rows = said.split(b"\n") if said else []
    first = {
        one: next((row for row in rows if basename(one).encode("utf-8", "replace") in row), b"") for one in strange
    }
    return tuple(one for one, row in first.items() if rows and (not row or b'"isCompactSummary":' in row))


def _told(known: SectionMaterial) -> str:
    """For the user: what the summary lost, and what the agent is told is wrong in it; "" where all is well."""
    kinds = Counter(record.KINDS[line["kind"]].name for line in known.dropped)
    lost = ", ".join(counted(number, name) for name, number in kinds.items())
    named = dict.fromkeys(name for one in known.corrected for name in one.partition(":")[0].split(", "))
    failed = "that the last test run failed" * (named.pop("tests", "") is None)  # no line of the record
    wrong = f"that {counted(len(named), 'line')} of the summary may be wrong" * bool(named)
    told = " and ".join(filter(None, (wrong, failed)))
    parts = (f"put back what the summary lost: {lost}" * bool(lost), f"the agent is told {told}" * bool(told))
    return "; ".join(filter(None, parts))


def at_start(event: Event, session: Session, work: Worklog, point: checkpoints.Point, room: int) -> str:
    """Any other start: what its window does not hold yet, in at most `room` units (0: only of a cut-off session).

    What a start has told since the last compaction is in the window still; what the compaction itself put back may
    come once more, since it is old by the time that somebody resumes.
    """
    source = event.text("source") or "startup"
    if not session.config["restore.on"]:
        return ""
    from holdfast.compaction import packet

    known = _material(session, work, goes_on=False)
    if point.path:
        known = known._replace(page=point.path, seconds=point.seconds)
    elif source == "startup":
        log = f"{session.state}/{InState.PROGRESS}"
        known = known._replace(seconds=session.now - os.path.getmtime(log) if os.path.exists(log) else -1.0)
    found = sections(source, known) if room else []
    cut_off = bool(point.path) and source != "startup"
    news = [section for section in found if cut_off or _is_news(section, session)]
    return packet.text(known._replace(chars=room or FULL), [*point.sections, *news], source == "startup")


def _is_news(section: Section, session: Session) -> bool:
    epoch = thresholds.load(session.path(InSession.THRESHOLDS)).get("epoch", 0)
    mark = fingerprint("\n".join([section[0], *section[1]]).encode("utf-8", "replace"))
    return session.at_least_once(f"told-{epoch}-{mark}")


def _material(session: Session, work: Worklog, goes_on: bool) -> SectionMaterial:
    """What a start can draw on; where transcript and state are gone, the newest whole checkpoint."""
    saved = checkpoints.newest(session)
    work = work if work["messages"] or not saved else saved["work"]
    before, noted = checkpoints.recorded(session)
    claims = names_in(session.path(InSession.CLAIMS))
    return SectionMaterial(
        work=_as_now(session, work),
        agents=session.read(InSession.ORCHESTRATOR) or (saved["agents"] if saved else {}),
        environment=environment(session, work),
        drift=drift(session, work, before, noted, goes_on),
        note=tuple(checkpoints.note_lines(saved, session.now)),
        reports=session.path(InSession.HANDOFFS),
        returned=tuple(one.removeprefix(DROPPED) for one in claims if one.startswith(DROPPED)),
        progress=checkpoints.last_progress(session),
        page=checkpoints.page_path(session, saved),
        seconds=session.now - noted if noted and not goes_on else -1.0,
    )


def _fresh(session: Session, name: str) -> str:
    """The text of SUMMARY or PACKET when it belongs to the compaction under way; "" when it is an older one's."""
    path, compared = session.path(name), session.path(InSession.VERIFIED)
    if os.path.exists(compared) and os.path.exists(path) and os.stat(path).st_mtime_ns <= os.stat(compared).st_mtime_ns:
        return ""
    return read_text(path)


def compare(event: Event, session: Session, work: Worklog, reading: WindowUse) -> str:
    """PostCompact: compare, queue what must be told, complete the log's entry; a line for the user. Raises OSError.

    At this hook the transcript does not hold the compaction yet, so `work` is the state before it.
    """
    begun = store.begun(session.read(InSession.COMPACTING))
    if not begun or begun["boundary"] != _boundary(work):  # no PreCompact was seen
        begun = _begin(event, session, work, reading)
    summary = event.text("compact_summary")
    if not session.config["restore.on"] or not session.once(f"verify-{begun['key']}"):
        settle(session, work, summary)
        return ""
    write_atomic(session.path(InSession.SUMMARY), summary)
    lost, outcome = _verified(session, work, summary, begun["key"])
    settle(session, work, summary, outcome)
    told = "that must stay; the agent is told with the next prompt or tool result."
    return f"Holdfast: the compaction lost {counted(lost, 'fact')} {told}" if lost else ""


def _verified(session: Session, work: Worklog, summary: str, key: str) -> tuple[int, dict[str, object]]:
    """Compare and queue; how many facts are told yet, and what the log says. The facts stay for the next comparison."""
    from holdfast.compaction import verify  # only here

    told, page = _fresh(session, InSession.PACKET), checkpoints.page_path(session, checkpoints.newest(session))
    left = [*orchestrator.state_of(session)["open_errors"]]
    found = verify.facts(_there(work), session.project, recorded=record.read(summary).came, agents=left)
    texts = verify.Texts(summary, told, read_text(page) if page and page in told else "", page)
    rows = field(session.read(InSession.VERIFIED), "facts", list[object]())
    before = [(str(row[0]), str(row[1])) for row in rows if isinstance(row, list) and len(row) > 1]
    lost, outcome, lacking = verify.check(found, texts, before)
    store.put(session.folder, {"text": lacking, "key": key, "time": session.now} if lacking else None)
    mark_waiting(session)
    session.write(InSession.VERIFIED, {"v": 2, "key": key, "facts": [[f.kind, f.text, f.state] for f in found]})
    return len(lost), outcome


def mark_waiting(session: Session) -> None:
    """Let the thresholds say whether something waits, so that the hot hooks know without a look. Raises OSError."""
    thresholds.update(session.path(InSession.THRESHOLDS), {"queue": size_of(session.path(InSession.CORRECTION)) >= 0})


def deliver(event: Event, session: Session) -> str:
    """The text that waits, for the one hook that gets it; "" for all others and inside a sub-agent.

    With a prompt that empties the window or ends it nobody would read it.
    """
    if event.in_subagent or event.text("prompt").lstrip().startswith(("/compact", "/clear", "/exit")):
        return ""
    note = store.take(session.folder)
    with contextlib.suppress(OSError):  # what is taken is delivered, whatever becomes of the books
        mark_waiting(session)
        log = f"{session.state}/{InState.COMPACTIONS}"
        if note and os.path.exists(log):
            store.complete(log, note["key"], {"corrected": event.name, "corrected_at": session.now})
    return note["text"] if note else ""


def settle(session: Session, work: Worklog, summary: str = "", outcome: dict[str, object] | None = None) -> None:
    """Write the log's entry once the compaction has happened; add the client's own figures when they are there.

    It has happened when PostCompact brings a summary or a new boundary row stands in the transcript. Raises OSError.
    """
    begun = store.begun(session.read(InSession.COMPACTING))
    if not begun:
        return
    row = work["boundaries"][-1] if _boundary(work) not in ("", begun["boundary"]) else None
    if not row and not summary and outcome is None:
        return
    log, key, found = f"{session.state}/{InState.COMPACTIONS}", begun["key"], dict(outcome or {})
    if session.once(f"compaction-{key}"):
        told = {name: value for name, value in begun.items() if name not in ("boundary", "started")}
        after = {"tokens_after": estimate(summary), "after_source": "summary"} if summary else {}
        ours = [entry.ms for entry in hook_log.load(session.folder) if entry.seconds >= begun["started"]]
        ours.append(max(0.0, time.time() - session.now) * 1_000)  # this hook so far
        took = {"seconds": round(session.now - begun["started"], 1), "hooks_ms": round(sum(ours), 1)}
        with contextlib.suppress(OSError):  # a link in the log's place: an entry less, and the rest goes on
            store.add(log, {**told, **after, **took, **found})
    elif found:
        store.complete(log, key, found)
    if row and store.complete(log, key, _figures(row, begun)):
        session.write(InSession.COMPACTING, {})  # else another hook holds the log: the next one tries again


def log(state: str) -> list[dict[str, Any]]:
    """The compactions of a project, oldest first, whole rows only; `state` is its folder."""
    return store.load(f"{state}/{InState.COMPACTIONS}")


def _figures(row: Boundary, begun: Begun) -> dict[str, Any]:
    """The client's own, and by how much the window shrank."""
    was, is_now = row["before"] or begun["tokens_before"], row["after"]
    ratio = {"ratio": round(was / is_now, 1)} if is_now else {}
    return {"tokens_before": was, "tokens_after": is_now, "after_source": "client", **ratio}
