"""Names against patterns, as in the configuration: a pattern may end in *. Hot-path module."""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def matches(name: str, patterns: "Sequence[str]") -> bool:
    """Whether `name` is one of `patterns`; a pattern may end in *."""
    return any(name == p or (p.endswith("*") and name.startswith(p[:-1])) for p in patterns)


def limit_for(limits: "Mapping[str, int]", agent_type: str) -> int:
    """The limit that `handoff_limits` holds for this agent type: by name, then by pattern, then for all others."""
    if agent_type in limits:
        return limits[agent_type]
    return next((limit for name, limit in limits.items() if name != "*" and matches(agent_type, [name])), limits["*"])
