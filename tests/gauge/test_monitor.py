import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.gauge import monitor, pressure
from holdfast.gauge.monitor import Event, Monitor, Reading


def after(state: Monitor, sizes: list[int]) -> tuple[Monitor, list[Reading]]:
    """The readings of turns with these reported sizes."""
    found = []
    for size in sizes:
        state, reading = monitor.measure(state, reported=size)
        found.append(reading)
    return state, found


def test_a_session_that_fills() -> None:
    """Zones, shares and turns left are those of the house; each new zone is an event."""
    _, readings = after(monitor.start(100_000), [40_000, 50_000, 60_000, 76_000, 91_000])
    assert [reading.zone for reading in readings] == ["green", "yellow", "yellow", "orange", "red"]
    assert [event for reading in readings for event in reading.events] == [
        Event("zone", "green", "yellow"),
        Event("zone", "yellow", "orange"),
        Event("zone", "orange", "red"),
    ]
    assert readings[2].velocity == 10_000
    assert (readings[2].turns_to_red, readings[2].turns_to_limit, readings[2].share) == (3, 4, 0.6)
    assert readings[4].turns_to_red == 0


def test_an_unknown_limit_stays_unknown() -> None:
    """No share, no zone, no turns left and no event; the velocity is known all the same."""
    _, readings = after(monitor.start(), [10_000, 20_000])
    last = readings[-1]
    assert (last.zone, last.share, last.turns_to_red, last.turns_to_limit) == ("unknown", None, None, None)
    assert (last.velocity, last.events, last.advice) == (10_000, (), "the limit is not known yet")


def test_one_large_result_is_a_spike() -> None:
    """15K tokens in turns of 2K: told at once, with the baseline that it broke; the baseline then moves by 0.3."""
    state, readings = after(monitor.start(200_000), [10_000, 12_000, 14_000, 16_000, 31_000])
    assert [reading.spike for reading in readings] == [False, False, False, False, True]
    assert readings[-1].events == (Event("spike", 2_000.0, 15_000.0),)
    assert state.baseline == pytest.approx(0.3 * 15_000 + 0.7 * 2_000)


def test_three_times_the_baseline_is_none_yet() -> None:
    """A spike lies above it."""
    _, readings = after(monitor.start(200_000), [10_000, 12_000, 18_000])
    assert not readings[-1].spike


def test_a_compaction_is_no_growth() -> None:
    """It moves neither baseline nor velocity, and the zone goes back with an event."""
    state, readings = after(monitor.start(100_000), [70_000, 80_000, 20_000])
    assert (state.baseline, readings[-1].velocity) == (10_000, 10_000)
    assert readings[-1].events == (Event("zone", "orange", "green"),)


def test_an_estimate_is_raised_and_a_report_is_taken_as_it_is() -> None:
    """5 % for what no client counts; a report wins."""
    _, estimated = monitor.measure(monitor.start(100_000), estimated=10_000)
    _, reported = monitor.measure(monitor.start(100_000), reported=10_000, estimated=11_000)
    assert (estimated.tokens, estimated.source) == (10_500, "estimated")
    assert (reported.tokens, reported.source, reported.disagreement) == (10_000, "reported", None)


@pytest.mark.parametrize(("estimated", "gap"), [(11_500, None), (11_600, 0.16), (8_400, 0.16), (8_500, None)])
def test_report_and_estimate_are_held_against_each_other(estimated: int, gap: float | None) -> None:
    """A gap above 15 % is told, whichever is larger."""
    _, reading = monitor.measure(monitor.start(), reported=10_000, estimated=estimated)
    assert reading.disagreement == (None if gap is None else pytest.approx(gap))


def test_a_size_that_is_not_known_leaves_all_as_it_was() -> None:
    """No reading, no growth."""
    state, _ = after(monitor.start(100_000), [10_000, 12_000])
    again, reading = monitor.measure(state)
    assert again == state
    assert reading.zone == "unknown"


def test_presets_say_different_things() -> None:
    """The same share is another zone, and the same zone another advice."""
    readings = [monitor.measure(monitor.start(100_000, name), reported=85_000)[1] for name in pressure.PRESETS]
    assert [reading.zone for reading in readings] == ["orange", "yellow"]
    advice = {(zone, name): pressure.advice(zone, name) for zone in pressure.ZONES for name in pressure.PRESETS}
    assert len(set(advice.values())) == len(advice)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"preset": "late"}, "preset: there is no 'late'. Give one of default, capacity"),
        ({"limit": -1}, "limit: is -1"),
    ],
)
def test_a_wrong_start_is_named(arguments: dict[str, int], words: str) -> None:
    """With the values that are allowed."""
    with pytest.raises(BadInput, match=words):
        monitor.start(**arguments)  # type: ignore[arg-type]  # wrong on purpose


def test_a_negative_size_is_named() -> None:
    """Whichever of the two."""
    with pytest.raises(BadInput, match="estimated: is -3"):
        monitor.measure(monitor.start(), estimated=-3)


@given(st.lists(st.integers(0, 300_000), max_size=20), st.integers(0, 300_000), st.sampled_from(list(pressure.PRESETS)))
def test_what_is_remembered_is_bounded(sizes: list[int], limit: int, preset: str) -> None:
    """As many sizes as the velocity needs."""
    state, _ = after(monitor.start(limit, preset), sizes)
    assert len(state.sizes) <= pressure.VELOCITY_TURNS + 1
