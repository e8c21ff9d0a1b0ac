"""The values that are in force: project over home over the plugin's options over the defaults. Lean, for hooks.

Rules of this file:
- What is not in `settings.json` does not exist; it is compiled from the model in config/schema.py.
- A wrong value never stops anything: the layer below it counts, and a problem says so in plain words.
- Values travel as a plain dict keyed by dotted names, e.g. `config["handoff.limit"]`.
"""

from holdfast.hot import jsonc
from holdfast.hot.files import read_bytes
from holdfast.hot.patterns import limit_for, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


SCHEMA = jsonc.loads_object(read_bytes(__file__.removesuffix("load.py") + "settings.json", follow=True))
"""The compiled model: JSON schema of config.json in its nested form."""
KEYS: "dict[str, dict[str, Any]]" = {
    f"{group}.{name}": shape
    for group, part in SCHEMA["properties"].items()
    for name, shape in part.get("properties", {}).items()
}
"""Dotted name -> JSON schema of its value, with default and description."""
EVENTS: "list[str]" = KEYS["hooks.off"]["items"]["x-matches"]


def load(state: str, environment: "Mapping[str, str]") -> "tuple[dict[str, Any], list[str]]":
    """(values, problems in plain words). Never raises: what is wrong is replaced by its default."""
    problems: "list[str]" = []
    layers = [("plugin option", plugin_options(environment))]
    layers += [(path, _read(path, problems)) for path in files(state, environment)]
    values, more = merge(layers)
    return values, problems + more


def files(state: str, environment: "Mapping[str, str]") -> "list[str]":
    """The configuration files, weakest first; they need not exist."""
    home = environment.get("HOME")
    return [f"{folder}/config.json" for folder in ([f"{home}/.claude/holdfast"] if home else []) + [state]]


def _read(path: str, problems: "list[str]") -> "dict[str, Any]":
    data = read_bytes(path)
    try:
        value = jsonc.loads_whole(data) if data.strip() else {}
    except ValueError as error:
        problems.append(f"{path}: not valid JSON ({error}); it is ignored and the defaults are used")
        return {}
    if isinstance(value, dict):
        return value
    problems.append(f"{path}: holds a JSON {type(value).__name__}, not an object; it is ignored")
    return {}


def plugin_options(environment: "Mapping[str, str]") -> "dict[str, Any]":
    """CLAUDE_PLUGIN_OPTION_HANDOFF_LIMIT=400 -> {"handoff.limit": 400}."""
    found: "dict[str, Any]" = {}
    for key in KEYS:
        text = environment.get("CLAUDE_PLUGIN_OPTION_" + key.replace(".", "_").upper())
        if text:
            try:
                found[key] = jsonc.loads_whole(text)
            except ValueError:
                found[key] = text
    return found


def defaults() -> "dict[str, Any]":
    """Every key with its default, each time anew."""
    return {key: type(shape["default"])(shape["default"]) for key, shape in KEYS.items()}


def merge(layers: "Sequence[tuple[str, Mapping[str, Any]]]") -> "tuple[dict[str, Any], list[str]]":
    """Layers of (source name, raw mapping), weakest first -> (values, problems in plain words)."""
    values, problems = defaults(), []
    for source, raw in layers:
        for key, value in flatten(raw).items():
            if key.startswith("$"):  # "$schema" and the like speak to editors, not to us
                continue
            if key not in KEYS:
                problems.append(f"{source}: {key} is not a setting{_nearest(key)}; it is ignored")
            elif not allows(KEYS[key], value):
                said = f"{source}: {key} is {value!r}; allowed: {allowed(KEYS[key])}"
                problems.append(f"{said}; {values[key]!r} is used instead")
            else:
                values[key] = value
    return values, problems


def flatten(data: "Mapping[str, Any]") -> "dict[str, Any]":
    """{"handoff": {"limit": 1}} or {"handoff.limit": 1} -> {"handoff.limit": 1}."""
    flat: "dict[str, Any]" = {}
    for name, value in data.items():
        if isinstance(value, dict) and name not in KEYS:
            flat.update({f"{name}.{key}": inner for key, inner in value.items()})
        else:
            flat[name] = value
    return flat


def _nearest(key: str) -> str:
    tail = key.rsplit(".", 1)[-1]
    close = [name for name in KEYS if name.rsplit(".", 1)[-1] == tail or name.startswith(key.split(".", 1)[0] + ".")]
    return f" (did you mean {', '.join(close[:4])}?)" if close else ""


def allows(shape: "Mapping[str, Any]", value: "Any") -> bool:
    """Whether a JSON schema of the kinds that settings use allows this value."""
    if "enum" in shape:
        return isinstance(value, str) and value in shape["enum"]
    kind = shape["type"]
    if kind == "integer":
        return type(value) is int and shape["minimum"] <= value <= shape["maximum"]
    if kind == "string":
        return isinstance(value, str) and any(matches(name, [value]) for name in shape.get("x-matches", [value]))
    if kind == "array":
        items = isinstance(value, list) and all(allows(shape["items"], one) for one in value)
        return items and ("x-rising" not in shape or value == sorted(set(value)))
    if kind == "object":
        inner = shape["additionalProperties"]
        return isinstance(value, dict) and all(type(name) is str and allows(inner, one) for name, one in value.items())
    return isinstance(value, bool)


def allowed(shape: "Mapping[str, Any]") -> str:
    """The values that it allows, in words."""
    if "enum" in shape:
        return " or ".join(shape["enum"])
    if shape["type"] == "integer":
        return f"a whole number from {shape['minimum']} to {shape['maximum']}"
    if shape["type"] == "object":
        return f"a mapping from {shape['propertyNames']['description']} to {allowed(shape['additionalProperties'])}"
    if "x-rising" in shape:
        return f"a rising list of {allowed(shape['items']).removeprefix('a ').replace('number', 'numbers')}"
    if shape["type"] == "array":
        return "a list of " + ("events, or of beginnings that end in *" if "x-matches" in shape["items"] else "names")
    return "true or false"


def handoff_limit(config: "Mapping[str, Any]", agent_type: str) -> int:
    """Tokens that a handoff of this agent type may have; 0 when the limit does not hold for it."""
    return limit_for(handoff_limits(config), agent_type)


def handoff_limits(config: "Mapping[str, Any]") -> "dict[str, int]":
    """Limit per agent type, "*" for every other; 0 is no limit."""
    agents = config["handoff.agents"]
    named = {name: config["handoff.limit"] for name in agents if name != "*"}
    own = {name: limit for name, limit in config["handoff.limits"].items() if matches(name, agents)}
    return {"*": config["handoff.limit"] if "*" in agents else 0, **named, **own}
