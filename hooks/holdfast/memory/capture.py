"""Put what a session leaves into the project's memory: what holds at each stop, what is open when it is over.

Rule: the lines that somebody marked (worklog/marks.py) in their own words, the plan by its state, the checks that fail;
nothing of other prose. A RULE is the user's word where the user has marked it, or where its quoted words stand in a
prompt of theirs, and then only those are kept; else it is a note, as is a choice retold. Requirements J2, J3, N.

Everything can be done twice: a record's id follows from its session and its words, and what is there stays as it is. So
nothing is lost or doubled when a stop, an end and the next start come together, or one of them is killed.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from holdfast.checkpoint import model as checkpoint
from holdfast.errors import BadInput, refusal
from holdfast.hot.files import Lock
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import dumps
from holdfast.hot.provenance import real_folder
from holdfast.memory import briefing, issues, lifecycle, pending_sessions, repository, session_page, supersession
from holdfast.memory.files import signs
from holdfast.memory.record import (
    RULE,
    SHAPES,
    Record,
    called,
    check,
    created_at,
    first,
    is_alive,
    key_of,
    unsettled,
    without_secrets,
)
from holdfast.memory.session_page import End
from holdfast.memory.store import PAGES, Memory, project_memory
from holdfast.memory.supersession import TRUST, OpenMemory
from holdfast.session import faults, folders, worklog
from holdfast.session.context import Session, skill
from holdfast.text import identifiers, redaction
from holdfast.text.dates import DAY, iso
from holdfast.text.lines import clip, counted, one_line
from holdfast.worklog import calls, fold, marks, plan, record
from holdfast.worklog.model import MarkedLine, OpenError, Worklog, own_words

Draft = dict[str, Any]
"""Fields of a record that follow from what was marked: kind, title, content, tags, importance, trust, agent, paths; n:
the message that marked what lasts."""
CONTEXT = 160  # most characters of what was worked on


class Capture(NamedTuple):
    """What putting away needs."""

    session: Session
    opened: OpenMemory
    work: Worklog
    known: dict[str, str]  # what this session has said and put away: mark of its words -> id
    until: int  # the message up to which it was put away
    seen: float  # epoch seconds of the session's last sign: its things are as old as that
    fresh: list[Record]  # what was stored just now
    refused: list[OSError]  # why what else there was could not be


class _Sort(NamedTuple):
    """What a mark makes. importance: by who has marked it; 8 and more is kept for good, 5 to 7 for 30 days."""

    kind: str
    users: int
    assistants: int
    tag: str = ""


_MARKS: Mapping[str, _Sort] = {  # kind of mark -> its record
    "decision": _Sort("decision", 9, 8),
    "retold": _Sort("learning", 5, 5),
    "lesson": _Sort("learning", 8, 8),
    "failed": _Sort("learning", 6, 6, "failed"),
    "bug": _Sort("issue", 8, 8, "bug"),
    "rule": _Sort("decision", 9, 9, RULE),
}


def at_stop(session: Session, work: Worklog, rules: Callable[[], Sequence[str]] = list) -> str:
    """Decisions and learnings, when anything new was marked; what the user is told of it. rules: as of End."""
    if not (work["marks"] or work["left"]) or session.read(pending_sessions.FILE).get("mark") == _mark(work):
        return ""
    memory = project_memory(session.project, reads=1_000)
    capture = _opened(session, work, memory, session.now)
    _take_back(capture)
    _keep(capture, lasting(worklog.said_here(work, session.folder), rules()))
    _close(capture)
    if capture.fresh:
        briefing.renew(memory, session.now)
    return "\n".join(filter(None, (kept_line(capture.fresh, memory), *map(unkept_line, capture.refused[:1]))))


def unkept_line(error: OSError) -> str:
    """What a disk has refused, for the screen. The folder: the temporary file that the error names says nothing."""
    where = os.path.dirname(str(error.filename2 or error.filename or "")) or "the memory"
    what = f"Holdfast could not keep yet what was marked ({one_line(where)}: {one_line(refusal(error))})"
    return f"{what}; it tries again at the session's end and later starts"


def kept_line(records: list[Record], memory: Memory) -> str:
    """What was kept, and how to take it back, for the screen; "" for nothing."""
    named = []
    for one in records[:3]:
        near = ", ".join(called(other.record) for other in memory.known().named(unsettled(one)).values())
        said = one_line(first(one.kind, one.content), 160) if RULE in one.tags else one_line(one.title, 60)
        kind = "state of work" if one.kind == "state" else briefing.section(one)
        named.append(f'{kind} "{said}"' + (f" (may contradict {near})" if near else ""))
    more = f" and {len(records) - 3} more" if len(records) > 3 else ""
    undo = f"{skill('forget')} {' '.join(map(called, records))}"
    many = counted(len(records), "record")
    return f"Holdfast kept {many} for later sessions: {', '.join(named)}{more}; undo: {undo}" if records else ""


def at_end(session: Session, work: Worklog, end: End) -> bool:
    """All that a session leaves, its page, the compiled memory; also later, in its place. Raises OSError.

    Whether maintenance has removed anything: then what else was made of the memory is to be made anew.
    """
    if not work["messages"]:  # nothing was said in it: it counts for nothing
        pending_sessions.drop(session)
        return False
    memory = project_memory(session.project, reads=200)
    # two starts may find the same dead session; a lock that is not had in time: see above
    with Lock(f"{pending_sessions.notes(session)}/keep.lock"):
        left = (
            lasting(worklog.said_here(work, session.folder), end.rules),
            unfinished(work, partial(supersession.unforgotten, memory)),
        )
        capture = _opened(session, work, memory, end.seen)
        if os.path.isdir(memory.folder):
            _take_back(capture)
            _resolve(capture)
        if any(left) or work["changed"] or work["commits"]:
            _put_away(capture, left, end)
            pending_sessions.tell_later(session, kept_line(capture.fresh, memory))
        if capture.refused:  # a later start tries again
            raise capture.refused[0]
        pending_sessions.mark_done(session, end.how, end.seen)
    has_removed = False
    if not os.path.isdir(memory.folder):
        return has_removed
    if lifecycle.is_due(memory, session.now) and memory.known().is_whole:  # else more ends read on first
        upkeep = lifecycle.maintain(memory, session.now, looked=lifecycle.in_turn(memory))
        has_removed = any(step.verb == "delete" for step in upkeep.actions)
    if briefing.ready(memory, session.now) is None:
        briefing.renew(memory, session.now)
    return has_removed


def _opened(session: Session, work: Worklog, memory: Memory, seen: float) -> Capture:
    kept = session.read(pending_sessions.FILE)
    begun = next((one["n"] for one in work["prompts"] if own_words(one)), work["messages"])  # what a fork copied is old
    until = kept.get("until", begun)
    return Capture(session, OpenMemory(memory, session.now, iso(seen)), work, _known(kept), until, seen, [], [])


def _known(kept: dict[str, Any]) -> dict[str, str]:
    return dict(kept["keys"]) if isinstance(kept.get("keys"), dict) else {}


def _put_away(capture: Capture, left: tuple[list[Draft], list[Draft]], end: End) -> None:
    """left: what holds whatever becomes of the task, and what is open. Raises OSError."""
    is_child = pending_sessions.noted(capture.session)["child"]
    kept = _keep(capture, [*left[0], *(one for one in left[1] if not (is_child and one["kind"] == "state"))])
    _close(capture)
    try:
        _write_page(capture, end, kept, [*left[0], *left[1]])
    except OSError:  # a page less: what it tells of is in the memory
        faults.log_current_fault("SessionEnd")


def _write_page(capture: Capture, end: End, records: list[Record], left: list[Draft]) -> None:
    """The session's summary as a page, without what was said and is forgotten. Raises OSError."""
    session, memory = capture.session, capture.opened.memory
    drafts = (Record("", one["kind"], "", "", one["content"]) for one in left)
    gone = [first(one.kind, one.content) for one in drafts if supersession.is_over(capture.opened, one)]
    page = session_page.without(session_page.page(session, capture.work, records, end), (), gone)
    folder = real_folder(f"{real_folder(memory.folder)}/{PAGES}")
    path = f"{folder}/{iso(end.seen)[:10]}-{folders.shown(os.path.basename(session.folder))}.md"
    session_page.keep(path, redaction.redacted(page.replace(f"{session.project}/", "")), memory.written())


