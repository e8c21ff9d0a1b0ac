"""What `holdfast memory add` makes a record of: its options, or a file."""

import argparse
import os
import sys
import uuid
from collections.abc import Mapping
from typing import Any

from holdfast.cli.memory_view import moment
from holdfast.core import jsonc, record_text
from holdfast.core.dates import iso
from holdfast.core.shapes import KINDS, SHAPES
from holdfast.errors import BadInput
from holdfast.store import git, paths
from holdfast.store.files import read_bytes

VOICES = {"user": "trusted", "assistant": "semi_trusted", "tool": "untrusted"}
IMPORTANCE = 7
"""Of what is remembered by hand: a start tells decisions from 7 on."""


def fields(args: argparse.Namespace, now: float, environment: Mapping[str, str]) -> dict[str, Any]:
    """The record's fields, unchecked; options go over what a file says. Raises BadInput where nothing makes one."""
    agent, trust = _speaker(args.by, environment)
    made: dict[str, Any] = {
        "id": str(uuid.uuid4()),
        "time": iso(now),
        "project": os.path.basename(git.main_checkout(paths.project_folder())),
        "agent": agent,
        "session": environment.get("CLAUDE_CODE_SESSION_ID", ""),
        "importance": IMPORTANCE,
        **(_from_file(args.file) if args.file else {}),
    }
    said = {"kind": args.kind, "title": args.title, "tags": args.tag, "paths": args.path, "importance": args.importance}
    said["expires"] = iso(moment(args.expires, now, "--expires", ahead=True)) if args.expires else ""
    made |= {name: value for name, value in said.items() if value not in ("", [], None)}
    if not args.file and not (args.kind and args.title):
        raise BadInput("kind or title is missing", "holdfast memory add", f"Kinds are {', '.join(KINDS)}")
    return {**made, "content": _content(args, made), "trust": trust}


def _content(args: argparse.Namespace, made: Mapping[str, Any]) -> Any:
    """What the file says and the options go over; left to be refused where it has another shape."""
    forms = {field.name: field.form for field in SHAPES.get(str(made.get("kind")), ())}
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
        if form in ("list", "numbered"):
            said[name] = [*said.get(name, []), value]
        else:
            said[name] = int(value) if form == "percent" and value.isdecimal() else value
    return {**content, **said}


def _speaker(by: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """(who said it, trust). In the client's own shell nobody can tell a user's words from an assistant's."""
    in_client = bool(environment.get("CLAUDECODE"))
    name = by or ("assistant" if in_client else "user")
    return name, "semi_trusted" if in_client and name == "user" else VOICES[name]


def _from_file(path: str) -> Mapping[str, Any]:
    data = sys.stdin.buffer.read() if path == "-" else read_bytes(path)
    text = data.decode("utf-8", "replace")
    if text.startswith(record_text.EDGE):
        return record_text.parse(text)._asdict()
    given = jsonc.loads_object(data)
    if not given:
        raise BadInput("holds no record", path, "Give a JSON object with kind, title and content, or a record's file")
    return given
