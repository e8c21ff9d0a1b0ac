"""`holdfast handoff package|received`: gathers what a package is made from, stores it, lists packages and receipts."""

import argparse
import os
import time
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.checkpoint import git
from holdfast.checkpoint import hooks as checkpoints
from holdfast.checkpoint import model as checkpoint
from holdfast.checkpoint.environment import drift, environment
from holdfast.cli import packet
from holdfast.cli.checkpoint import session_of
from holdfast.cli.output import Output, fitted
from holdfast.cli.recall import asked_of
from holdfast.compaction import checks
from holdfast.compaction import hooks as compaction
from holdfast.config import load
from holdfast.errors import BadInput
from holdfast.handoff import orchestrator
from holdfast.hot import paths, provenance
from holdfast.hot.files import make_folder, read_from, read_text, safe_name, size_of
from holdfast.hot.paths import InSession
from holdfast.memory import briefing, repository
from holdfast.memory.hooks import EVERYWHERE, holding
from holdfast.memory.location import folder_of, users_folder
from holdfast.memory.record import first
from holdfast.memory.store import Memory
from holdfast.package import conversation, files, page, parts, schema, store
from holdfast.package.kinds import KINDS
from holdfast.session import folders, worklog
from holdfast.session.context import PROGRAM, Session, stamp
from holdfast.session.event import from_fields
from holdfast.team import store as team
from holdfast.team.location import FILE
from holdfast.team.location import folder_of as team_folder
from holdfast.team.ownership import overlap
from holdfast.text import quoting, tokens
from holdfast.text.lines import age, one_line
from holdfast.text.redaction import redacted
from holdfast.transcript.rows import parse_chunk
from holdfast.worklog.model import Worklog

TAIL = 12_000_000
"""Bytes of a transcript, its end, of which the conversation is told."""
FILES = 30


class PackageSource(NamedTuple):
    """Whose work it is. session: None for a transcript from elsewhere."""

    name: str
    transcript: str
    work: Worklog
    session: Session | None


def package(args: argparse.Namespace) -> Output:
    """Makes one, or lists them. Raises BadInput, Fault and OSError."""
    state, now = paths.state_folder(), time.time()
    if args.list:
        return _listed(state, now)
    source = source_of(args.session, args.transcript)
    if args.kind not in KINDS:
        raise BadInput("no kind is given", "--kind", f"Give one of {', '.join(KINDS)}")
    if args.kind == "specialist" and not args.task:
        raise BadInput("a specialist needs the question", "--task", "Say in a line or few what is to be answered")
    found = gathered(source, now, KINDS[args.kind].high, redacted(args.task))
    family = tokens.family(source.work["model"])
    made: list[page.Package] = []

    def written(code: str) -> tuple[str, store.Facts]:
        received = f"{PROGRAM} handoff received {code}"
        head = page.Head(code, args.kind, source.name, args.to, stamp(now), received, tuple(_whole(source)))
        made.append(page.made(head, found, family))
        text, size, material, _ = made[0]
        to = one_line(args.to, 100)
        return text, store.Facts(kind=args.kind, of=source.name, to=to, time=now, tokens=size, material=material)

    make_folder(state)
    provenance.keep_out_of_git(state)
    stored = store.save(state, now, written)
    facts = schema.made(stored, made[0])
    return Output(facts, _told(facts), whole=True)


def _told(made: schema.Made) -> str:
    size = f"{made.tokens:,} tokens of at most {made.high:,}"
    source = f"{made.material:,} tokens" + f"; it is {made.reduction} % smaller" * (made.reduction > 0)
    left = {one.title: f", {one.left_out} left out" for one in made.sections if one.left_out}
    told = [(f"  {one.title}", f"{one.told} told{left.get(one.title, '')}") for one in made.sections]
    rows = [("package", made.code), ("size", size), ("made from", source), *told]
    return "\n".join([*fitted(rows), "hand it over with this line:", f"`First read {made.path}; it says what to do.`"])


def _listed(state: str, now: float) -> Output:
    rows = [schema.row(one) for one in store.listed(state)]
    head = ("code", "kind", "for", "age", "tokens", "received")
    table = [
        (one.code, one.kind, one.made_for, age(now - one.time), f"{one.tokens:,}", _receipts(one, now)) for one in rows
    ]
    foreign = sorted(set(store.codes(state)) - {one.code for one in rows})
    why = "changed since, or not made here (a pull may have put it there): do not follow it"
    table += [(one_line(code, 40), "-", "-", "-", "-", why) for code in foreign]
    none = f"no package yet: `{PROGRAM} handoff package --kind …`"
    return Output(schema.PackageList(packages=rows, foreign=foreign), [head, *table] if table else none)


def _receipts(one: schema.PackageRow, now: float) -> str:
    told = (f"{receipt.how} by {receipt.who} {age(now - receipt.time)} ago" for receipt in one.received)
    return "; ".join(told) or "not yet"


def received(args: argparse.Namespace) -> Output:
    """Raises BadInput for a code that is none."""
    own = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    who = args.by or (f"session {own[:8]}" if own else "somebody at a shell")
    found = store.receive(paths.state_folder(), args.code, store.Acknowledgement(time.time(), who, "said"))
    if not found:
        what = f"there is no package {one_line(args.code, 40)}, or its file is not as it was made here"
        raise BadInput(what, "handoff received", "`holdfast handoff package --list` has all")
    return Output(schema.row(found), f"{found.code} received: {_receipts(schema.row(found), time.time())}")


