"""Is the window in good health, and which way is it going?

Rule: six figures a turn, each with a range that is healthy and one alert. An alert on a state that lasts asks for three
turns running ("sustained", "consistently"); the compression ratio and the fidelity are known only when something was
compressed, so theirs are the last values known. A burn spike is a turn above three times the mean of the ten before it,
of which at least three are known. What is not known is None and never alerts. A trend compares the newer half of the
last ten values with the older half; within 5 % of the larger it is stable, below five values there is none. Source:
requirement F2; the share of results is their tokens over all tokens in the window, as R8 asks.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

HISTORY, TREND, LEAST_TREND = 100, 10, 5
TOLERANCE = 0.05
BURN_SPIKE, LEAST_BURN = 3.0, 3
CRITICAL, WARNING = "critical", "warning"


class Snapshot(NamedTuple):
    """One turn's figures; None for not known."""

    utilisation: float | None = None
    """Tokens / limit."""
    eviction_rate: float | None = None
    """Blocks evicted in this turn."""
    compression_ratio: float | None = None
    """Tokens before / after, of this turn's compressions."""
    burn_rate: float | None = None
    """Tokens that this turn brought."""
    fidelity: float | None = None
    """Share of the critical facts that this turn's compressions kept."""
    results_share: float | None = None
    """Tokens of tool results / tokens in the window."""


RANGES: Mapping[str, tuple[float | None, float | None]] = {
    "utilisation": (None, 0.60),
    "eviction_rate": (None, 2.0),
    "compression_ratio": (3.0, 15.0),
    "burn_rate": (None, None),
    "fidelity": (0.85, None),
    "results_share": (None, 0.15),
}
"""What is healthy: (from, to). Between this and an alert a figure is merely worth a look."""


class Rule(NamedTuple):
    """When a figure alerts."""

    metric: str
    level: str
    bound: float
    above: bool
    """Whether it alerts above the bound, else below."""
    running: int
    """How many values one after the other."""
    gaps: bool
    """Whether turns without a value are passed over; else they break the run."""
    action: str


RULES = (
    Rule("utilisation", CRITICAL, 0.90, True, 3, False, "compact now and save a checkpoint"),
    Rule("eviction_rate", WARNING, 5.0, True, 3, False, "the window may be too small; look at the eviction policy"),
    Rule("compression_ratio", WARNING, 2.0, False, 3, True, "what is compressed hardly shrinks; compress other things"),
    Rule("fidelity", WARNING, 0.75, False, 1, True, "compression loses what matters; preserve more"),
    Rule("results_share", WARNING, 0.30, True, 1, False, "tools return too much; limit or digest their output"),
)
SPIKE_ACTION = "look for a loop that does not end"


class Alert(NamedTuple):
    """What is wrong and what to do."""

    metric: str
    level: str
    value: float
    bound: float
    action: str


class Health(NamedTuple):
    """The last 100 snapshots, oldest first."""

    history: tuple[Snapshot, ...] = ()


def record(health: Health, snapshot: Snapshot) -> tuple[Health, tuple[Alert, ...]]:
    """The health after this turn, and what it alerts to: each only in a turn that brought its figure."""
    after = Health((*health.history, snapshot)[-HISTORY:])
    alerts = [_alert(after, rule) for rule in RULES if getattr(snapshot, rule.metric) is not None]
    return after, tuple(alert for alert in (*alerts, _burn(after)) if alert)


def results_share(used: Mapping[str, int]) -> float | None:
    """Share of the tool results in what the window holds, from tokens by component; None for an empty window."""
    total = sum(tokens for component, tokens in used.items() if component != "output")
    return used.get("results", 0) / total if total > 0 else None


def healthy(metric: str, value: float | None) -> bool | None:
    """Whether a value is in its healthy range; None when it is not known or has none."""
    low, high = RANGES[metric]
    if value is None or (low is None and high is None):
        return None
    return (low is None or value >= low) and (high is None or value <= high)


def trend(health: Health, metric: str) -> str:
    """ "rising", "falling", "stable" or "insufficient"."""
    values = _values(health, metric)[-TREND:]
    if len(values) < LEAST_TREND:
        return "insufficient"
    older, newer = values[: len(values) // 2], values[-(len(values) // 2) :]
    before, after = sum(older) / len(older), sum(newer) / len(newer)
    if abs(after - before) <= TOLERANCE * max(abs(before), abs(after)):
        return "stable"
    return "rising" if after > before else "falling"


def report(health: Health) -> dict[str, dict[str, Any]]:
    """Metric -> its last known value, whether that is healthy, and its trend."""
    last = {metric: next(reversed(_values(health, metric)), None) for metric in Snapshot._fields}
    return {
        metric: {"value": value, "healthy": healthy(metric, value), "trend": trend(health, metric)}
        for metric, value in last.items()
    }


def _alert(health: Health, rule: Rule) -> Alert | None:
    values = [getattr(snapshot, rule.metric) for snapshot in health.history]
    last = [value for value in values if value is not None or not rule.gaps][-rule.running :]
    outside = [value is not None and (value > rule.bound if rule.above else value < rule.bound) for value in last]
    if len(last) < rule.running or not all(outside):
        return None
    return Alert(rule.metric, rule.level, last[-1], rule.bound, rule.action)


def _burn(health: Health) -> Alert | None:
    now = health.history[-1].burn_rate
    before = _values(Health(health.history[:-1]), "burn_rate")[-TREND:]
    if now is None or len(before) < LEAST_BURN:
        return None
    bound = BURN_SPIKE * sum(before) / len(before)
    return Alert("burn_rate", WARNING, now, bound, SPIKE_ACTION) if now > bound > 0 else None


def _values(health: Health, metric: str) -> list[float]:
    found = (getattr(snapshot, metric) for snapshot in health.history)
    return [value for value in found if value is not None]
