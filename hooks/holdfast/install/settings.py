"""Holdfast's entries in a client's settings text: put in, recognised, taken out.

Works on text alone (see jsontext). `Wanted` says which hook groups and which status line there should be;
an entry is Holdfast's own when its command runs the pack's launcher.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.install import json_edit

MARK = "/.claude/holdfast/pack/hooks/run"
BOM = "\ufeff"
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


class SettingsError(BadInput):
    """The settings have a shape that cannot be edited; the file is to be left alone."""


class Wanted(NamedTuple):
    """What the pack puts into the settings."""

    hooks: Mapping[str, Sequence[Mapping[str, Any]]]
    status_line: Mapping[str, Any] | None


class Merged(NamedTuple):
    """The settings with the pack's entries, and the containers that were made for them."""

    text: str
    created: tuple[str, ...]


def shell_command(name: str) -> str:
    """The command of one hook: silent and successful on a machine that has no pack.

    The launcher is read into the shell that the client starts anyway; measured, that saves the second shell
    (1.11 against 1.18 times a bare interpreter). After a manual compaction the client shows the commands of
    these hooks to the user and to the model, so theirs is the short form.
    """
    if name in ("pre_compact", "post_compact"):
        return f'"$CLAUDE_PROJECT_DIR{MARK}" {name} 2>/dev/null; cat >/dev/null'
    return (
        f'HOLDFAST_RUN="$CLAUDE_PROJECT_DIR{MARK}"; '
        f'[ -r "$HOLDFAST_RUN" ] && set -- {name} && . "$HOLDFAST_RUN"; cat >/dev/null'
    )


def is_ours(entry: object) -> bool:
    """Whether a hook, or a status line, runs the pack's launcher."""
    return isinstance(entry, dict) and isinstance(entry.get("command"), str) and MARK in entry["command"]


def merge(text: str, wanted: Wanted) -> Merged:
    """The text with exactly the wanted entries of ours; the same text when they are there already."""
    body, data = _open(text)
    if data is not None and _present(data, wanted):
        return Merged(text, ())
    body = _without(body, ()) if data is not None else body
    made: list[str] = []
    if not body.strip(json_edit.SPACE):
        body = "{}" + (json_edit.newline(body) if body else "\n")
    body = _put_hooks(body, wanted.hooks, made)
    if wanted.status_line is not None and json_edit.locate(body, "statusLine") is None:
        body = json_edit.append(body, json_edit.skip(body, 0), wanted.status_line, "statusLine")
    return Merged((BOM if text.startswith(BOM) else "") + body, tuple(made))


def strip(text: str, created: Sequence[str] = ()) -> str:
    """The text without our entries; of the containers named in `created`, those left empty go too."""
    body, data = _open(text)
    if data is None:
        return text
    return (BOM if text.startswith(BOM) else "") + _without(body, created)


def is_blank(text: str) -> bool:
    """Whether no setting is left."""
    return not _open(text)[1]


def _open(text: str) -> tuple[str, dict[str, Any] | None]:
    """The text without its byte order mark, and its value; None for an empty file."""
    body = text.removeprefix(BOM)
    if not body.strip(json_edit.SPACE):
        return body, None
    data = json_edit.parse(body)
    _expect(data, dict, "the file")
    _expect(data.get("hooks", {}), dict, '"hooks"')
    for event, groups in data.get("hooks", {}).items():
        _expect(groups, list, f'"hooks"."{event}"')
    return body, data


def _expect(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise SettingsError(f"{what} should be {_KINDS[kind]}, but is {_KINDS.get(type(value), 'a number')}")


def _own_hooks(group: object) -> list[int]:
    """Places of our hooks within a group."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return [i for i, hook in enumerate(hooks) if is_ours(hook)] if isinstance(hooks, list) else []


def _present(data: Mapping[str, Any], wanted: Wanted) -> bool:
    """Whether our entries stand there already, each as wanted and no other."""
    hooks = data.get("hooks", {})
    own = {event: [g for g in groups if _own_hooks(g)] for event, groups in hooks.items()}
    line = data.get("statusLine")
    line_fits = "statusLine" in data if wanted.status_line is not None else not is_ours(line)
    if is_ours(line):
        line_fits = line == wanted.status_line
    return line_fits and {k: v for k, v in own.items() if v} == {k: list(v) for k, v in wanted.hooks.items()}


def _put_hooks(body: str, hooks: Mapping[str, Sequence[Mapping[str, Any]]], made: list[str]) -> str:
    """Appends the groups to their events; notes in `made` which containers were missing."""
    if hooks and json_edit.locate(body, "hooks") is None:
        made.append("hooks")
        body = json_edit.append(body, json_edit.skip(body, 0), {}, "hooks")
    for event, groups in hooks.items():
        at = json_edit.locate(body, "hooks", event)
        if at is None:
            made.append(f"hooks.{event}")
            top = json_edit.locate(body, "hooks")
            body = json_edit.append(body, top or 0, list(groups), event)
            continue
        for group in groups:
            body = json_edit.append(body, json_edit.locate(body, "hooks", event) or 0, group)
    return body


def _without(body: str, created: Sequence[str]) -> str:
    """The body without our hooks and status line; empty containers of `created` are closed up."""
    data = json_edit.parse(body)
    if is_ours(data.get("statusLine")):
        body = json_edit.drop_member(body, "statusLine")
    for event, groups in data.get("hooks", {}).items():
        body = _clear_event(body, event, groups)
        if f"hooks.{event}" in created and json_edit.parse(body)["hooks"][event] == []:
            body = json_edit.drop_member(body, event, "hooks")
    if "hooks" in created and json_edit.parse(body).get("hooks") == {}:
        body = json_edit.drop_member(body, "hooks")
    return body


def _clear_event(body: str, event: str, groups: Sequence[Any]) -> str:
    """Takes our hooks out of one event: the whole group, or only our part of a group shared with others."""
    for place in reversed(range(len(groups))):
        own = _own_hooks(groups[place])
        if not own:
            continue
        at = json_edit.locate(body, "hooks", event) or 0
        if len(own) == len(groups[place]["hooks"]):
            body = json_edit.remove(body, at, place)
            continue
        for index in reversed(own):
            group = json_edit.container(body, json_edit.locate(body, "hooks", event) or 0).items[place]
            inner = json_edit.container(body, group.value).last("hooks")
            body = json_edit.remove(body, inner.value if inner else 0, index)
    return body


def containers(text: str) -> tuple[str, ...]:
    """Every container that could have been made for us: what to close up when there is no record."""
    _, data = _open(text)
    return ("hooks", *(f"hooks.{event}" for event in (data or {}).get("hooks", {})))
