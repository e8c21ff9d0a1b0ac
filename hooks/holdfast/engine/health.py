"""Is the window in good health, and which way is it going?

Rule: six figures a turn, each with a range that is healthy and one alert. An alert on a state that lasts asks for three
turns running; the compression ratio and the fidelity are known only when something was compressed, so theirs are the
last values known. A burn spike is a turn above three times the mean of the ten before it, of which at least three are
known. What is not known is None and never alerts. A trend compares the newer half of the last ten values with the older
half; within 5 % of the larger it is stable, below five values there is none. Source: requirement F2; the share of
results is their tokens over all tokens in the window, as R8 asks.
"""

from collections.abc import Callable, Mapping
from math import inf
from operator import gt, lt
from typing import Any, NamedTuple


class Snapshot(NamedTuple):
    """One turn's figures; None for not known."""

    utilisation: float | None = None  # tokens / limit
    eviction_rate: float | None = None  # blocks evicted in this turn
    compression_ratio: float | None = None  # tokens before / after, of this turn's compressions
    burn_rate: float | None = None  # tokens that this turn brought
    fidelity: float | None = None  # share of the critical facts that this turn's compressions kept
    results_share: float | None = None  # tokens of tool results / tokens in the window


class Metric(NamedTuple):
    """What is healthy, and when it alerts; between the two a figure is merely worth a look."""

    low: float  # healthy from
    high: float  # and up to
    outside: Callable[[float, float], bool]  # whether a value alerts at the bound
    bound: float
    running: int  # values one after the other
    gaps: bool  # whether turns without a value are passed over; else they break the run
    action: str
    level: str = "warning"


METRICS = {  # the figures of requirement F2
    "utilisation": Metric(0, 0.6, gt, 0.9, 3, False, "compact now and save a checkpoint", "critical"),
    "eviction_rate": Metric(0, 2, gt, 5, 3, False, "the window may be too small; look at the eviction policy"),
    "compression_ratio": Metric(3, 15, lt, 2, 3, True, "what is compressed hardly shrinks; compress other things"),
    "fidelity": Metric(0.85, inf, lt, 0.75, 1, True, "compression loses what matters; preserve more"),
    "results_share": Metric(0, 0.15, gt, 0.3, 1, False, "tools return too much; limit or digest their output"),
}


class Alert(NamedTuple):
    """What is wrong and what to do."""

    metric: str
    level: str  # "critical" or "warning"
    value: float
    bound: float
    action: str


History = tuple[Snapshot, ...]  # the last hundred, oldest first


def record(history: History, snapshot: Snapshot) -> tuple[History, tuple[Alert, ...]]:
    """The history with this turn, and what it alerts to: each only in a turn that brought its figure."""
    after = (*history, snapshot)[-100:]
    alerts = [_alert(after, name) for name in METRICS if getattr(snapshot, name) is not None]
    return after, tuple(alert for alert in (*alerts, _burn(after)) if alert)


def results_share(used: Mapping[str, int]) -> float | None:
    """Share of the tool results in what the window holds, from tokens by component; None for an empty window."""
    total = sum(tokens for component, tokens in used.items() if component != "output")
    return used.get("results", 0) / total if total > 0 else None


def trend(history: History, metric: str) -> str:
    """ "rising", "falling", "stable" or "insufficient"."""
    values = _values(history, metric)[-10:]
    half = len(values) // 2
    if len(values) < 5:
        return "insufficient"
    before, after = sum(values[:half]) / half, sum(values[-half:]) / half
    if abs(after - before) * 20 <= max(abs(before), abs(after)):  # within 5 %
        return "stable"
    return "rising" if after > before else "falling"


def report(history: History) -> dict[str, dict[str, Any]]:
    """Metric -> its last known value, whether that is healthy, None where it has no range, and its trend."""
    found = {}
    for metric in Snapshot._fields:
        rule, value = METRICS.get(metric), next(reversed(_values(history, metric)), None)
        healthy = rule.low <= value <= rule.high if rule and value is not None else None
        found[metric] = {"value": value, "healthy": healthy, "trend": trend(history, metric)}
    return found


def _alert(history: History, name: str) -> Alert | None:
    rule, values = METRICS[name], [getattr(snapshot, name) for snapshot in history]
    last = [value for value in values if value is not None or not rule.gaps][-rule.running :]
    if len(last) < rule.running or not all(value is not None and rule.outside(value, rule.bound) for value in last):
        return None
    return Alert(name, rule.level, last[-1], rule.bound, rule.action)


def _burn(history: History) -> Alert | None:
    now, before = history[-1].burn_rate, _values(history[:-1], "burn_rate")[-10:]
    if now is None or len(before) < 3:  # too few to know what is usual
        return None
    bound = 3 * sum(before) / len(before)
    return Alert("burn_rate", "warning", now, bound, "look for a loop that does not end") if now > bound > 0 else None


def _values(history: History, metric: str) -> list[float]:
    return [value for snapshot in history if (value := getattr(snapshot, metric)) is not None]