def _close(capture: Capture) -> None:
    """Note what was put away, and that this window holds it: it need not be told what it has said itself."""
    session, before = capture.session, capture.session.read(pending_sessions.FILE)
    fresh = [name for key, name in capture.known.items() if name and key not in _known(before)]
    for line in capture.opened.memory.settle_codes() if capture.fresh else ():
        pending_sessions.tell_later(session, f"Holdfast: {line}")
    held = pending_sessions.also_told(session, fresh)
    put_away = {"keys": capture.known, "until": capture.work["messages"], "mark": _mark(capture.work)}
    session.write(pending_sessions.FILE, {**before, **put_away, **held})


def _mark(work: Worklog) -> str:  # by which is seen that something new was marked
    return fingerprint(dumps([work["marks"], work["taken_back"], work["left"]]).encode())


def _keep(capture: Capture, found: Iterable[Draft]) -> list[Record]:
    """Store what is new of these; the records that they stand for, those from before included."""
    return [record for one in found if (record := _keep_one(capture, one))]


def _keep_one(capture: Capture, found: Draft) -> Record | None:
    opened, kind, is_state = capture.opened, found["kind"], found["kind"] == "state"
    said = key_of(kind, first(kind, found["content"]))
    mark = fingerprint(b"state" if is_state else said.encode("utf-8", "replace"))  # words may have to be forgotten
    is_known, before = mark in capture.known, _record_of(opened.memory, capture.known.get(mark, ""))
    is_users, is_new = found["trust"] == "trusted", found.get("n", 0) > capture.until
    typed = supersession.typed_anew(opened, found, capture.work, before)
    again = found["n"] if is_known and is_new and not is_users else typed
    key = said + (f" {capture.work['messages']}" if is_state else f" {again}" if again else "")
    if is_known and not is_state and not again:
        return before  # may have been forgotten by the user since: then it does not come back
    try:
        made = _made(capture, found, key)
        there = made and ((_renewed(opened, before, made) if is_state else None) or _record_of(opened.memory, made.id))
        if record := there or (made and _put(capture, made, bool(typed), is_users or is_new)):
            capture.known[mark] = record.id
    except (BadInput, OSError) as error:  # nothing but control characters, a broken file of its name, a disk
        capture.refused.extend([error] if isinstance(error, OSError) else [])
        return None
    return record


