"""`holdfast memory`: what is remembered across sessions. Add, search, read, set aside and remove records."""

import argparse
import functools
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from holdfast.checkpoint import git
from holdfast.cli import memory_add, memory_write
from holdfast.cli import memory_view as view
from holdfast.cli.memory_add import named
from holdfast.cli.output import AGENT, Output, actions, aside, fitted, to_paste
from holdfast.config import load
from holdfast.errors import BadInput, Fault, refusal
from holdfast.hot import jsonc, paths
from holdfast.hot.files import claim, write_atomic
from holdfast.knowledge import build
from holdfast.memory import authority, briefing, checks, lifecycle, markdown, search, supersession
from holdfast.memory.location import all_folders, command, folder_of, hide_from_git, users_folder
from holdfast.memory.record import KINDS, Record, believed, called, in_use, trust_of
from holdfast.memory.store import Memory, project_memory, users_memory
from holdfast.memory.supersession import TRUST
from holdfast.search.sqlite import HELD, WAIT
from holdfast.text.dates import iso
from holdfast.text.lines import one_line
from holdfast.text.quoting import LABELS, is_carried

WHOLE = 20_000  # characters of a record that a model is shown; more are in none that was written here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    table = {name: (functools.partial(_answered, run), told) for name, (run, told) in _ACTIONS.items()}
    made = actions(parser, {**table, "write": (memory_write.run, "let a model find in a session what is to be kept")})
    write = made.pop("write")
    write.add_argument("session", metavar="SESSION", help="`holdfast sessions` lists them")
    told = "claude or claude:MODEL (the client's command, by your login), or a model of the API"
    write.add_argument("--model", required=True, metavar="NAME", help=told)
    write.add_argument("--yes", action="store_true", help="ask it; without this only what it would cost is said")
    add = made["add"]
    add.add_argument("kind", nargs="?", choices=KINDS, metavar="KIND", help=" or ".join(KINDS))
    add.add_argument("title", nargs="?", default="", help="one line")
    _add_content(add)
    add.add_argument("--supersedes", default="", metavar="ID", help="the record that it takes the place of")
    add.add_argument("--by", choices=tuple(TRUST), default="", metavar="WHO", help=f"who said it: {', '.join(TRUST)}")
    add.add_argument("--file", default="", metavar="FILE", help="a record as JSON or Markdown, - for stdin")
    _add_content(made["edit"])
    made["edit"].add_argument("--title", default="", help="one line")
    made["resolve"].add_argument("--text", default="", help="how")
    made["search"].add_argument("--all-projects", action="store_true", help="in the memories of all your projects")
    view.add_filters(made["search"], asks=True)
    made["export"].add_argument("--output", default="", metavar="FILE", help="a new file, in place of the screen")
    view.add_filters(made["list"], asks=False)
    key = "ID (8 characters do) or DEC-… code"
    made["edit"].add_argument("id", metavar="ID", help=key)
    made["share"].add_argument("--back", action="store_true", help="out of git again")
    for name in ("show", "resolve", "confirm", "archive", "restore", "share", "forget"):
        made[name].add_argument("id", nargs="+", metavar="ID", help=key)
    for name in ("search", "show"):
        made[name].set_defaults(counts=True)
    for name in ("supersede", "beside"):
        made[name].add_argument("old", metavar="OLD", help=key)
        made[name].add_argument("new", metavar="NEW", help=key)
    for one in made.values():
        one.add_argument("--user", action="store_true", help="your own memory, which every project is told")
    made["maintain"].add_argument("--dry-run", action="store_true", help="only say what would be done, by which rule")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadInput(message, self.prog)


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """What these arguments mean, for a caller that is no shell; `.run` of it runs the command. Raises BadInput."""
    parser = _Parser(prog="memory", add_help=False)
    add_arguments(parser)
    return parser.parse_args(argv)


