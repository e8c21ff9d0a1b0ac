"""`holdfast memory add`: what makes a record (its options, or a file), and what is said of what became of it."""

import argparse
import json
import os
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from holdfast.checkpoint import git
from holdfast.cli.memory_view import moment
from holdfast.cli.output import AGENT, to_paste
from holdfast.errors import BadInput
from holdfast.hot import jsonc, paths
from holdfast.hot.files import read_bytes
from holdfast.memory import authority, markdown, repository
from holdfast.memory.location import command
from holdfast.memory.record import (
    BESIDE,
    KINDS,
    RULE,
    SHAPES,
    UNSETTLED,
    WAS,
    Record,
    called,
    check,
    first,
    is_called_by_its_words,
    is_resolved,
    key,
    texts,
    without_secrets,
)
from holdfast.memory.store import Memory
from holdfast.memory.supersession import TRUST, Outcome, rejection, tagged, title_of
from holdfast.session import folders
from holdfast.text import redaction
from holdfast.text.dates import iso
from holdfast.text.lines import one_line


def checked(
    args: argparse.Namespace, now: float, environment: Mapping[str, str]
) -> tuple[Record, dict[str, list[str]]]:
    """The record of these options; of it what is missing (places that are not there) and redacted (kinds of secrets).

    Raises BadInput where they make none, or one that is not worth it.
    """
    record, seen = _seen(check(fields(args, now, environment)))
    return tagged(record), seen


def _seen(record: Record, old: Record | None = None) -> tuple[Record, dict[str, list[str]]]:
    """As `checked`; of one that stood there before, what it says anew."""
    out = redaction.secrets("\n".join([record.title, *texts(record)]))
    project, stay = os.path.realpath(paths.project_folder()), old.paths if old else ()
    placed = ((name, repository.placed(project, name, _candidates(project, name))) for name in record.paths)
    places = dict.fromkeys(name if name in stay else there or name for name, there in placed)
    record = without_secrets(record._replace(paths=tuple(places)))
    why = "" if old and (old.title, old.content) == (record.title, record.content) else rejection(record)
    if why:
        others = [name for name in record.extra if not (name.startswith("### ") or name in (WAS, UNSETTLED, BESIDE))]
        unknown = f"a record has no field {', '.join(map(repr, others))}; " if others else ""
        what = f"{unknown}this is not worth a record: {why.partition(': ')[0]}"
        raise BadInput(what, "", why.partition(": ")[2].capitalize())
    missing = _missing(project, (place for place in places if place not in stay))
    return record, {"missing": list(missing), "redacted": out}


def fields(args: argparse.Namespace, now: float, environment: Mapping[str, str]) -> dict[str, Any]:
    """The record's fields, unchecked; options go over what a file says. Raises BadInput where nothing makes one."""
    urgent = {"content": {"severity": "high"}} if args.kind == "issue" else {}  # a start tells issues from high on
    usual = {
        "id": str(uuid.uuid4()),
        "time": iso(now),
        "project": os.path.basename(git.main_checkout(paths.project_folder())),
        "agent": "user",
        "session": folders.shown(session) if (session := environment.get("CLAUDE_CODE_SESSION_ID", "")) else "",
    }
    made: dict[str, Any] = {
        **usual,
        "importance": 7,  # a start tells decisions from 7 on
        **(_from_file(args.file) if args.file else urgent),
    }
    made |= {**({"kind": args.kind} if args.kind else {}), **_options(args, now)}
    if not args.file and not (args.kind and args.title):
        raise BadInput("kind or title is missing", "memory add", f"Kinds are {', '.join(KINDS)}")
    return _spoken({**made, "content": _content(args, made)}, args.by, environment, usual)


def edited(args: argparse.Namespace, old: Record, now: float) -> tuple[Record, dict[str, list[str]]]:
    """As `checked`, the record with what the options say in the place of what it says. Raises BadInput."""
    given = {**json.loads(json.dumps(old._asdict())), **_options(args, now)}  # lists in the place of tuples
    anew = {pair.partition("=")[0] for pair in args.set}
    content = given["content"].items()
    given["content"] = {name: [] if name in anew and isinstance(value, list) else value for name, value in content}
    new = check({**given, "content": _content(args, given)})
    if is_resolved(old) and not is_resolved(new) and "investigation_status" not in anew:
        new = new._replace(content={**new.content, "investigation_status": f"reopened {iso(now)}"})
    says = first(new.kind, new.content)
    is_renamed = new.title != old.title or says == first(old.kind, old.content) or not is_called_by_its_words(old)
    return _seen(new if is_renamed else new._replace(title=title_of(says, new.tags)), old)


def _options(args: argparse.Namespace, now: float) -> dict[str, Any]:
    """The fields that options name, but kind and content. Raises BadInput for a time that is none."""
    said = {"title": args.title, "tags": args.tag, "paths": args.path, "importance": args.importance}
    never = {"expires": ""} if args.expires.lower() == "never" else {}
    said["expires"] = "" if never else moment(args.expires, now, "--expires", ahead=True)
    return {name: value for name, value in said.items() if value not in ("", [], None)} | never


def _content(args: argparse.Namespace, made: Mapping[str, Any]) -> Any:
    """What the file says and the options go over; left to be refused where it has another shape."""
    forms = {name: rule["type"] for name, rule in SHAPES.get(str(made.get("kind")), {}).items()}
    content = made.get("content", {})
    if not forms or not isinstance(content, Mapping):
        return content
    first = next(iter(forms))
    said: dict[str, Any] = {first: args.text or content.get(first) or made.get("title")}
    for pair in args.set:
        name, equals, value = pair.partition("=")
        form = forms.get(name, "")
        if not equals:
            raise BadInput(f"{pair[:60]!r} has no =", "--set", "Give FIELD=TEXT, e.g. rationale=it is fast")
        if form == "array":
            said[name] = [*said.get(name, []), value]
        else:
            said[name] = int(value) if form == "integer" and value.isdecimal() else value
    return {**content, **said}


