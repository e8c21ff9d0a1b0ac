"""How may a window be managed, and is what the caller asks for possible?

Rule: one table of keys with their defaults and bounds; whatever is not in it is refused by name, with the allowed
values. Shares are of the limit. Defaults: act at .75, down to .60, in the order of requirement K6.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.engine.eviction_scores import DEFAULTS, SCORERS, Settings, settled
from holdfast.errors import BadInput
from holdfast.gauge.pressure import PRESETS

STEPS = ("merge", "summarise", "evict", "progressive", "compact", "delegate")
"""Of the cascade; see engine/pipeline.py."""


class Options(NamedTuple):
    """How a window is managed."""

    policy: str = "hybrid"
    """By which score blocks leave; see engine/eviction_scores.py."""
    preset: str = "default"
    """Of the zones; see gauge/pressure.py."""
    profile: str = "default"
    """Of the budget: default, code_review, research or support."""
    act: float = 0.75
    """Share of the limit at which something is done."""
    target: float = 0.60
    """Share of the limit that is aimed at then."""
    digest: int = 2_500
    """Tokens from which on a new result becomes a digest at once; 0 for never."""
    summarise: int = 500
    """Tokens from which on an older result is summarised before anything is evicted (requirement K3)."""
    goal: str = ""
    """The task in the user's words; "" takes the first user message."""
    family: str = "new"
    """Of the tokenizer: "new" for Claude 4.7 and later, else "old"."""
    steps: tuple[str, ...] = STEPS
    """Of the cascade, those that may be taken; their order is the cascade's own."""
    settings: Settings = DEFAULTS
    """Weights and lives of the policies; weights of one table sum to 1."""


_CHOICES = {
    "policy": tuple(SCORERS),
    "preset": tuple(PRESETS),
    "profile": ("default", "code_review", "research", "support"),
    "family": ("new", "old"),
}
_SHARES = ("act", "target")
_COUNTS = ("digest", "summarise")


def options(given: Mapping[str, Any]) -> Options:
    """Checked options. Raises BadInput for an unknown key or a value that cannot be."""
    for key, value in given.items():
        if key not in Options._fields:
            raise BadInput("is no option", key, f"Allowed: {', '.join(Options._fields)}")
        allowed = _wrong(key, value)
        if allowed:
            raise BadInput(f"{value!r} cannot be", key, f"Allowed: {allowed}")
    found = Options(**given)
    settled(found.settings)
    if found.target >= found.act:
        raise BadInput(f"{found.target:g} is not below act ({found.act:g})", "target", "Aim below the share that acts")
    return found


def _wrong(key: str, value: Any) -> str:
    """What is allowed, when the value is not; "" when it is."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if key in _CHOICES:
        return "" if value in _CHOICES[key] else ", ".join(_CHOICES[key])
    if key in _SHARES:
        return "" if number and 0 < value <= 1 else "a share above 0 and up to 1"
    if key in _COUNTS:
        return "" if number and isinstance(value, int) and value >= 0 else "a whole number of tokens from 0"
    if key == "steps":
        named = isinstance(value, (tuple, list)) and all(one in STEPS for one in value)
        return "" if named else f"some of {', '.join(STEPS)}"
    if key == "settings":
        return "" if isinstance(value, Settings) else "`Settings`, see engine/eviction_scores.py"
    return "" if isinstance(value, str) else "a text"


def limit_of(limit: Any) -> int:
    """The limit in tokens. Raises BadInput for what is none."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise BadInput(f"{limit!r} cannot be", "limit", "Allowed: tokens from 0, where 0 is not known")
    return limit
