"""Holdfast's entries in a client's settings text: put in, recognised, taken out.

The text is read, changed as a value and written again in its own style (indentation, line ends, byte order mark);
the bytes that stood there before are kept by the installer, which puts them back. `PackEntries` says which hook groups
and which status line there should be; an entry is Holdfast's own when its command is word for word one that is made
here. The commands name the pack in the user's home: nothing that a clone brings is run by them.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.hot.files import read_text
from holdfast.hot.jsonc import field, loads_object
from holdfast.hot.paths import PACK
from holdfast.hot.wiring import name_of
from holdfast.text.lines import clip

BOM = "\ufeff"
OFF = "disableAllHooks"
"""The client's own switch."""
TABLE = str(Path(__file__).resolve().parents[2] / "hooks.json")
"""The plugin's own hooks."""


class SettingsError(BadInput):
    """The settings cannot be edited; the file is to be left alone. `where` is a line and column, if known."""


class Wiring(NamedTuple):
    """What the settings that hold in a project say of us. Files, "" for none."""

    dropped: str
    """The nearest one with hooks of ours."""
    lacking: Sequence[str]
    """Events at which not every hook of ours is started."""
    gone: str
    """Which one names which launcher that is not there."""
    enabled: str
    """The one that enables the plugin, where that is installed."""
    absent: str
    """The one that does where it is not."""
    disabled: str
    """The one that switches all hooks off."""
    torn: str
    """The one that no client can take, and why."""


When = tuple[str, str, object]
"""The event, the matcher and the condition of a hook."""


class PackEntries(NamedTuple):
    """What the pack puts into the settings."""

    hooks: Mapping[str, Sequence[Mapping[str, Any]]]
    status_line: Mapping[str, Any] | None


def read(path: str) -> dict[str, Any]:
    """What stands in a settings file; {} for none, or for what is no JSON."""
    return loads_object(read_text(path, follow=True).removeprefix(BOM))


def wired(project: str) -> Wiring:
    """What the settings that hold in a project say of us; the nearest ones decide."""
    home, own = os.environ.get("HOME", ""), f"{project}/.claude"
    users = os.environ.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
    dropped, gone, torn, decided = "", "", "", dict[str, str]()
    lacking = wanted = [(when, words[-1]) for when, _, words in _started(read(TABLE))]
    for path in (f"{own}/settings.local.json", f"{own}/settings.json", f"{users}/settings.json"):
        try:
            data = _loaded(read_text(path, follow=True))
            _expect(data.get(OFF, False), bool, f'"{OFF}"')
            found = [*_started(data)]
        except SettingsError as error:
            torn = torn or f"{path}: {error.what}{f' at {error.where}' * bool(error.where)}"
            continue
        ours = {run for _, run, words in found if run.endswith(PACK) or words[0].startswith("HOLDFAST_RUN=")}
        for when, launcher, words in found:
            names = [one for one in wanted if launcher in ours and one[1] in words and _covers(when, one[0])]
            place = launcher.replace("$HOME", home).replace("$CLAUDE_PROJECT_DIR", project)
            dropped = dropped or path * bool(names)
            if not os.access(place, os.R_OK):
                gone = gone or f"{path} names {place}" * bool(names)
                continue
            lacking = [one for one in lacking if one not in names]
        plugins = data.get("enabledPlugins")
        said = {**(plugins if isinstance(plugins, dict) else {}), OFF: data.get(OFF)}
        for key, on in said.items():
            if on is not None:
                decided.setdefault(key, path if on else "")
    on = {key: path for key, path in decided.items() if path and key.startswith("holdfast@")}
    there = field(read(f"{users}/plugins/installed_plugins.json"), "plugins", dict[str, Any]())
    enabled, absent = (next((on[key] for key in on if (key in there) == is_in), "") for is_in in (True, False))
    events = tuple(dict.fromkeys(event for (event, *_), _ in lacking))
    return Wiring(dropped, events, gone, enabled, absent, decided.get(OFF, ""), torn)


def _started(data: Mapping[str, Any]) -> Iterator[tuple[When, str, list[str]]]:
    """(when it runs, the launcher, the words) of each hook that starts a `hooks/run`. Raises SettingsError."""
    for event, groups in field(data, "hooks", dict[str, Any]()).items():
        for group, hook in _taken(event, groups):
            command = field(hook, "command", "")
            launcher = next((part for part in command.split('"') if part.endswith("/hooks/run")), "")
            if launcher:
                words = [*command.split(), *field(hook, "args", list[str]())]
                yield (event, group.get("matcher", "*"), hook.get("if")), launcher, words


def _covers(one: When, other: When) -> bool:
    """Whether it runs wherever the other does: a user may have widened a matcher or taken a condition out."""
    is_wide = one[1] in ("", "*", ".*") or {*other[1].split("|")} <= {*one[1].split("|")}
    return one[0] == other[0] and is_wide and one[2] in (None, other[2])


