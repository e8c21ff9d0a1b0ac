"""Where configuration comes from: project over home over the plugin's options."""

from holdfast.config import table
from holdfast.hot import jsonc, paths
from holdfast.hot.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def load(state: str, environment: "Mapping[str, str]") -> "tuple[dict[str, Any], list[str]]":
    """(values, problems in plain words). Never raises: what is wrong is replaced by its default."""
    problems: "list[str]" = []
    layers = [("plugin option", plugin_options(environment))]
    layers += [(path, _read(path, problems)) for path in files(state, environment)]
    values, more = table.merge(layers)
    return values, problems + more


def files(state: str, environment: "Mapping[str, str]") -> "list[str]":
    """The configuration files, weakest first; they need not exist."""
    home = environment.get("HOME", "")
    found = [f"{home}/.claude/holdfast/{paths.CONFIG}"] if home else []
    return [*found, f"{state}/{paths.CONFIG}"]


def _read(path: str, problems: "list[str]") -> "dict[str, Any]":
    data = read_bytes(path)
    if not data.strip():
        return {}
    try:
        value = jsonc.loads_whole(data)
    except ValueError as error:
        problems.append(f"{path}: not valid JSON ({error}); it is ignored and the defaults are used")
        return {}
    if not isinstance(value, dict):
        problems.append(f"{path}: holds a JSON {type(value).__name__}, not an object; it is ignored")
        return {}
    return value


def plugin_options(environment: "Mapping[str, str]") -> "dict[str, Any]":
    """CLAUDE_PLUGIN_OPTION_HANDOFF_LIMIT=400 -> {"handoff.limit": 400}."""
    found: "dict[str, Any]" = {}
    for key in table.TABLE:
        text = environment.get("CLAUDE_PLUGIN_OPTION_" + key.replace(".", "_").upper())
        if text:
            try:
                found[key] = jsonc.loads_whole(text)
            except ValueError:
                found[key] = text
    return found
