"""The values that are in force: project over home over the plugin's options over the defaults. Lean, for hooks.

Rules of this file:
- What is not in `settings.json` does not exist; it is compiled from the model in config/schema.py.
- A wrong value never stops anything: the layer below it counts, and a problem says so in plain words.
- A project's file may have come with a clone: it adds caution and never takes it away ("x-project" of a setting),
  is no link, and what is told of it is clipped and quoted.
- Values travel as a plain dict keyed by dotted names, e.g. `config["handoff.limit"]`.
"""

from holdfast import TYPE_CHECKING
from holdfast.hot import jsonc
from holdfast.hot.files import kind_of, read_bytes
from holdfast.hot.paths import is_one
from holdfast.hot.patterns import limit_for, matches
from holdfast.text.lines import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Values = dict[str, Any]
    Layer = tuple[str, Mapping[str, Any]]
    """Name of the source, and what stands there."""

SCHEMA = jsonc.loads_object(read_bytes(__file__.removesuffix("load.py") + "settings.json", follow=True))
"""The compiled model: JSON schema of config.json in its nested form."""
KEYS: "dict[str, Values]" = {
    f"{group}.{name}": shape
    for group, part in SCHEMA["properties"].items()
    for name, shape in part.get("properties", {}).items()
}
"""Dotted name -> JSON schema of its value, with default and description."""
EVENTS: "list[str]" = KEYS["hooks.off"]["items"]["x-matches"]


def load(state: str, environment: "Mapping[str, str]") -> "tuple[Values, list[str]]":
    """(values, problems in plain words). Never raises: what is wrong is replaced by its default."""
    found, problems = layers(state, environment)
    values, more = merge(found, project_file(state, environment))
    return values, problems + more


def changes(state: str, environment: "Mapping[str, str]") -> "list[str]":
    """What the project's file changes of the user's own settings, each in a few words."""
    found, project = layers(state, environment)[0], project_file(state, environment)
    own = merge([layer for layer in found if layer[0] != project])[0]
    values = merge(found, project)[0]
    changed = [key for key in values if values[key] != own[key]]
    return [f"{key} is {shown(values[key], key)}, not {shown(own[key], key)}" for key in changed]


def files(state: str, environment: "Mapping[str, str]") -> "list[str]":
    """The configuration files, weakest first; they need not exist. The user's own comes first."""
    own, project = _own_folder(environment), project_file(state, environment)
    return [path for path in (f"{own}/config.json" if own else "", project) if path]


def project_file(state: str, environment: "Mapping[str, str]") -> str:
    """The project's file; "" where the home is the project: what stands there is the user's own."""
    own = _own_folder(environment)
    return "" if state == own or is_one(state, own) else f"{state}/config.json"


def _own_folder(environment: "Mapping[str, str]") -> str:
    home = environment.get("HOME")
    return f"{home}/.claude/holdfast" if home else ""


def layers(state: str, environment: "Mapping[str, str]") -> "tuple[list[Layer], list[str]]":
    """What is configured, weakest first, and what of it cannot be read."""
    layers: "list[Layer]" = [("plugin option", plugin_options(environment))]
    problems: "list[str]" = []
    elsewhere = environment.get("HOLDFAST_DIR", "")
    if elsewhere not in ("", state):
        told = "allowed: a whole path of at most 800 bytes, to a folder for it alone, not in `.git`"
        problems.append(f"HOLDFAST_DIR is {shown(elsewhere)}; {told}; {shown(state)} is used instead")
    project = project_file(state, environment)
    for path in files(state, environment):
        try:
            layers.append((path, read(path, own=path != project)))
        except ValueError as error:
            problems.append(f"{one_line(path, 300)}: {error}; it is ignored; the other files and the defaults hold")
    return layers, problems


def read(path: str, own: bool) -> "Values":
    """The object in a file; {} for none. own: the user's, which may be a link. Raises ValueError."""
    if kind_of(path, follow=own) not in ("", "file"):
        raise ValueError("this is no plain file")
    data = read_bytes(path, 64_001, follow=own)
    if len(data) > 64_000:  # what it lists, the hot road reads at every call
        raise ValueError("larger than 64,000 bytes")
    try:
        value = jsonc.loads_whole(data) if data.strip() else {}
    except ValueError as error:
        raise ValueError(f"not valid JSON ({error})") from None
    if not isinstance(value, dict):
        raise ValueError(f"holds a JSON {type(value).__name__}, not an object")  # noqa: TRY004 - what people wrote
    return value


