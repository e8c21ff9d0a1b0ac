"""Configuration as one table: every key with its default, its bounds and its meaning.

Rules of this file:
- What is not in the table does not exist. Defaults, checks, messages and the JSON schema come from it.
- A wrong value never stops anything: its default is used, and a `Problem` says so.
- Sources are layered: built-in default < plugin option < home < project (the last that is right wins).

The values travel as a plain dict keyed by dotted names, e.g. `config["handoff.limit"]`; hooks read it
on every warm event, so it must cost no import.
"""

from holdfast.hot.patterns import limit_for, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SessionEnd",
)

# Kinds: "int", "bool", "choice", "names" and "events" (lists of strings), "steps" (rising ints), "limits" (mapping
# name -> int).
KEYS: "tuple[tuple[str, str, Any, Any, str], ...]" = (
    # key, kind, default, bounds or choices, meaning
    ("handoff.limit", "int", 500, (100, 4000), "tokens that a sub-agent's handoff may have"),
    ("handoff.limits", "limits", {}, (100, 4000), 'tokens per agent type, e.g. {"Explore": 400}'),
    ("handoff.agents", "names", ["*"], None, "agent types that the limit holds for; * is all"),
    ("handoff.blocks", "int", 2, (0, 2), "how often an agent is asked to cut before its report is condensed"),
    (
        "handoff.background",
        "choice",
        "auto",
        ("auto", "leave"),
        "auto: keep over-long reports of background agents out of the window; leave: only ask them to cut",
    ),
    ("handoff.decision", "bool", True, None, "ask once for a missing decision (PROCEED, STOP or CLARIFY)"),
    (
        "gate.mode",
        "choice",
        "advise",
        ("off", "advise", "block"),
        "agents launched at once that should not be: nothing, a word to the model, or the launch is refused",
    ),
    ("digest.tokens", "int", 2500, (500, 100_000), "tool results above this many tokens become a digest"),
    (
        "digest.tools",
        "names",
        ["Bash", "Grep", "Glob", "WebFetch", "Read", "mcp__*"],
        None,
        "tools whose results may become a digest; of Read only logs and data files",
    ),
    ("digest.duplicates", "bool", True, None, "a repeated result becomes a one-line reference"),
    ("suggest.steps", "steps", [50, 100, 150], (1, 100_000), "tool calls at which /compact is suggested"),
    ("suggest.every", "int", 50, (0, 100_000), "after the last step: every so many calls; 0 is never"),
    ("suggest.gap", "int", 10, (0, 1000), "tool calls between two suggestions, at least"),
    (
        "pressure.preset",
        "choice",
        "default",
        ("default", "capacity"),
        "zones at 50/75/90 or 80/90/95 percent",
    ),
    ("window.limit", "int", 0, (0, 10_000_000), "tokens at which compaction fires; 0 is: find out"),
    ("restore.max_chars", "int", 9000, (500, 10_000), "characters that a restore may put into the window"),
    ("retention.days", "int", 30, (0, 3650), "days after which an unused session's files are removed; 0 is never"),
    ("judge.max_calls", "int", 4, (0, 100), "calls that one judging of a compaction may make; 0 is none"),
    (
        "judge.max_tokens",
        "int",
        60_000,
        (0, 1_000_000),
        "tokens that one judging may cost, prompts and answers, estimated",
    ),
    ("judge.seconds", "int", 120, (1, 3600), "seconds that a model may take for one answer"),
    (
        "memory.embedding",
        "choice",
        "off",
        ("off", "wordllama"),
        "model that `holdfast memory search` compares meanings by, beside words; needs the extra `meaning`",
    ),
    ("hooks.off", "events", [], EVENTS, 'hooks to switch off, by event, e.g. ["PostToolUse"]'),
)

TABLE = {row[0]: row for row in KEYS}


def defaults() -> "dict[str, Any]":
    """Every key with its default."""
    return {key: _copy(default) for key, _, default, _, _ in KEYS}


def _copy(value: "Any") -> "Any":
    if isinstance(value, list):
        return list(value)
    return dict(value) if isinstance(value, dict) else value


def flatten(data: "Mapping[str, Any]") -> "dict[str, Any]":
    """{"handoff": {"limit": 1}} or {"handoff.limit": 1} -> {"handoff.limit": 1}."""
    flat: "dict[str, Any]" = {}
    for name, value in data.items():
        if isinstance(value, dict) and name not in TABLE:
            flat.update({f"{name}.{key}": inner for key, inner in value.items()})
        else:
            flat[name] = value
    return flat


def check(key: str, value: "Any") -> str:
    """What `key` allows, when `value` is not that; empty when it is."""
    _, kind, _, bounds, _ = TABLE[key]
    if _CHECKS[kind](value, bounds):
        return ""
    return allowed(key)