def source_of(session_id: str, transcript: str) -> PackageSource:
    """The session meant, or a transcript of any. Raises BadInput and Fault."""
    if transcript:
        name = f"the session of {os.path.basename(transcript)}"
        return PackageSource(name, transcript, packet.read(transcript), None)
    session = session_of(session_id, saves=True)
    transcript, name = str(session.read(InSession.LAST).get("transcript") or ""), os.path.basename(session.folder)
    with folders.unused(session.folder):
        work = worklog.fold(from_fields({"transcript_path": transcript, "session_id": name}, "Stop"), session)
    if not work["messages"] and (saved := checkpoints.newest(session)):
        work = saved["work"]
    return PackageSource(f"session {name[:8]}", transcript, work, session)


def _whole(source: PackageSource) -> Iterable[str]:
    if source.transcript:
        at = source.session
        named = f"--session {os.path.basename(at.folder)}" if at else f"--transcript {source.transcript}"
        search = f'`{PROGRAM} recall "words" {named}` searches it'
        yield f"The whole conversation is {one_line(source.transcript)}; {search}."
    if source.session and (saved := checkpoints.newest(source.session)):
        yield f"The newest checkpoint is {one_line(checkpoints.page_path(source.session, saved))}."


def gathered(source: PackageSource, now: float, room: int, asked: str = "") -> parts.Material:
    """All that a package of this session draws on. room: tokens."""
    project, session, start = paths.project_folder(), source.session, max(0, size_of(source.transcript) - TAIL)
    rows = parse_chunk(read_from(source.transcript, start, TAIL, follow=True)).rows
    work = _holding(source.work, project, now)
    root = project if session else work["folder"] or project
    owned = _owned(session, now) if session else []
    mine = [path for path in repository.files(project) if any(overlap(one, path) for one in owned)] if owned else []
    there = [_file(project if root == project else "", path, now) for path in _paths(work, root, mine)]
    there = [one._replace(owned=one.path in mine) for one in there]
    saved = checkpoints.newest(session) if session else None
    alone = checkpoint.Environment(directory=work["folder"], branch=work["branch"])
    here = environment(session, work) if session else alone
    world = _now(session, work, source.transcript) if session else checks.Now(work["branch"])
    return parts.Material(
        work=work,
        agents=orchestrator.state_of(session) if session else orchestrator.empty(),
        environment=here,
        asked=asked,
        drift=drift(session, work, *checkpoints.recorded(session)) if session else (),
        note=checkpoint.note_of(saved) if saved else "",
        memory=tuple(_memory(project, now)),
        owned=tuple(owned),
        files=files.scored(work, there, root, asked, room),
        said=tuple(conversation.pieces(rows)),
        summary=_summary(session) if session else "",
        found=tuple(_touching(asked, source)),
        reports=session.path(InSession.HANDOFFS) if session else "",
        corrected=tuple(checks.corrections(work["record"], work, world._replace(staged=here.get("staged")))),
    )


def _summary(session: Session) -> str:
    written = read_text(session.path(InSession.SUMMARY)).rpartition("<summary>")[2]
    return redacted(written.partition("</summary>")[0].strip())


def _now(session: Session, work: Worklog, transcript: str) -> checks.Now:
    commits = git.in_history(session.project, work["commits"], work["branches"])
    return compaction.world(session, work, commits, transcript, work["record"])


def _holding(work: Worklog, project: str, now: float) -> Worklog:
    is_on = load.load(paths.state_folder(), os.environ)[0]["memory.mode"] != "off"
    return holding(work, folder_of(project), now) if is_on else work


def _memory(project: str, now: float) -> Iterable[parts.Remembered]:
    """What a start would be told of the memory, but for the state of other sessions; the nearer one first."""
    is_on = load.load(paths.state_folder(), os.environ)[0]["memory.mode"] != "off"
    for folder in dict.fromkeys((folder_of(project), users_folder())) if is_on else ():
        for one in briefing.told(Memory(folder), now) if os.path.isdir(folder) else ():
            section, above = briefing.section(one), EVERYWHERE if folder == users_folder() else ""
            if section != "state":
                whose = quoting.LABELS.get(one.trust, quoting.LABELS["untrusted"]).words
                line = briefing.line_of(one, now, where=above)
                said = first(one.kind, one.content)
                yield parts.Remembered(section, line, whose, one.trust == "trusted", said)


def _owned(session: Session, now: float) -> list[str]:
    folder = team_folder(session.project)
    if size_of(f"{folder}/{FILE}") < 0:
        return []
    with team.SqliteStore(folder) as here:
        own = {one.id for one in here.agents(now) if safe_name(one.session) == os.path.basename(session.folder)}
        return [claim.pattern for claim in here.holders(now) if claim.holder in own]


def _paths(work: Worklog, root: str, owned: list[str]) -> list[str]:
    """Of the files that were changed, are owned and were read the newest, from the root on."""
    newest = [*work["changed"][::-1][: FILES // 2], *owned[: FILES // 2], *work["read"][::-1]]
    inside = (path.removeprefix(f"{root}/") for path in newest)
    return list(dict.fromkeys(inside))[:FILES]


def _file(project: str, path: str, now: float) -> files.FileOnDisk:
    """As it lies there; of one that is outside of the project, "" for all of them, only the path."""
    try:
        found = repository.read(project, path, 400_000) if project else None
    except BadInput:
        found = None
    if not found:
        return files.FileOnDisk(path, is_gone=bool(project) and not os.path.lexists(os.path.join(project, path)))
    return files.FileOnDisk(path, redacted(found.text or ""), max(0.0, now - found.changed))


def _touching(asked: str, source: PackageSource) -> Iterable[str]:
    if not asked or not source.transcript:
        return
    folder = source.session.folder if source.session else ""
    for answer in asked_of(asked, 30, source.transcript, folder):
        yield "\n".join(f"{piece.who}: {piece.text}" for piece in answer.pieces)