def _renewed(opened: OpenMemory, before: Record | None, made: Record) -> Record | None:
    """The state that this session has left before, as it is now: one that is resumed leaves no second one.

    None where it is set aside, or somebody else has had a hand in it, who has edited the file, say.
    """
    if not before or not is_alive(before, opened.now) or supersession.is_over(opened, made):
        return None
    if opened.trust(before) != made.trust:
        return None
    new = made._replace(id=before.id, code=before.code)
    opened.memory.update(new)
    return new


def _record_of(memory: Memory, name: str) -> Record | None:
    return next((one.record for one in memory.known().named([name]).values()), None)


def _made(capture: Capture, found: Draft, key: str) -> Record | None:
    """The record; None for one that is not worth it. Raises BadInput."""
    session = capture.session
    name, known = os.path.basename(session.folder), [*capture.work["changed"], *capture.work["read"]]
    fields = {
        **{field: value for field, value in found.items() if field != "n"},
        "id": supersession.identity(f"{name} {key}"),
        "time": capture.opened.stamp,
        "project": os.path.basename(session.project),
        "session": folders.shown(name),
        "paths": repository.found(session.project, found["paths"], known) if found["paths"] else [],
    }
    record = supersession.tagged(without_secrets(check(fields)))
    days = supersession.kept_days(record)
    record = record._replace(expires=iso(capture.seen + days * DAY) if days else "")
    return None if supersession.rejection(record) else record


def _put(capture: Capture, made: Record, is_anew: bool, again: bool) -> Record | None:
    """What the memory has of it then; None for what a session does not bring back. again: as of `upsert`."""
    if not is_anew and supersession.is_over(capture.opened, made):
        return supersession.equivalent(capture.opened, made)
    done = supersession.upsert(capture.opened, made, None, [one.id for one in capture.fresh], again)
    if done.renewed or (done.stored and not done.under):
        capture.fresh.append(done.record)
    return done.record


def _resolve(capture: Capture) -> None:
    """Mark the issues that this session has seen to, by each reason of issues.py, and those of failed checks that it
    may have seen to, which are no more told at a start; none that came up after it was seen last.
    """
    memory, now, work = capture.opened.memory, capture.session.now, capture.work
    done = signs((run["command"] for run in work["runs"]), [*work["commits"], *plan.finished(work)])
    ticked = (key_of("issue", mark["text"]) for mark in work["marks"] if mark["kind"] == "done")
    keys = [*(f"open {sign}" for sign in done), *(f"said {words}" for words in ticked)]
    for old in (one.record for one in memory.catalogue().known_by(keys, 2_000)):
        is_asked = old.content.get("status") == "open" and is_alive(old, now) and created_at(old, now) <= capture.seen
        found = issues.found(old, work, capture.opened.stamp) if is_asked else {}
        if found:
            with contextlib.suppress(BadInput):  # one that was forgotten or broken meanwhile
                memory.update(old._replace(content={**old.content, **found}))


def _take_back(capture: Capture) -> None:
    session = folders.shown(os.path.basename(capture.session.folder))
    supersession.take_back(capture.opened, capture.work, capture.known, session)


def lasting(work: Worklog, rules: Sequence[str] = ()) -> list[Draft]:
    """What holds whatever becomes of the task, oldest first; rules: the user's that are kept, which no agent makes."""
    lasts = (mark for mark in work["marks"] if mark["kind"] in ("rule", "decision", "retold", "lesson", "failed"))
    made = ((_rule(one, work, rules) if one["kind"] == "rule" else _marked(one, work), one["n"]) for one in lasts)
    return [{**draft, "n": n} for draft, n in made if draft]


