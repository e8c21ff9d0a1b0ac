import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.gauge import pressure


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
    """Shares of the limit, a tenth lower for small windows, none for an unknown limit."""
    assert pressure.marks(limit, preset) == expected


@pytest.mark.parametrize(
    ("tokens", "zone"),
    [
        (0, "unknown"),
        (1, "green"),
        (49, "green"),
        (50, "yellow"),
        (74, "yellow"),
        (75, "orange"),
        (90, "red"),
        (500, "red"),
    ],
)
def test_zone_at_its_edges(tokens: int, zone: str) -> None:
    """A zone begins at its mark."""
    assert pressure.zone(tokens, pressure.marks(100, "default") and [50, 75, 90]) == zone
    assert pressure.zone(tokens, []) == "unknown"


@given(st.integers(1, 2_000_000), st.integers(1, 2_000_000), st.sampled_from(list(pressure.PRESETS)))
def test_more_tokens_are_never_a_better_zone(limit: int, tokens: int, preset: str) -> None:
    """Zones rise with use, and the next mark is where the zone changes."""
    bounds = pressure.marks(limit, preset)
    rank = pressure.ZONES.index
    zone = pressure.zone(tokens, bounds)
    assert rank(pressure.zone(tokens + 1, bounds)) >= rank(zone)
    mark = pressure.next_mark(tokens, bounds)
    assert (mark == 0) == (zone == "red")
    assert mark == 0 or rank(pressure.zone(mark, bounds)) > rank(zone)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [([], 0), ([5], 0), ([10, 20, 40], 15), ([10, 20, 5, 15], 10), ([40, 30, 20], 0), ([0, 100, 1, 2, 3, 4, 5, 6], 1)],
    ids=["none", "one", "mean", "compaction", "shrinks", "last five"],
)
def test_velocity(sizes: list[int], expected: float) -> None:
    """The mean of the last five growths; a compaction is no growth."""
    assert pressure.velocity(sizes) == expected


@given(st.integers(0, 10**7), st.integers(-5, 10**7), st.integers(-5, 10**6).map(lambda fifths: fifths / 5))
def test_turns_left_is_a_number_or_unknown(tokens: int, limit: int, per_turn: float) -> None:
    """Never negative, and unknown when the limit or the rate is."""
    left = pressure.turns_left(tokens, limit, per_turn)
    assert (left is None) == (limit <= 0 or per_turn <= 0)
    assert left is None or left >= 0


@pytest.mark.parametrize(
    ("tokens", "text"), [(0, "0"), (999, "999"), (1000, "1k"), (83_500, "83k"), (999_999, "999k"), (1_250_000, "1.2M")]
)
def test_short(tokens: int, text: str) -> None:
    """Figures for a narrow line."""
    assert pressure.short(tokens) == text
