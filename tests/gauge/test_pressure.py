"""Zones, velocity and turns left; what a monitor makes of them from turn to turn; what to do about it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine import pipeline
from holdfast.gauge import advice, monitor, pressure
from holdfast.gauge.monitor import GaugeEvent, Monitor, Reading

PRESETS = st.sampled_from(list(pressure.PRESETS))


@pytest.mark.parametrize(
    ("limit", "preset", "expected"),
    [
        (167_000, "default", [83_500, 125_250, 150_300]),
        (100_000, "capacity", [80_000, 90_000, 95_000]),
        (32_000, "default", [14_400, 21_600, 25_920]),
        (32_001, "default", [16_000, 24_000, 28_800]),
        (0, "default", []),
        (-1, "default", []),
    ],
)
def test_marks(limit: int, preset: str, expected: list[int]) -> None:
    assert pressure.marks(limit, preset) == expected


@given(st.integers(1, 2_000_000), st.integers(1, 2_000_000), PRESETS)
def test_more_tokens_are_never_a_better_zone(limit: int, tokens: int, preset: str) -> None:
    """A zone begins at its mark, and the next mark is where the zone changes."""
    bounds = pressure.marks(limit, preset)
    rank = pressure.ZONES.index
    zone = pressure.zone(tokens, bounds)
    assert rank(pressure.zone(tokens + 1, bounds)) >= rank(zone)
    mark = pressure.next_mark(tokens, bounds)
    assert (mark == 0) == (zone == "red")
    assert mark == 0 or rank(pressure.zone(mark, bounds)) > rank(zone)
    assert pressure.zone(tokens, []) == pressure.zone(0, bounds) == "unknown"


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [([], 0), ([5], 0), ([10, 20, 40], 15), ([10, 20, 5, 15], 10), ([40, 30, 20], 0), ([0, 100, 1, 2, 3, 4, 5, 6], 1)],
    ids=["none", "one", "mean", "compaction", "shrinks", "last five"],
)
def test_velocity(sizes: list[int], expected: float) -> None:
    assert pressure.velocity(sizes) == expected


def after(state: Monitor, sizes: list[int]) -> tuple[Monitor, list[Reading]]:
    found = []
    for size in sizes:
        state, reading = monitor.measure(state, reported=size)
        found.append(reading)
    return state, found


def test_a_session_that_fills() -> None:
    """Each new zone is an event; shares and turns left are of the limit. A compaction is no growth."""
    _, readings = after(Monitor(100_000), [40_000, 50_000, 60_000, 76_000, 91_000])
    assert [reading.zone for reading in readings] == ["green", "yellow", "yellow", "orange", "red"]
    assert [event for reading in readings for event in reading.events] == [
        GaugeEvent("zone", "green", "yellow"),
        GaugeEvent("zone", "yellow", "orange"),
        GaugeEvent("zone", "orange", "red"),
    ]
    assert readings[2].velocity == 10_000
    assert (readings[2].turns_to_red, readings[2].turns_to_limit, readings[2].share) == (3, 4, 0.6)
    assert readings[4].turns_to_red == 0
    state, readings = after(Monitor(100_000), [70_000, 80_000, 20_000])
    assert (state.baseline, readings[-1].velocity) == (10_000, 10_000)
    assert readings[-1].events == (GaugeEvent("zone", "orange", "green"),)


def test_an_unknown_limit_stays_unknown() -> None:
    last = after(Monitor(), [10_000, 20_000])[1][-1]
    assert (last.zone, last.share, last.turns_to_red, last.turns_to_limit) == ("unknown", None, None, None)
    assert (last.velocity, last.events, last.advice) == (10_000, (), "size or limit is not known yet")


@pytest.mark.parametrize(("last", "spike"), [(31_000, True), (22_001, True), (22_000, False)])
def test_growth_above_three_times_the_baseline_is_a_spike(last: int, spike: bool) -> None:
    """Told at once, with the baseline that it broke; the baseline then moves by 0.3."""
    state, readings = after(Monitor(200_000), [10_000, 12_000, 14_000, 16_000, last])
    assert [reading.spike for reading in readings] == [False] * 4 + [spike]
    assert readings[-1].events == ((GaugeEvent("spike", 2_000.0, float(last - 16_000)),) if spike else ())
    assert state.baseline == pytest.approx(0.3 * (last - 16_000) + 0.7 * 2_000)


@pytest.mark.parametrize(
    ("estimated", "gap"), [(11_500, None), (11_600, 0.16), (8_400, 0.16), (8_500, None), (0, None)]
)
def test_a_report_is_taken_as_it_is_and_held_against_the_estimate(estimated: int, gap: float | None) -> None:
    """A gap above 15 % is told, whichever is larger; an estimate alone is raised by 5 %."""
    _, reading = monitor.measure(Monitor(), reported=10_000, estimated=estimated)
    assert (reading.tokens, reading.source) == (10_000, "reported")
    assert reading.disagreement == (None if gap is None else pytest.approx(gap))
    alone = monitor.measure(Monitor(), estimated=10_000)[1]
    assert (alone.tokens, alone.source) == (10_500, "estimated")


def part(name: str, used: int, limit: int | None = 10_000, urgency: str = "critical") -> dict[str, Any]:
    return {"name": name, "used": used, "limit": limit, "turns_left": 2, "urgency": urgency}


@pytest.mark.parametrize(
    ("share", "begins"),
    [
        *((None, ""), (0.74, ""), (0.75, "narrow"), (0.85, "compact at the next"), (0.92, "compact now")),
        *((0.95, "save a handoff package"), (1.2, "save")),
    ],
)
def test_the_furthest_step_speaks(share: float | None, begins: str) -> None:
    """As far as the window is full, as the engine goes; nothing where the limit is not known: a guess is no advice."""
    assert {*advice.STEPS} - {75} == {bound for bound, _, _ in pipeline.STEPS if bound}
    found = advice.advice(share, [part("results", 9_000, None), part("history", 100, urgency="normal")], False)
    assert [line[: len(begins)] for line in found] == ([begins] if begins else [])


def test_a_part_over_its_share_is_named_with_what_to_do() -> None:
    """Results alone: of another part there is nothing to do; what grows fast and is small is not worth a line."""
    found = advice.advice(0.4, [part("history", 9_000), part("results", 15_000), part("memory", 10)], False)
    assert found == [f"results are over their share (15,000 of 10,000 tokens): {advice.STEPS[75]}"]
    for name, used in (("results", 10), ("system and tools", 15_000), ("history", 15_000), ("memory", 9_500)):
        assert advice.advice(0.4, [part(name, used)], False) == []


def test_what_was_said_is_not_said_again() -> None:
    found = advice.advice(0.8, [part("results", 9_000)], True)
    assert found[0] == advice.STEPS[75]
    assert "three times the usual" in found[1]