def unfinished(work: Worklog, told: Callable[[str], str] = str) -> list[Draft]:
    """What is open: bugs, failing checks, and the state of the work where there is more to it than a prompt.

    told: what of a request may be told.
    """
    bugs = [mark for mark in work["marks"] if mark["kind"] == "bug" and not issues.seen_to(mark["text"], work)]
    return [one for one in (*_issues(bugs, calls.failing_checks(work), work), _state(work, told)) if one]


def _issues(bugs: list[MarkedLine], failing: list[OpenError], work: Worklog) -> Iterable[Draft]:
    """Of each bug and each failing check; a check of which all failing lines have a name of the bug only shows it."""
    left = list(failing)
    for mark in bugs:
        draft, names = _marked(mark, work), [*identifiers.identifiers(mark["text"]), *identifiers.paths(mark["text"])]
        for error in [one for one in left if draft and _is_named(names, one["what"])][:1]:
            left.remove(error)
            draft["content"].update(reproduction_steps=error["at"], attempted_fixes=error["tried"])
        yield draft
    for error in left:  # in the tool's own words
        shown = {"reproduction_steps": error["at"], "attempted_fixes": error["tried"]}
        content = {"description": clip(error["what"], 300), "severity": "high", **shown}
        yield _draft(_Sort("issue", 7, 7, "error"), content, "tool")


def _is_named(names: list[str], what: str) -> bool:
    lines = [line for line in what.split(" / ") if not line.startswith("=")]  # pytest's sum
    return bool(lines) and all(any(identifiers.occurs(name, line) for name in names) for line in lines)


def _state(work: Worklog, told: Callable[[str], str]) -> Draft:
    """Where the work stands; {} where neither a plan nor a TODO says more than the prompts."""
    groups, most = dict[str, list[str]](), 12  # steps of each
    for item in plan.items(work):
        groups.setdefault(item["status"], []).append(item["text"])
    done, active = groups.get("completed", []), groups.get("in_progress", [])
    left = [*active, *groups.get("pending", [])]
    noted = [mark["text"] for mark in work["marks"] if mark["kind"] == "todo" and mark["text"] not in done]
    if not (done or left or noted):
        return {}
    content = {
        "task_description": checkpoint.title(work, told) or "no request is known",
        "completion_percentage": 100 * len(done) // max(1, len(done) + len(left)),
        "substeps_completed": done[-most:],
        "substeps_remaining": left[:most],
        "next_actions": list(dict.fromkeys([*active[:1], *noted[-most:]])),
    }
    return _draft(_Sort("state", 7, 7), content, "assistant")


def _rule(mark: MarkedLine, work: Worklog, rules: Sequence[str]) -> Draft:
    text = mark["text"]
    said = text if mark["by"] == "user" else supersession.passage(text, fold.words(work))
    if said:
        content = {"decision": said, "rationale": "", "context": "laid down by the user"}
        return _draft(_MARKS["rule"], content, "user")
    if record.users_words(text, rules, marks.WHOLE):
        return {}
    return _draft(_Sort("learning", 5, 5, RULE), {"lesson": clip(text, 400), "context": _context(work)}, "assistant")


def _marked(mark: MarkedLine, work: Worklog) -> Draft:
    sort = _MARKS[mark["kind"]]
    more = {"severity": "high"} if sort.kind == "issue" else {"context": _context(work)}
    text = f"{'FAILED: ' * (mark['kind'] == 'failed')}{mark['text']}"
    return _draft(sort, {next(iter(SHAPES[sort.kind])): text, **more}, mark["by"])


def _draft(sort: _Sort, content: Mapping[str, Any], by: str) -> Draft:
    says = first(sort.kind, content)
    if not any(map(str.isalnum, says)):
        return {}
    named = [*identifiers.paths(says), *identifiers.identifiers(says)][:8]
    tags = [identifiers.basename(name).partition(".")[0].lower() for name in named]
    return {
        "kind": sort.kind,
        "title": supersession.title_of(says, [sort.tag]),
        "content": dict(content),
        "tags": list(dict.fromkeys([*([sort.tag] if sort.tag else []), *tags]))[:6],
        "importance": sort.users if by == "user" else sort.assistants,
        "trust": TRUST.get(by, "untrusted"),
        "agent": by,
        "paths": named,
    }


def _context(work: Worklog) -> str:
    """What was worked on when it was said; lines that are marked are records of their own."""
    asked = next(filter(None, (marks.unmarked(prompt["text"]) for prompt in work["prompts"])), "")
    return f'while at work on: "{one_line(asked, CONTEXT)}"' if asked else ""