def plugin_options(environment: "Mapping[str, str]") -> "Values":
    """CLAUDE_PLUGIN_OPTION_HANDOFF_LIMIT=400 -> {"handoff.limit": 400}."""
    found: "Values" = {}
    for key in KEYS:
        text = environment.get("CLAUDE_PLUGIN_OPTION_" + key.replace(".", "_").upper())
        if text:
            try:
                found[key] = jsonc.loads_whole(text)
            except ValueError:
                found[key] = text
    return found


def defaults() -> "Values":
    """Every key with its default, each time anew."""
    return {key: type(shape["default"])(shape["default"]) for key, shape in KEYS.items()}


def merge(layers: "Sequence[Layer]", project: str = "") -> "tuple[Values, list[str]]":
    """Layers, weakest first -> (values, problems in plain words). project: the source that may only add caution."""
    values, wrong = defaults(), []  # (source, what, which value is used, what then): told once that is known
    for source, raw in layers:
        for key, value in flat(raw).items():
            if key.startswith("$"):  # "$schema" and the like speak to editors, not to us
                continue
            if key not in KEYS:
                wrong.append((source, f"{shown(key)} is not a setting{nearest(key)}; it is ignored", "", ""))
            elif not allows(KEYS[key], value):
                said = f"{shown(value, key)} is not allowed for {key}, only {allowed(KEYS[key])}"
                wrong.append((source, said, key, " instead"))
            elif source == project and not _careful(KEYS[key], value, values[key]):
                said = f"{key} is {shown(value, key)}, and a project may not say so"
                wrong.append((source, said, key, " instead. Your own settings may (~/.claude/holdfast/config.json)"))
            else:
                values[key] = value
        groups = {name: one for name, one in raw.items() if isinstance(one, dict) and name not in KEYS}
        both = [key for key in flat(groups) if key in raw and key in KEYS]
        twice = "stands there twice, as a name and in a group"
        wrong += [(source, f"{key} {twice}", key, ". Leave one of them") for key in both]
    used = (f"; {shown(values[key], key)} is used{then}" if key else "" for _, _, key, then in wrong)
    return values, [f"{one_line(row[0], 300)}: {row[1]}{end}" for row, end in zip(wrong, used, strict=True)]


def _careful(shape: "Mapping[str, Any]", value: "Any", known: "Any") -> bool:
    """Whether a project may put `value` in the place of what the user has; 0 keeps for ever, words stand by weight."""
    rule = shape.get("x-project")
    if "enum" in shape:
        value, known = shape["enum"].index(value), shape["enum"].index(known)
    if rule == "longer":
        return bool(value == 0 or (known != 0 and value >= known))
    goes = value < known if rule == "less" else rule == "more" and value > known
    return rule is None or bool(value == known or goes)


def shown(value: object, key: str = "") -> str:
    """A foreign key or value as JSON on one line, in plain letters, clipped. key: whose value it is."""
    if key == "store.url":
        from holdfast.config.address import told

        value = told(value)
    text = jsonc.dumps(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def flat(data: "Mapping[str, Any]") -> "Values":
    """{"handoff": {"limit": 1}} or {"handoff.limit": 1} -> {"handoff.limit": 1}."""
    flat: "Values" = {}
    for name, value in data.items():
        if isinstance(value, dict) and name not in KEYS:
            flat.update({f"{name}.{key}": inner for key, inner in value.items()})
        else:
            flat[name] = value
    return flat


def nearest(key: str) -> str:
    """Which settings may have been meant, as a half sentence; "" for none."""
    group, _, tail = key.rpartition(".")
    close = [name for name in KEYS if name.endswith(f".{tail}") or (group and name.startswith(f"{group}."))]
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
    return "a text" if shape["type"] == "string" else "true or false"


def handoff_limit(config: "Mapping[str, Any]", agent_type: str) -> int:
    """Tokens that a handoff of this agent type may have; 0 when the limit does not hold for it."""
    return limit_for(handoff_limits(config), agent_type)


def handoff_limits(config: "Mapping[str, Any]") -> "dict[str, int]":
    """Limit per agent type, "*" for every other; 0 is no limit."""
    agents = config["handoff.agents"] if config["handoff.on"] else []
    named = {name: config["handoff.limit"] for name in agents if name != "*"}
    own = {name: limit for name, limit in config["handoff.limits"].items() if matches(name, agents)}
    return {"*": config["handoff.limit"] if "*" in agents else 0, **named, **own}