def _taken(event: str, groups: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(group, hook) of each hook of an event that the client takes: it skips those of a wrong shape, but takes nothing
    of a file in which such a one may be a guard (2.1.329). Raises SettingsError then.
    """

    def fits(value: object, kind: type, what: str) -> bool:
        if event in ("PreToolUse", "PermissionRequest"):
            _expect(value, kind, what)
        return isinstance(value, kind)

    for group in groups if groups is not None and fits(groups, list, f'"hooks"."{event}"') else ():
        if (
            fits(group, dict, f'a group of "{event}"')
            and fits(group.get("matcher", ""), str, f'a matcher of "{event}"')
            and fits(group.get("hooks"), list, f'"hooks" in "{event}"')
        ):
            yield from ((group, hook) for hook in group["hooks"] if fits(hook, dict, f'a hook of "{event}"'))


def parse(text: str) -> dict[str, Any]:
    """The settings; {} for an empty file. Raises SettingsError for what is no JSON or of a wrong shape."""
    data = _loaded(text)
    _expect(data.get("hooks", {}), dict, '"hooks"')
    for event, groups in data.get("hooks", {}).items():
        _expect(groups, list, f'"hooks"."{event}"')
    return data


def _loaded(text: str) -> dict[str, Any]:
    """The object; see `parse`."""
    body = text.removeprefix(BOM)
    try:
        data = json.loads(body, parse_constant=_number, parse_float=_number) if body.strip() else {}
    except json.JSONDecodeError as error:
        raise SettingsError(f"not valid JSON ({error.msg})", f"line {error.lineno}, column {error.colno}") from None
    except (RecursionError, ValueError) as error:
        raise SettingsError(f"not valid JSON ({error})") from None
    _expect(data, dict, "the file")
    return dict(data)


def merge(text: str, wanted: PackEntries) -> str:
    """The text with exactly the wanted entries of ours; the same text when they are there already."""
    data = parse(text)
    merged = without(data, data)
    if wanted.hooks:
        hooks = dict(merged.get("hooks", {}))
        for event, groups in wanted.hooks.items():
            hooks[event] = [*hooks.get(event, []), *groups]
        merged["hooks"] = hooks
    if wanted.status_line is not None:
        merged.setdefault("statusLine", wanted.status_line)
    return text if merged == data else written(merged, text)


def strip(text: str, before: Mapping[str, Any]) -> str:
    """The text without our entries; a container that they leave empty goes too unless `before` had it."""
    data = parse(text)
    left = without(data, before)
    return text if left == data else written(left, text)


def without(data: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without our entries; see `strip`."""
    left = {key: value for key, value in data.items() if key != "statusLine" or not name_of(value)}
    events, known = data.get("hooks", {}), before.get("hooks", {})
    hooks = {event: [left for group in groups for left in _cleared(group)] for event, groups in events.items()}
    kept = {event: groups for event, groups in hooks.items() if groups or event in known or not events[event]}
    if "hooks" in left:
        left["hooks"] = kept
    if events and not kept and "hooks" not in before:
        del left["hooks"]
    return left


def written(data: Mapping[str, Any], like: str) -> str:
    """The settings as text in the style of another: its indentation, line ends, escapes and last line."""
    body = like.removeprefix(BOM)
    end = body[len(body.rstrip()) :] if body.strip() else "\n"
    escaped = "\\u" in body and body.isascii()
    compact = (",", ":") if '":' in body and '": ' not in body and '" :' not in body else None
    try:
        text = json.dumps(data, indent=_indent(body), ensure_ascii=escaped, separators=compact)
    except RecursionError as error:
        raise SettingsError(f"not to be written again ({error})") from None
    if any("\ud800" <= character <= "\udfff" for character in text):  # half an emoji has no bytes of its own
        text = json.dumps(data, indent=_indent(body), separators=compact)
    return (BOM if like.startswith(BOM) else "") + text.replace("\n", "\r\n" if "\r\n" in body else "\n") + end


def _indent(body: str) -> str | None:
    """One step of indentation; None for a text of one line; two blanks where there is nothing to read it off."""
    lines = body.strip().splitlines()
    leads = (line[: len(line) - len(line.lstrip())] for line in lines[1:] if line.strip())
    lead = next((lead for lead in leads if lead), "")
    return lead or ("  " if len(lines) != 1 or not body.strip(" \t\r\n{}") else None)


def _number(text: str) -> float:
    """Raises ValueError for one that could not be written again: NaN is no JSON, and 1e400 would become Infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{clip(text, 20)} is no number that can be kept")
    return number


def _expect(value: object, kind: type, what: str) -> None:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    if not isinstance(value, kind):
        raise SettingsError(f"{what} should be {kinds[kind]}, but is {kinds.get(type(value), 'a number')}")


def _cleared(group: Any) -> list[Any]:
    """The group without our hooks; nothing when nothing else was in it."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or not any(map(name_of, hooks)):
        return [group]
    left = [hook for hook in hooks if not name_of(hook)]
    return [{**group, "hooks": left}] if left else []