def _spoken(made: dict[str, Any], by: str, environment: Mapping[str, str], usual: Mapping[str, Any]) -> dict[str, Any]:
    """With agent and trust. In the client's own shell it is the user's word where one passage of a request has it.

    That passage is all of it then: a part may say the opposite, and so may another field, a date or a place.
    """
    if environment.get(AGENT) and by in ("", "user"):
        kind, content = str(made["kind"]), made["content"]
        named, *others = SHAPES[kind] if kind in SHAPES and isinstance(content, Mapping) else [""]
        is_alone = kind != "state" and not any(content.get(one) for one in others if "enum" not in SHAPES[kind][one])
        said = authority.said(first(kind, content)) if by and named and is_alone else ""
        if said:
            given = {name: made[name] for name in ("tags", "paths") if isinstance(made.get(name), (list, tuple))}
            about = {name: [one for one in given[name] if one == RULE or str(one) in said] for name in given}
            made = {**usual, **about, "kind": kind, "title": one_line(said, 100), "content": {**content, named: said}}
            made["importance"] = 9  # as of what they mark
        by = "user" if said else "assistant"
    return {**made, **({"agent": by} if by else {}), "trust": TRUST[by or "user"]}


def _from_file(path: str) -> Mapping[str, Any]:
    if path != "-" and not os.path.exists(path):
        raise BadInput("there is no such file", path, "Name a record's file, or - for stdin")
    data = sys.stdin.buffer.read() if path == "-" else read_bytes(path, follow=True)
    text = data.decode("utf-8", "replace")
    if text.startswith(markdown.EDGE):
        return markdown.parse(text)._asdict()
    given = jsonc.loads_object(data)
    if not given:
        raise BadInput("holds no record", path, "Give a JSON object with kind, title and content, or a record's file")
    return given


def _candidates(project: str, name: str) -> Iterator[str]:
    """As given from the current folder, from the project's; then the only file of the project that ends so."""
    path = name.partition("::")[0]
    if not path:
        return
    here = os.path.join(os.getcwd(), path.rstrip("/"))
    yield os.path.join(os.path.realpath(os.path.dirname(here)), os.path.basename(here))
    yield os.path.normpath(f"{project}/{path}")
    ends = [one for one in repository.files(project) if f"/{one}".endswith(f"/{path}")]
    yield from (f"{project}/{one}" for one in ends[: len(ends) == 1])


def _missing(project: str, places: Iterable[str]) -> Iterator[str]:
    """What is outside of the project or in no place there, and what a start would say has gone."""
    for place in places:
        path = place.partition("::")[0]
        is_there = "/" not in path or repository.within(project, path)
        yield from repository.gone(project, [place], {}) if is_there else [place]


def named(record: Record) -> str:
    """DEC-… (1a2b3c4d), or the beginning of the id."""
    return f"{record.code} ({record.id[:8]})" if record.code else record.id[:8]


def receipt(done: Outcome, new: Record, path: str, by: str) -> Iterator[str]:
    """What was stored, line by line, in words and names made here. by: who is said to have said it."""
    if done.stored:
        yield f"remembered {named(done.record)}: {path}"
        if by == "user" and new.trust != "trusted":
            yield "it counts as the assistant's: no request of the user's has these words, all of them, in one passage"


def told(done: Outcome, new: Record, seen: Mapping[str, list[str]], users: Iterable[str], folder: str) -> Iterator[str]:
    """What else became of it, line by line. seen: as `checked` has it; users: ids of what is their word here; folder:
    the memory's.
    """
    name, under = named(done.record), done.under
    if not done.stored:
        alike = "says it already" if key(done.record) == key(new) else "is told for the same command already"
        yield f"nothing is stored: {name} {alike}  ({done.record.title})"
    if under:
        yield f"it is archived at once: {named(under)} is newer and holds  ({under.title})"
    for old in done.over:
        yield f"{named(old)} is archived: superseded by {named(under or done.record)}  ({old.title})"
    for one in done.beside:
        why = "the user decided it" if one.id in users else "it is newer"
        yield f"{named(one)} says otherwise and stands: {why}  ({one.title})"
    for one in done.near:
        both = f"{called(one)} {called(done.record)}"
        asks = f"{to_paste(command(folder, f'supersede {both}'))} or {command(folder, f'beside {both}', '')}"
        yield f"{named(one)} has its title or is named in it, and both are told until you say {asks}  ({one.title})"
    yield from told_of(seen)


def told_of(seen: Mapping[str, list[str]]) -> Iterator[str]:
    """What `checked` has seen, line by line."""
    if seen["missing"]:
        yield f"no such file or name is there, kept as given: {', '.join(seen['missing'])}"
    if seen["redacted"]:
        yield f"taken out before it was written: {', '.join(seen['redacted'])}"


def refuse_taken(record: Record, memory: Memory) -> None:
    """Of what a file says, id and code must be free. Raises BadInput."""
    if any(one.record.id == record.id for one in memory.matching(record.id)):
        raise BadInput("a record of this id is there already", record.id, "Leave the id out, or edit the file itself")
    if record.code and any(one.record.code == record.code for one in memory.matching(record.code)):
        raise BadInput(f"{record.code} is taken", record.id, "Leave the code out; a new one is given")
