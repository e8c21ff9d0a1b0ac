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
from holdfast.hot.wiring import MANAGED, name_of, settings_files
from holdfast.text.lines import clip
from holdfast.transcript.rows import objects

BOM = "\ufeff"
OFF, ONLY = "disableAllHooks", "allowManagedHooksOnly"
"""The client's own switch, and that of whoever manages the machine."""
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
    """What switches all hooks off, in which one."""
    torn: str
    """The one that no client can take, and why."""


class PackEntries(NamedTuple):
    """What the pack puts into the settings."""

    hooks: Mapping[str, Sequence[Mapping[str, Any]]]
    status_line: Mapping[str, Any] | None


def read(path: str) -> dict[str, Any]:
    """What stands in a settings file; {} for none, or for what is no JSON."""
    return loads_object(read_text(path, follow=True).removeprefix(BOM))


def wired(start: str) -> Wiring:
    """What the settings say of us that hold for a client started in this folder; the strongest ones decide."""
    home, files = os.environ.get("HOME", ""), settings_files(start)
    dropped, gone, torn, decided = "", "", "", dict[str, str]()
    lacking = wanted = [*_started(read(TABLE))]
    for path in files:
        try:
            data = _loaded(read_text(path, follow=True))
            found = [*_started(data)]
        except SettingsError as error:
            torn = torn or f"{path}: {error.what}{f' at {error.where}' * bool(error.where)}"
            continue
        ours = {
            one.launcher for one in found if one.launcher.endswith(PACK) or one.words[0].startswith("HOLDFAST_RUN=")
        }
        for one in found:
            names = [it for it in wanted if one.launcher in ours and one.is_at(it) and it.words[-1] in one.words]
            place = one.launcher.replace("$HOME", home).replace("$CLAUDE_PROJECT_DIR", start)
            dropped = dropped or path * bool(names)
            if not os.access(place, os.R_OK):
                gone = gone or f"{path} names {place}" * bool(names)
                continue
            lacking = [it for it in lacking if it not in names]
        is_managed, plugins = path.startswith(MANAGED), data.get("enabledPlugins")
        said = {**(plugins if isinstance(plugins, dict) else {}), OFF: data.get(OFF)}
        said |= {ONLY: data.get(ONLY)} if is_managed else {}
        for key, on in said.items():
            if on is not None:
                decided.setdefault(key, path if on else "")
    on = {key: path for key, path in decided.items() if path and key.startswith("holdfast@")}
    there = field(read(f"{os.path.dirname(files[-1])}/plugins/installed_plugins.json"), "plugins", dict[str, Any]())
    enabled, absent = (next((on[key] for key in on if (key in there) == is_in), "") for is_in in (True, False))
    events = tuple(dict.fromkeys(one.event for one in lacking))
    off = OFF if decided.get(OFF) else "" if (dropped or enabled).startswith(MANAGED) else ONLY
    disabled = f"{off} in {decided[off]}" if decided.get(off) else ""
    return Wiring(dropped, events, gone, enabled, absent, disabled, torn)


class _Started(NamedTuple):
    """A hook that starts a `hooks/run`."""

    event: str
    matcher: str
    condition: object
    launcher: str
    words: Sequence[str]

    def is_at(self, other: "_Started") -> bool:
        """Whether it runs wherever the other does, as far as is told: a user may take out matcher and condition."""
        is_wide = self.matcher in ("*", other.matcher) and self.condition in (None, other.condition)
        return self.event == other.event and is_wide


def _started(data: Mapping[str, Any]) -> Iterator[_Started]:
    """Those of the hooks; none with a field that no client takes. Raises SettingsError for such a one of anybody's that
    may guard the permissions: of that file a client takes nothing (2.1.329).
    """
    groups = ((event, one) for event, all_ in field(data, "hooks", dict[str, Any]()).items() for one in objects(all_))
    for event, group, hook in ((event, one, hook) for event, one in groups for hook in objects(one.get("hooks"))):
        command, kind, seconds = hook.get("command"), hook.get("type"), hook.get("timeout", 1)
        is_whole = isinstance(kind, str) and (kind != "command" or isinstance(command, str))
        if not is_whole or type(seconds) not in (int, float) or seconds <= 0:
            if event in ("PreToolUse", "PermissionRequest"):
                raise SettingsError(f'a hook of "{event}" has no type, no command or no timeout above 0')
            continue
        launcher = next((part for part in str(command).split('"') if part.endswith("/hooks/run")), "")
        if launcher and kind == "command":
            words = [*str(command).split(), *field(hook, "args", list[str]())]
            yield _Started(event, group.get("matcher") or "*", hook.get("if"), launcher, words)


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
