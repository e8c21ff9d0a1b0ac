"""What a window's figures alert to, and which way they go."""

import pytest

from holdfast.engine import health
from holdfast.engine.health import Snapshot


def of(metric: str, *values: float | None) -> list[Snapshot]:
    """Snapshots that know one metric."""
    return [Snapshot(**{metric: value}) for value in values]


@pytest.mark.parametrize(
    ("metric", "values", "told"),
    [
        pytest.param("utilisation", [0.95, 0.95, 0.95, 0.95], [0, 0, 1, 1], id="full for three turns"),
        pytest.param("utilisation", [0.95, 0.95, 0.90, 0.95], [0, 0, 0, 0], id="not three running"),
        pytest.param("utilisation", [0.95, None, 0.95, 0.95], [0, 0, 0, 0], id="a turn that is not known"),
        pytest.param("eviction_rate", [6, 6, 6, 5], [0, 0, 1, 0], id="evictions that last"),
        pytest.param("eviction_rate", [40, 0, 0, 40], [0, 0, 0, 0], id="one sweep"),
        pytest.param("compression_ratio", [1.5, None, 1.5, None, 1.9], [0, 0, 0, 0, 1], id="three weak compressions"),
        pytest.param("compression_ratio", [1.5, 1.5, 2.0], [0, 0, 0], id="one good one"),
        pytest.param("fidelity", [0.75, 0.74, None, 0.9], [0, 1, 0, 0], id="facts lost, told once"),
        pytest.param("results_share", [0.30, 0.31], [0, 1], id="results take over"),
        pytest.param("burn_rate", [100, 100, 100, 300, 500], [0, 0, 0, 0, 1], id="above three times the mean"),
        pytest.param("burn_rate", [100, 100, 9_000], [0, 0, 0], id="too few to know"),
        pytest.param("burn_rate", [0, 0, 0, 10], [0, 0, 0, 0], id="from nothing"),
    ],
)
def test_when_a_metric_alerts(metric: str, values: list[float | None], told: list[int]) -> None:
    """At its bound, for as long as its rule says."""
    level: str = "critical" if metric == "utilisation" else "warning"
    history: health.History = ()
    for snapshot, count in zip(of(metric, *values), told, strict=True):
        history, alerts = health.record(history, snapshot)
        assert [(alert.metric, alert.level) for alert in alerts] == [(metric, level)] * count


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.1, 0.2, 0.3, 0.4], "insufficient"),
        ([0.1, 0.2, 0.3, 0.4, 0.5], "rising"),
        ([0.5, 0.4, 0.3, 0.2, 0.1], "falling"),
        ([0.50, 0.51, 0.49, 0.50, 0.51, 0.50], "stable"),
        ([0.9] * 20 + [0.5] * 10, "stable"),
        ([0.1, None, 0.2, None, 0.3, None, 0.4, None, 0.5], "rising"),
    ],
    ids=["four", "up", "down", "noise", "only the last ten", "gaps"],
)
def test_trend(values: list[float | None], expected: str) -> None:
    """The newer half against the older, within 5 %."""
    assert health.trend(tuple(of("utilisation", *values)), "utilisation") == expected


def test_healthy_ranges() -> None:
    """Narrower than the alerts; None where there is no range or no value."""
    rows: dict[bool | None, list[tuple[str, float | None]]] = {
        True: [("utilisation", 0.6), ("fidelity", 0.85), ("compression_ratio", 3.0), ("compression_ratio", 15.0)],
        False: [("utilisation", 0.61), ("fidelity", 0.84), ("compression_ratio", 2.9), ("compression_ratio", 16.0)],
        None: [("fidelity", None), ("burn_rate", 1e9)],
    }
    for healthy, found in rows.items():
        for metric, value in found:
            assert health.report(tuple(of(metric, value)))[metric]["healthy"] is healthy


def test_share_of_results() -> None:
    """The room kept for the answer is no part of the window's content; an empty window has no share."""
    used: tuple[dict[str, int], ...] = ({"results": 30, "history": 60, "system": 10, "output": 900}, {}, {"history": 5})
    assert [health.results_share(one) for one in used] == [0.3, None, 0.0]


def test_history_is_bounded() -> None:
    state: health.History = ()
    for snapshot in of("utilisation", *[0.5] * 130):
        state, _ = health.record(state, snapshot)
    assert len(state) == 100