def _add_content(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text", default="", help="what it says, the whole of it")
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=TEXT", help="a field, e.g. rationale=…")
    parser.add_argument("--tag", action="append", default=[], metavar="WORD")
    parser.add_argument("--path", action="append", default=[], metavar="FILE", help="a file or name that it is about")
    parser.add_argument("--importance", type=int, metavar="N", help="1 to 10; 10 is critical")
    parser.add_argument("--expires", default="", metavar="TIME", help="a day, an ISO time, 30d from now, or never")


def _answered(action: "Action", args: argparse.Namespace) -> Output:
    """Raises BadInput for what cannot be asked or kept, Fault where the disk refuses."""
    memory = users_memory(_guard) if args.user else project_memory("", _guard)
    if action is _add and _mode() == "off":
        todo = "`holdfast config set memory.mode local` switches it on"
        raise BadInput("the memory is switched off", "memory.mode", todo)
    reads = action in (_search, _list, _show, _check, _export) or getattr(args, "dry_run", False)
    try:
        if not reads and os.path.isdir(memory.folder):
            known = memory.known()
            if memory.missed:  # who cannot have it is told so before anything is stored
                raise memory.missed
            with _guard(f"{memory.cache}/change.lock"), known.writing():
                pass
        answer = action(args, memory)
        if memory.missed:
            aside(f"some records may be missing here: {memory.missed}")
        for line in memory.settle_codes() if action is _add else ():
            aside(line)
        if not reads and os.path.isdir(memory.folder):  # here, so that no start has to wait for it
            briefing.renew(memory, time.time())
        return answer
    except TimeoutError as error:
        raise Fault("another process is at it", memory.folder, HELD) from error
    except OSError as error:
        raise Fault(f"the memory cannot be used ({refusal(error)})", memory.folder, "See `holdfast doctor`") from error


def _mode() -> str:
    return str(load.load(paths.state_folder(), os.environ)[0]["memory.mode"])


def _nothing(told: str) -> str:
    return "the memory is switched off (memory.mode): nothing is kept or told" if _mode() == "off" else told


def _add(args: argparse.Namespace, memory: Memory) -> Output:
    now = time.time()
    new, seen = memory_add.checked(args, now, os.environ)
    opened = supersession.OpenMemory(memory, now, iso(now), not os.environ.get(AGENT))
    (instead,) = _named([args.supersedes], memory, "supersede") if args.supersedes else (None,)
    if args.user and new.trust != "trusted":
        todo = "Ask the user to say it in these words, or to add it in a shell outside of the client"
        raise BadInput("only the user's own words stand above all projects", new.title[:60], todo)
    is_over = os.environ.get(AGENT) and new.trust == "trusted" and supersession.is_over(opened, new)
    if is_over and not supersession.typed_anew(opened, new._asdict(), authority.conversation()):
        raise BadInput("the user has set this aside since they said it", new.title[:60], "Ask them to say it anew")
    if args.file:
        memory_add.refuse_taken(new, memory)
    done = supersession.upsert(opened, new, instead)
    stored = memory.find(done.record.id)
    concerned = [*done.over, *done.beside, *done.near, *([done.under] if done.under else [])]
    there = {**memory.known().named(one.id for one in concerned), stored.record.id: stored}
    trust = dict(zip(there, _trust(memory, (one.record for one in there.values())), strict=True))
    became = {
        **view.as_json(*view.stored([stored], memory)),
        "stored": done.stored,
        "supersedes": [old.id for old in done.over],
        "conflicts": [one.id for one in (*done.beside, *done.near)],
        **seen,
    }
    users = [name for name in trust if trust[name] == "trusted"]
    own = memory_add.receipt(done, new, stored.path, args.by)
    return _told(became, memory_add.told(done, new, seen, users, memory.folder), trust.values(), own)


def _search(args: argparse.Namespace, memory: Memory) -> Output:
    every = list(map(Memory, all_folders())) if args.all_projects else []
    found, total, unread, _ = view.chosen(every or [memory], args, time.time())
    _warn(unread, memory)
    _used(args, memory, [] if args.all_projects else found)  # a look around is no use
    text = view.whole(view.quoted(one, 700) for one in found) or _nothing("nothing is remembered of that")
    return Output({"query": args.query, "count": total, "results": list(map(view.as_json, found))}, text)


def _used(args: argparse.Namespace, memory: Memory, found: Iterable[search.Hit]) -> None:
    """Count a use of each, but for who only reads; none makes no folder."""
    if ids := [one.record.id for one in found if args.counts]:
        memory.used(ids, time.time())


def _warn(unread: int, memory: Memory) -> None:
    if unread:
        aside(f"files not read: {unread}; {command(memory.folder, 'check')} says why")


def _list(args: argparse.Namespace, memory: Memory) -> Output:
    found, total, unread, problems = view.chosen([memory], args, time.time())
    _warn(unread, memory)
    rows = {"records": list(map(view.as_json, found)), "problems": [one._asdict() for one in problems]}
    less = ("day", "importance") if args.sort == "importance" else ("importance", "day")
    lines = fitted([("id", "kind", "importance", "day", "title"), *map(view.as_row, found)], less)
    lines += [f"({total - len(found)} more: --limit {total})"] if total > len(found) else []
    none = "nothing can be read" if unread else "nothing is remembered yet"
    empty = "" if found else f"{'no record fits' if memory.all() else none} ({memory.folder})"
    own, trust = filter(None, [_nothing(empty)]), [one.record.trust for one in found]
    return _told({"folder": memory.folder, "count": total, **rows}, lines if found else (), trust, own)


def _show(args: argparse.Namespace, memory: Memory) -> Output:
    found = view.stored([one for key in args.id for one in memory.matching(key) or [view.found(key, memory)]], memory)
    _used(args, memory, found)
    rows = list(map(view.as_json, found))
    most = WHOLE if os.environ.get(AGENT) else 0
    text = view.whole(view.quoted(one, most) for one in found)
    asked = [called(one.record) for one in found if is_carried(one.record.trust)] if not most else []
    typed = {name: to_paste(command(memory.folder, f"confirm {name}")) for name in asked}
    text += "".join(f"\n\nIf {name} is right as it reads now: {typed[name]}" for name in asked)
    return Output(rows[0] if len(rows) == 1 else rows, text)


def _supersede(args: argparse.Namespace, memory: Memory) -> Output:
    old, new = _named([args.old, args.new], memory, "supersede")
    trust = _trust(memory, [old, new])
    path = memory.supersede(old.id, new.id, iso(time.time()))
    own = [f"{named(old)} is archived: {named(new)} holds now"]
    lines = [f"git sees the change, commit it: {path}"] * memory.is_shared(old.id)
    return _told({"archived": old.id, "by": new.id, "path": path}, lines, trust, own)


def _restore(args: argparse.Namespace, memory: Memory) -> Output:
    before, now, put_back = _several(args, memory, "restore"), time.time(), set(memory.kept)
    ids, trust = {one.id for one in before}, _trust(memory, before)
    places = [memory.update(in_use(record, now)) for record in before]
    after = memory.catalogue().named(one.superseded_by for one in before)
    over = [(one, after[one.superseded_by].record) for one in before if one.superseded_by in after]
    upkeep = lifecycle.maintain(memory, now, dry=True)
    due = [step for step in (*upkeep.actions, *upkeep.waiting) if step.id in ids]
    again = [one for one in before if one != in_use(one, now)]
    words = [one for one in before if one not in again and one.id in put_back]  # of the user, in their file
    rest = [one for one in before if one not in again and one not in words]
    parted = (("in use again", again), ("put back", words), ("in use already", rest))
    lines = [f"{what}: {', '.join(map(named, those))}" for what, those in parted if those]
    lines += [f"{named(one)} superseded {named(old)} and stays as it is  ({one.title})" for old, one in over]
    lines += [f"the next maintenance will {step.verb} {step.name} all the same: {step.rule}" for step in due]
    facts = {"restored": [one.id for one in before], "superseded_by": [one.id for _, one in over], "paths": places}
    return _told(facts, lines, [*trust, *_trust(memory, (one for _, one in over))])


def _archive(args: argparse.Namespace, memory: Memory) -> Output:
    records = _several(args, memory, "archive")
    return _did("archived", records, [memory.archive(record.id, iso(time.time())) for record in records])


def _edit(args: argparse.Namespace, memory: Memory) -> Output:
    (old,) = _named([args.id], memory, "edit")
    new, seen = memory_add.edited(args, old, time.time())
    if new == old:
        raise BadInput("nothing is given that changes it", named(old), "See `holdfast memory edit --help`")
    if os.environ.get(AGENT) and _trust(memory, [old]) == ["trusted"]:
        new = authority.reworded(old, new)
    path = memory.update(new)
    lines = [f"edited {named(new)}: {path}", *memory_add.told_of(seen)]
    return _told({"edited": new.id, "path": path, **seen}, lines, _trust(memory, [new]))


def _resolve(args: argparse.Namespace, memory: Memory) -> Output:
    records = _several(args, memory, "resolve")
    for record in records:
        if record.kind != "issue":
            raise BadInput(f"a {record.kind} has nothing to resolve", named(record), "Archive it, or supersede it")
    how = f"resolved {iso(time.time())}{': ' if args.text else ''}{args.text}"
    status = {"status": "resolved", "investigation_status": how}
    places = [memory.update(record._replace(content={**record.content, **status})) for record in records]
    return _did("resolved", records, places)


def _confirm(args: argparse.Namespace, memory: Memory) -> Output:
    records = _several(args, memory, "confirm", users=True)
    facts = {"confirmed": [one.id for one in records], "paths": [memory.confirm(one.id) for one in records]}
    return _told(facts, own=[f"the user's word, as it reads now: {', '.join(map(named, records))}"])


def _export(args: argparse.Namespace, memory: Memory) -> Output:
    own = memory.written()
    rows = [{**believed(one, own)._asdict(), "holdfast": markdown.VERSION} for one in memory.all()]
    if not args.output:
        return Output({"records": rows}, "\n".join(map(jsonc.dumps, rows)), whole=True)
    path = os.path.abspath(args.output)
    if not claim(path):
        raise BadInput("it is there already, or its folder is not", path, "Name a new file in a folder that is there")
    write_atomic(path, "".join(f"{jsonc.dumps(row)}\n" for row in rows))
    return Output({"count": len(rows), "path": path}, f"{len(rows)} records, one a line: {path}")


def _beside(args: argparse.Namespace, memory: Memory) -> Output:
    both = _named([args.old, args.new], memory, "beside")
    memory.beside([one.id for one in both])
    told = f"{named(both[0])} and {named(both[1])} stand beside each other"
    return _told({"beside": [one.id for one in both]}, own=[told])


def _check(_: argparse.Namespace, memory: Memory) -> Output:
    found = checks.check(memory, os.path.realpath(paths.project_folder()), time.time())
    alike: dict[str, list[str]] = {}
    for one in found:
        alike.setdefault(f"{one.what}. {to_paste(one.todo)}", []).append(one.path)
    lines = [one_line(f"{'; '.join(places)}: {what}") for what, places in alike.items()]
    facts, summary = {"problems": [one._asdict() for one in found]}, [*checks.summary(memory, time.time(), found)]
    told = _told(facts, [*lines, *summary]) if found else _told(facts, own=summary)
    return told._replace(code=int(bool(found)))


def _share(args: argparse.Namespace, memory: Memory) -> Output:
    if not args.back and _mode() != "shared":
        todo = "`holdfast config set memory.mode shared` lets records be shared, one by one"
        raise BadInput("the memory stays on this machine", "memory.mode", todo)
    records = _several(args, memory, "share", users=True)
    what = {record.id: "was not shared" for record in records if args.back and not memory.is_shared(record.id)}
    paths_of = [memory.share(record.id, args.back) for record in records]
    if args.back:
        hide_from_git(memory.folder)
    usual = "out of git again" if args.back else "for git to see, commit it"
    what |= {
        record.id: "hidden by an ignore file of the project's, `git add -f` it"
        for record, path in zip(records, paths_of, strict=True)
        if not args.back and git.hides(path)
    }
    facts = {"shared": [] if args.back else [record.id for record in records], "paths": paths_of}
    lines = [f"{what.get(one.id, usual)}: {named(one)}  {path}" for one, path in zip(records, paths_of, strict=True)]
    return _told(facts, lines, _trust(memory, records))


def _forget(args: argparse.Namespace, memory: Memory) -> Output:
    records = _several(args, memory, "forget")
    gone = memory.forget((record.id for record in records), not os.environ.get(AGENT))
    build.renew(time.time())
    stays = f"What a session said stays in the client's transcript and in {one_line(paths.state_folder())}/sessions"
    return _did("forgotten", records, gone, [stays])


def _maintain(args: argparse.Namespace, memory: Memory) -> Output:
    upkeep = lifecycle.maintain(memory, time.time(), args.dry_run)
    if not args.dry_run and any(step.verb == "delete" for step in upkeep.actions):
        build.renew(time.time())
    lines = [f"{step.verb} {step.name}  {step.rule}  ({step.title})" for step in upkeep.actions]
    lines += [f"due to {step.verb} {step.name}, a day from now  {step.rule}  ({step.title})" for step in upkeep.waiting]
    lines += [f"problem {problem.path}: {problem.what}. {to_paste(problem.todo)}" for problem in upkeep.problems]
    told = {part: [one._asdict() for one in getattr(upkeep, part)] for part in ("actions", "waiting", "problems")}
    return _told({"dry_run": args.dry_run, **told}, lines, own=[] if lines else ["nothing to do"])


def _named(keys: Sequence[str], memory: Memory, what: str, users: bool = False) -> list[Record]:
    """The records that a command names to do this to them. Raises BadInput where the client's shell may not.

    users: whoever has said them, only the user's word does it.
    """
    records = [view.found(key, memory).record for key in keys]
    others = [Memory(one) for one in (folder_of(), users_folder()) if one != memory.folder and os.path.isdir(one)]
    if os.environ.get(AGENT):
        trust = ["trusted" for _ in records] if users else _trust(memory, records)
        authority.refuse([*zip(records, trust, strict=True)], what, [memory, *others])
    whose, way = ("project's", "") if memory.folder == users_folder() else ("user's own", " --user")
    for code in {one.code for key, one in zip(keys, records, strict=True) if key.upper() == one.code}:
        if any(one.matching(code) for one in others):
            aside(f"the {whose} memory has a {code} too: `holdfast memory show{way} {code}`")
    return records


def _several(args: argparse.Namespace, memory: Memory, what: str, users: bool = False) -> list[Record]:
    """As `_named`, each once."""
    return [*{one.id: one for one in _named(args.id, memory, what, users)}.values()]


def _did(what: str, records: list[Record], places: list[str], more: Sequence[str] = ()) -> Output:
    """With the titles for who may have meant others; a model named them, and is shown none of its words unquoted."""
    titles = [f', "{one.title}"' * (not os.environ.get(AGENT)) for one in records]
    own = [f"{what}: {named(one)}{title}" for one, title in zip(records, titles, strict=True)]
    return _told({what: [record.id for record in records], "paths": places}, own=[*own, *more])


def _trust(memory: Memory, records: Iterable[Record]) -> list[str]:
    own = memory.written()
    return [trust_of(record, own) for record in records]


def _told(
    facts: Mapping[str, Any], lines: Iterable[str] = (), trust: Iterable[str] = LABELS, own: Iterable[str] = ()
) -> Output:
    """As `view.printed`; without a trust the records may be anybody's."""
    return Output(facts, view.printed(own, lines, trust))


def _guard(path: str) -> AbstractContextManager[object]:
    from filelock import FileLock  # only who changes something needs it

    return FileLock(path, timeout=WAIT)


Action = Callable[[argparse.Namespace, Memory], Output]
_ACTIONS: Mapping[str, tuple[Action, str]] = {
    "add": (_add, "remember something"),
    "search": (_search, "records that answer a question"),
    "list": (_list, "records, newest first"),
    "show": (_show, "one record, whole"),
    "edit": (_edit, "change what a record says"),
    "resolve": (_resolve, "note that an issue has been seen to"),
    "confirm": (_confirm, "make a record, as it reads now, the user's word"),
    "export": (_export, "all records as JSON, one a line"),
    "supersede": (_supersede, "archive a record in favour of a newer one"),
    "beside": (_beside, "note that two records do not contradict each other"),
    "check": (_check, "files that cannot be read, contradictions, references and places that lead nowhere"),
    "archive": (_archive, "set aside"),
    "restore": (_restore, "take back into use what is set aside"),
    "share": (_share, "let a record through to where git sees it, or take it back"),
    "forget": (_forget, "remove everywhere"),
    "maintain": (_maintain, "archive and remove what has had its time"),
}
