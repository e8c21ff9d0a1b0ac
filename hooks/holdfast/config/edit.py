"""One setting: changed in a file that people may have written, and what each source says of it. For commands."""

import contextlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.config import load
from holdfast.errors import BadInput
from holdfast.hot.files import make_folder, write_atomic


class SourceValue(NamedTuple):
    """What one source says of a setting; note: why that does not count, "" for the one in force."""

    source: str
    value: Any
    note: str = ""


def parsed(key: str, text: str) -> Any:
    """What was typed as a value: JSON, on and off, else a text; of a list also its items with commas between."""
    if text in ("on", "off") and load.KEYS.get(key, {}).get("type") == "boolean":
        return text == "on"
    try:
        return json.loads(text)
    except ValueError:
        is_list = load.KEYS.get(key, {}).get("type") == "array"
        return [parsed("", part.strip()) for part in text.split(",") if part.strip()] if is_list else text


def put(key: str, value: Any, state: str, environment: Mapping[str, str], in_project: bool) -> str:
    """Writes a setting, or with None takes it out; gives the file, which goes with its last setting.

    Raises BadInput for what is not allowed there, OSError.
    """
    path, project = load.files(state, environment)[-1 if in_project else 0], load.project_file(state, environment)
    in_project = path == project  # else it is the user's own, which comes first
    if value is not None:
        below, _ = load.layers(state, environment)
        source = "what is to be written"  # told without it; a path may be clipped
        tried = [*(layer for layer in below if layer[0] not in (path, project)), (source, {key: value})]
        if problems := [one for one in load.merge(tried, source if in_project else "")[1] if one.startswith(source)]:
            told = re.sub(r"; [^;]*? (is ignored|is used instead)", "", problems[-1].removeprefix(f"{source}: "))
            listed = "" if key in load.KEYS else "`holdfast config show` has all. "
            raise BadInput(told, path, f"{listed}Nothing was changed")
    elif key not in load.KEYS:
        raise BadInput(f"{load.shown(key)} is not a setting{load.nearest(key)}", path)
    try:
        read = load.read(path, own=not in_project)
    except ValueError as error:
        raise BadInput(str(error), path, "Mend it by hand and try again; nothing was changed") from None
    group, _, name = key.partition(".")
    data = {one: part for one, part in read.items() if one != key}
    inner = data.get(group)
    rest = {one: part for one, part in inner.items() if one != name} if isinstance(inner, dict) else {}
    if value is None and key not in read and (not isinstance(inner, dict) or name not in inner):
        return path  # it is not set there: nothing to take out
    data[group] = {**rest, name: value} if value is not None else rest
    left = {one: part for one, part in data.items() if part != {}}
    if not left and not os.path.islink(path):
        os.unlink(path)  # nobody but us would keep an empty one
        with contextlib.suppress(OSError):  # other things stand there
            os.rmdir(os.path.dirname(path))
        return path
    make_folder(os.path.dirname(path))
    write_atomic(os.path.realpath(path), json.dumps(left, indent=2, ensure_ascii=False) + "\n")
    return path


def why(key: str, state: str, environment: Mapping[str, str]) -> list[SourceValue]:
    """What every source says of a setting, the one in force last but those that do not count."""
    if key not in load.KEYS:
        raise BadInput(f"{load.shown(key)} is not a setting{load.nearest(key)}", "", "`holdfast config show` has all")
    project, told = load.project_file(state, environment), [SourceValue("default", load.defaults()[key])]
    layers, _ = load.layers(state, environment)
    for count, (source, raw) in enumerate(layers, 1):
        if key in load.flat(raw):
            said, taken = load.flat(raw)[key], load.merge(layers[:count], project)[0][key]
            is_taken = json.dumps(said) == json.dumps(taken)  # 1 is not true
            told.append(SourceValue(source, said, "" if is_taken else "not allowed there"))
    in_force = max(place for place, one in enumerate(told) if not one.note)
    return [one if place == in_force or one.note else one._replace(note="overridden") for place, one in enumerate(told)]
