"""What the events of a session have to do with the memory: a start and a prompt are told, a stop and an end put away.

Which records they tell is compiled (briefing.py); the records are read, so that one that is gone meanwhile is not told.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, cast

from holdfast.gauge import hooks as gauge
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.paths import InSession, InState
from holdfast.hot.provenance import is_real
from holdfast.memory import pending_sessions
from holdfast.memory.location import command, folder_of, users_folder
from holdfast.memory.record import RULE, Record, first, is_alive, key, key_of
from holdfast.session import faults, folders, worklog
from holdfast.session.context import PROGRAM, Session, told_before
from holdfast.session.event import Event
from holdfast.session.reply import utf16_length
from holdfast.text import quoting
from holdfast.text.dates import iso
from holdfast.text.lines import counted, one_line
from holdfast.text.tokens import estimate
from holdfast.worklog import marks
from holdfast.worklog.model import Kind, MarkedLine, Message, UserPrompt, Worklog

EVERYWHERE = "; the user's, for all projects"
"""For the model: "yours" would be its own."""


def is_on(session: Session) -> bool:
    """Whether the user wants a memory at all."""
    return bool(session.config["memory.mode"] != "off")


def start(session: Session, room: int, without_task: bool) -> str:
    """What this start tells of the memory, at most `room` UTF-16 units; "" when there is nothing. Raises OSError.

    without_task: the old task is not told, because the user has cleared it away or because it is told already.
    """
    folder, there = folder_of(session.project), _folders(session)
    if not there or room < 400:  # not worth to begin
        return ""
    from holdfast.memory import briefing, store  # a project without a memory does not pay for it

    seen: dict[str, str] = {}
    told: list[tuple[Record, str]] = []
    has_rivals = False
    memories = {place: store.Memory(place, reads=1_000) for place in there}
    for place, memory in memories.items():  # the nearer one first
        above = "" if place == folder else EVERYWHERE
        records = briefing.told(memory, session.now)
        against = briefing.against(records)
        has_rivals = has_rivals or bool(against)
        for one in records:
            known = any(key(one) == key(other) for other, _ in told) if above else without_task
            if not (known and (above or one.kind == "state")) and not (above and one.kind in ("state", "issue")):
                told.append((one, _line(session, one, seen, against.get(one.id, "") + above)))
    compiled = {place: briefing.compiled(one) for place, one in memories.items()}
    notes = compiled.values()
    before = briefing.continuity(*pending_sessions.before(session), session.now)
    place = one_line(quoting.clean(folder), 300)  # the project's own name may come from an archive
    nearer = "Where a rule for all projects and one of this project differ, this project's holds. "
    apart = nearer if any(EVERYWHERE in line for _, line in told) else ""
    if has_rivals:
        apart += "Of two that may contradict ask which holds: `memory supersede OLD NEW` or `memory beside ID ID`. "
    if unread := sum(int(one.get("unread", 0)) for one in notes):
        named = f"{_check(compiled, 'unread', 'memory ')} names them and why. "
        apart += f"Not read as records: {counted(unread, 'file')}; {named}"
    differs = [str(name) for one in notes for name in one.get("kept", [])]
    if differs and not told_before(session.state, InState.DIFFERS, repr(differs)):
        what = "Holdfast: changed or gone on disk, sessions still get your words"
        see = _check(compiled, "kept", f"{PROGRAM} memory ")
        pending_sessions.tell_later(session, f"{what}: {', '.join(differs[:5])}; see {see}")
    place += f"; commands: `{PROGRAM} memory …`"
    head = f"Holdfast: what earlier sessions left in this project's memory ({place}). {apart}{before}".rstrip()
    beyond = sum(int(one.get("beyond", 0)) for one in notes)
    text, ids = briefing.page(told, room - utf16_length(head) - 1, beyond)
    if not ids:
        return head if unread else ""
    pending_sessions.note_told(session, folder, ids)
    return f"{head}\n{text}"


def _check(compiled: Mapping[str, Mapping[str, Any]], field: str, program: str) -> str:
    """The command that tells more, of each memory that has this field."""
    return " or ".join(command(place, "check", program) for place, one in compiled.items() if one.get(field))


def _folders(session: Session) -> list[str]:
    """The memories that a start here tells, if any: the project's, then the user's own."""
    places = dict.fromkeys((folder_of(session.project), users_folder())) if is_on(session) else ()
    return [one for one in places if one and is_real(one)]


def standing(session: Session) -> tuple[list[str], list[str]]:
    """The user's own rules that a start here tells, in full, and the grave open issues; what a clone has brought or
    others laid down is none. Raises OSError.
    """
    there = _folders(session)
    if not there:
        return [], []
    from holdfast.memory import briefing, store

    found = [one for place in there for one in briefing.told(store.Memory(place, reads=1_000), session.now)]
    rules = (one for one in found if one.trust == "trusted" and briefing.section(one) == RULE)
    known = (one for one in found if one.kind == "issue" and one.trust != "untrusted")
    issues = (one for one in known if briefing.is_told_at_any_age(one))
    told = [list(dict.fromkeys(first(one.kind, one.content) for one in those)) for those in (rules, issues)]
    return told[0], told[1]


def _known_rules(session: Session, work: Worklog) -> list[str]:
    """Those of them that an agent may have repeated, as it was told them: that lays down nothing."""
    repeats = any(mark["kind"] == "rule" and mark["by"] != "user" for mark in work["marks"])
    return standing(session)[0] if repeats else []


def prompt(event: Event, session: Session) -> str:
    """What a prompt calls up; "" when nothing fits well. Commands of the client and sub-agents get none."""
    said, folder = event.text("prompt"), folder_of(session.project)
    if not is_on(session) or event.in_subagent or said.lstrip().startswith("/"):
        return ""
    found = list(itertools.islice(_called_up(session, folder, said), 3))
    while found:
        quoted = quoting.fenced(one for _, one in found)
        text = f"Holdfast: from this project's memory, since the prompt touches it.\n{quoted}"
        if estimate(text) <= 300:
            pending_sessions.note_told(session, folder, [name for name, _ in found])
            return text
        found.pop()
    return ""


def _called_up(session: Session, folder: str, said: str) -> Iterator[tuple[str, quoting.Quoted]]:
    """The ids of the records that a prompt calls up, and the records as data, where they still hold."""
    from holdfast.memory import briefing, record, store

    told, memory = pending_sessions.told(session), store.Memory(folder, reads=-1)
    known = memory.catalogue()
    fitting = briefing.fitting(briefing.rows(known, session.now, fills=False), said)
    names = [name for name in fitting if name not in told]
    for name, one in known.named(names[:8]).items():  # as they read now
        if record.is_alive(one.record, session.now):
            believed = record.believed(one.record, memory.written())
            yield name, quoting.Quoted(_line(session, believed, {}), believed.trust, "", believed.kind, "")


def _line(session: Session, one: Record, seen: dict[str, str], where: str = "") -> str:
    """seen: as of repository.gone; where: as of briefing.line_of."""
    from holdfast.memory import briefing, repository

    gone = repository.gone(session.project, one.paths, seen) if one.paths and EVERYWHERE not in where else ()
    return briefing.line_of(one, session.now, gone, where)


def stop(session: Session, work: Worklog) -> str:
    """Keep what was marked; lines for the user where something was kept, or could not be."""
    if not is_on(session):
        return ""
    from holdfast.memory import capture

    try:
        return capture.at_stop(session, work, lambda: _known_rules(session, work))
    except OSError as error:
        faults.log_current_fault("Stop")
        told = capture.unkept_line(error)
        return told if session.at_least_once(f"unkept-{told}") else ""


def let_go(session: Session, work: Worklog) -> Worklog:
    """What holds of it, for good: no window is told the rest. Raises OSError."""
    left = holding(work, folder_of(session.project), session.now)
    if (left["marks"], left["record"]) != (work["marks"], work["record"]):
        left["let_go"] = True
        worklog.keep(session, {**left, "prompts": work["prompts"]})
    return left


def holding(work: Worklog, folder: str, now: float) -> Worklog:
    """Without the marked lines, and those of the last summary's record, that the memory has set aside or forgotten, and
    without what of the requests and the last messages was; a word of the user's stays where they have said it anew.
    """
    if not is_real(folder):
        return work
    from holdfast.memory import capture, store, supersession

    memory = store.Memory(folder, reads=1_000)
    opened, forgotten = supersession.OpenMemory(memory, now, iso(now)), memory.forgotten()

    def holds(mark: MarkedLine) -> bool:
        found = next(iter(capture.lasting(cast("Worklog", {**work, "marks": [mark]}))), {})  # as it would be kept
        said = {mark["text"], *([first(found["kind"], found["content"])] if found else [])}
        keys = [key_of(kind, one) for one in said for kind in ("decision", "learning", "issue")]
        there = [one.record for one in memory.known().known_by(f"said {key}" for key in keys)]
        is_over = there or any(fingerprint(key.encode("utf-8", "replace")) in forgotten for key in keys)
        if is_over and found and found["trust"] == "trusted":
            made = Record("", found["kind"], "", "", found["content"], trust="trusted")
            is_over = supersession.is_over(opened, made) and not supersession.typed_anew(opened, found, work)
        return not is_over or any(is_alive(one, now) for one in there)

    def told(prompt: UserPrompt) -> UserPrompt:
        said = supersession.unforgotten(memory, prompt["text"], prompt.get("at", ""))
        own = prompt.get("own", prompt["text"])
        return prompt if said == prompt["text"] else {**prompt, "text": said or "\u2026", "own": own}

    def left(said: Message) -> Message:
        gone = [one["text"] for one in marks.marked(said["text"], "assistant", said["n"]) if not holds(one)]
        return {**said, "text": marks.unmarked(said["text"], "assistant", gone)} if gone else said

    kinds: dict[str, Kind] = {"RULE": "rule"}  # any other's words may stand in a record of each kind
    lines = [(one, kinds.get(one["kind"], "todo")) for one in work["record"]]
    record = [one for one, kind in lines if holds(MarkedLine(kind=kind, text=one["text"], by="assistant", n=0))]
    kept = {"marks": [*filter(holds, work["marks"])], "record": record, "prompts": [*map(told, work["prompts"])]}
    return cast("Worklog", {**work, **kept, **{name: left(work[name]) for name in ("before", "last_message")}})


def end(event: Event, session: Session, work: Worklog) -> bool:
    """All that the session leaves; whether maintenance has removed records (capture.at_end). Raises OSError."""
    return is_on(session) and _put_away(event, session, work, (event.text("reason"), session.now))


def _put_away(event: Event, session: Session, work: Worklog, ended: tuple[str, float]) -> bool:
    """ended: how, as the client calls it, and epoch seconds of the session's last sign."""
    from holdfast.memory import capture
    from holdfast.memory.session_page import End

    tokens = gauge.read(event, session).tokens
    return capture.at_end(session, work, End(*ended, tokens, _known_rules(session, work)))


def end_late(event: Event, session: Session) -> bool:
    """Put away a session that is over, at a later start: what it left is as old as its last sign. Raises OSError."""
    pending_sessions.note_try(session)
    last = session.read(InSession.LAST)
    seen = min(last["time"] if last.get("begun") else folders.last_used(session.folder), session.now)
    then = event._replace(transcript_path=str(last.get("transcript") or ""), fields={})
    try:
        return _put_away(then, session, worklog.fold(then, session), (str(last.get("ended") or "cut off"), seen))
    finally:  # what is written for it here is no sign of life
        folders.set_back(session.folder, seen)
