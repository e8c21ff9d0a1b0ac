"""`holdfast checkpoint`: save the state of the work by hand, look at what is saved, take the work up again."""

import argparse
import os
import time

from holdfast.checkpoint import hooks, model, page, schema, store
from holdfast.checkpoint.model import StoredCheckpoint
from holdfast.cli.output import Output, actions
from holdfast.errors import BadInput, Fault
from holdfast.gauge import hooks as gauge
from holdfast.hot import paths, provenance
from holdfast.hot.files import names_in, read_text, size_of
from holdfast.hot.paths import InSession
from holdfast.session import folders, liveness, worklog
from holdfast.session.context import Session, in_folder
from holdfast.session.event import from_fields
from holdfast.text.lines import age

BY_HAND = "saved by hand"
NOTE_CHARS = 1_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    table = {
        "save": (_save, "save now, e.g. before a risky step"),
        "show": (_show, "the newest checkpoint, or the one of this number"),
        "list": (_list, "all of the session's checkpoints"),
        "resume": (_resume, "the text that lets a fresh agent take the work up; the newest checkpoint only"),
    }
    parsers = actions(parser, table)
    for action in parsers.values():
        action.add_argument("--session", default="", metavar="ID", help="default: this one, else the newest")
    parsers["save"].add_argument("--note", default="", metavar="TEXT", help="what is about to happen; told first")
    for name in ("show", "resume"):
        parsers[name].add_argument("number", nargs="?", type=int, metavar="NUMBER")


def session_of(named: str, saves: bool = False) -> Session:
    """The session meant: the one that is named, else the client's own, else the newest that has what is asked for.

    A fresh session has no checkpoint, so what is to be shown or resumed there is another one's.
    """
    state = paths.state_folder()
    root = f"{state}/sessions"
    own = paths.session_folder(state, os.environ.get("CLAUDE_CODE_SESSION_ID", "") or "none")
    own = liveness.named(state, named) if named else own
    serves = named or saves or store.listed(f"{own}/{InSession.CHECKPOINTS}")
    choices = (own if serves else "", "" if saves else _newest_saved(root), liveness.newest(state))
    there = filter(None, choices)
    folder = next((place for place in there if provenance.real_within(root, [os.path.basename(place)])), "")
    if not folder:
        raise Fault("no session has run here yet", state, "Start Claude Code here, or see `holdfast doctor`")
    return in_folder(state, folder, time.time())


def _newest_saved(root: str) -> str:
    """Folder of the session whose whole checkpoint is the newest of this project; "" for none.

    One that a clone has brought is taken up only by its name.
    """
    all_of = (f"{root}/{name}" for name in names_in(root) if liveness.noted(f"{root}/{name}"))
    found = ((store.newest(f"{folder}/{InSession.CHECKPOINTS}"), folder) for folder in all_of)
    here = paths.project_folder()
    mine = [(saved["time"], at) for saved, at in found if saved and saved["environment"].get("directory") == here]
    return max(mine, default=(0.0, ""))[1]


def _save(args: argparse.Namespace) -> Output:
    session = session_of(args.session, saves=True)
    if len(args.note) > NOTE_CHARS:
        told = f"the note has {len(args.note):,} characters"
        raise BadInput(told, "--note", f"At most {NOTE_CHARS:,} are kept whole")
    transcript, name = session.read(InSession.LAST).get("transcript"), os.path.basename(session.folder)
    event = from_fields({"transcript_path": transcript, "session_id": name}, "Stop")
    with folders.unused(session.folder):
        work, reading = worklog.fold(event, session), gauge.read(event, session, by_hooks=True)
        saved = hooks.save(session, work, reading, BY_HAND, args.note.strip())
    hooks.log_progress(session, saved, work, f"{BY_HAND}: {args.note}" if args.note else BY_HAND)
    path = hooks.page_path(session, saved)
    facts = schema.Saved(version=saved["number"], window=saved["window"], path=path)
    return Output(facts, f"checkpoint {saved['number']:04d} saved: {path}")


def _show(args: argparse.Namespace) -> Output:
    session = session_of(args.session)
    saved = _chosen(args.number, session)
    path = hooks.page_path(session, saved)
    text = read_text(path) or page.readable(saved, session.path(InSession.HANDOFFS))
    return Output(schema.shown(saved, path), text.rstrip())


def _chosen(number: int | None, session: Session) -> StoredCheckpoint:
    """The checkpoint of this number, else the newest whole one."""
    folder = session.path(InSession.CHECKPOINTS)
    newest = store.newest(folder)
    if not newest:
        raise Fault("there is no whole checkpoint", folder, "Save one: `holdfast checkpoint save`")
    if number is None:
        return newest
    saved = store.load(folder, number)
    if saved:
        return saved
    is_there = size_of(f"{folder}/{number:04d}.json") >= 0
    name = f"checkpoint {number:04d}"
    what = f"{name} is damaged, or of another version" if is_there else f"there is no {name}"
    raise BadInput(what, folder, f"The newest whole one is {newest['number']:04d}; `holdfast checkpoint list` has all")


def _list(args: argparse.Namespace) -> Output:
    session = session_of(args.session)
    whole = hooks.newest(session)
    newest = whole["number"] if whole else 0
    folder = session.path(InSession.CHECKPOINTS)
    rows = [_row(number, saved, session, number == newest) for number, saved in store.listed(folder)]
    states = {"newest": "whole, newest", "torn": "damaged"}
    table = [(str(row.version), row.age, states.get(row.state, row.state), row.about) for row in rows]
    facts = schema.Listed(session=os.path.basename(session.folder), newest=newest or None, checkpoints=rows)
    return Output(facts, [("number", "age", "state", "why"), *table] if rows else f"no checkpoint yet ({folder})")


def _row(number: int, saved: StoredCheckpoint | None, session: Session, is_newest: bool) -> schema.Row:
    if not saved:
        return schema.Row(version=number)
    note = model.note_of(saved)
    return schema.Row(
        version=number,
        time=saved["stamp"],
        age=age(session.now - saved["time"]),
        state="newest" if is_newest else "whole",
        reason=saved["reason"],
        note=note,
        about=f"{saved['reason']}{': ' if note else ''}{note}",
        tasks={name: len(texts) for name, texts in model.tasks(saved["work"]).items()},
        path=hooks.page_path(session, saved),
    )


def _resume(args: argparse.Namespace) -> Output:
    session = session_of(args.session)
    saved = _chosen(args.number, session)
    newest = hooks.newest(session) or saved
    show = f"holdfast checkpoint show {saved['number']}{f' --session {args.session}' if args.session else ''}"
    if saved["number"] < newest["number"]:
        raise BadInput(
            f"checkpoint {saved['number']:04d} is older than the newest, {newest['number']:04d}, so it is refused",
            session.path(InSession.CHECKPOINTS),
            f"Resume {newest['number']:04d} (leave the number out); to read the old one: `{show}`",
        )
    found = hooks.found(session, saved)._replace(later=_later(saved, session))
    text = page.taken_up(saved, found)
    now = {"drift": list(found.drift), "later": found.later, "environment_now": found.environment, "text": text}
    facts = schema.Resumed(**{**schema.shown(saved, found.path).model_dump(), **now})
    return Output(facts, text.rstrip())


def _later(saved: StoredCheckpoint, session: Session) -> str:
    transcript = str(session.read(InSession.LAST).get("transcript") or "")
    grown = size_of(transcript) - saved["work"]["offset"]
    if grown <= 0:
        return ""
    return f"LATER: the session went on after this checkpoint; {grown:,} bytes of {transcript} are not in it"