def allowed(key: str) -> str:
    """The allowed values of `key`, for a message."""
    _, kind, _, bounds, _ = TABLE[key]
    names = " or ".join(str(bound) for bound in bounds or ())
    return _ALLOWED[kind].format(names=names, low=_low(bounds), high=_high(bounds))


def merge(layers: "Sequence[tuple[str, Mapping[str, Any]]]") -> "tuple[dict[str, Any], list[str]]":
    """Layers of (source name, raw mapping), weakest first -> (values, problems in plain words)."""
    values, problems = defaults(), []
    for source, raw in layers:
        for key, value in flatten(raw).items():
            if key.startswith("$"):  # "$schema" and the like speak to editors, not to us
                continue
            if key not in TABLE:
                problems.append(f"{source}: {key} is not a setting{_nearest(key)}; it is ignored")
                continue
            wanted = check(key, value)
            if wanted:
                problems.append(f"{source}: {key} is {value!r}; allowed: {wanted}; {values[key]!r} is used instead")
            else:
                values[key] = value
    return values, problems


def _nearest(key: str) -> str:
    tail = key.rsplit(".", 1)[-1]
    close = [name for name in TABLE if name.rsplit(".", 1)[-1] == tail or name.startswith(key.split(".", 1)[0] + ".")]
    return f" (did you mean {', '.join(close[:4])}?)" if close else ""


def schema() -> "dict[str, Any]":
    """JSON schema (draft 2020-12) of config.json, in its nested form."""
    groups: "dict[str, dict[str, Any]]" = {}
    for key, kind, default, bounds, meaning in KEYS:
        group, name = key.split(".", 1)
        groups.setdefault(group, {})[name] = {
            "description": meaning,
            "default": default,
            **_shape(kind, bounds),
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdfast configuration",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            **{
                group: {"type": "object", "additionalProperties": False, "properties": properties}
                for group, properties in groups.items()
            },
        },
        "additionalProperties": False,
    }


def _shape(kind: str, bounds: "Any") -> "dict[str, Any]":
    number = {"type": "integer", "minimum": _low(bounds), "maximum": _high(bounds)}
    shapes: "dict[str, dict[str, Any]]" = {
        "int": number,
        "bool": {"type": "boolean"},
        "choice": {"enum": list(bounds or ())},
        "names": {"type": "array", "items": {"type": "string"}},
        "events": {"type": "array", "items": {"type": "string"}},
        "steps": {"type": "array", "items": number},
        "limits": {"type": "object", "additionalProperties": number},
    }
    return shapes[kind]


def _low(bounds: "Any") -> "Any":
    return bounds[0] if bounds else None


def _high(bounds: "Any") -> "Any":
    return bounds[-1] if bounds else None


def _is_int(value: "Any", bounds: "Any") -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and bounds[0] <= value <= bounds[1]


_CHECKS: "dict[str, Any]" = {
    "int": _is_int,
    "bool": lambda value, bounds: isinstance(value, bool),
    "choice": lambda value, bounds: isinstance(value, str) and value in bounds,
    "names": lambda value, bounds: isinstance(value, list) and all(isinstance(v, str) for v in value),
    "events": lambda value, bounds: (
        isinstance(value, list) and all(any(matches(event, [str(v)]) for event in bounds) for v in value)
    ),
    "steps": lambda value, bounds: (
        isinstance(value, list) and all(_is_int(v, bounds) for v in value) and value == sorted(set(value))
    ),
    "limits": lambda value, bounds: (
        isinstance(value, dict) and all(isinstance(k, str) and _is_int(v, bounds) for k, v in value.items())
    ),
}
_ALLOWED = {
    "int": "a whole number from {low} to {high}",
    "bool": "true or false",
    "choice": "{names}",
    "names": "a list of names",
    "events": "a list of events, or of beginnings that end in *",
    "steps": "a rising list of whole numbers from {low} to {high}",
    "limits": "a mapping from agent type to a whole number from {low} to {high}",
}


def handoff_limit(config: "Mapping[str, Any]", agent_type: str) -> int:
    """Tokens that a handoff of this agent type may have; 0 when the limit does not hold for it."""
    return limit_for(handoff_limits(config), agent_type)


def handoff_limits(config: "Mapping[str, Any]") -> "dict[str, int]":
    """Limit per agent type, "*" for every other; 0 is no limit."""
    agents = config["handoff.agents"]
    named = {name: config["handoff.limit"] for name in agents if name != "*"}
    own = {name: limit for name, limit in config["handoff.limits"].items() if matches(name, agents)}
    return {"*": config["handoff.limit"] if "*" in agents else 0, **named, **own}
