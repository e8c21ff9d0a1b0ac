import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.gauge import calibration
from holdfast.gauge.calibration import Calibration
from holdfast.transcript.usage import Added, ApiTurn

SIZES = [300, 4_000, 700, 1_500, 150, 9_000, 2_500, 500, 1_200, 800]


def learned(pairs: list[tuple[int, int]]) -> Calibration:
    state = Calibration()
    for estimate, growth in pairs:
        state = calibration.observe(state, estimate, growth)
    return state


@pytest.mark.parametrize(("factor", "constant"), [(1.3, 0), (0.9, 0), (1.0, 250), (1.2, 100)])
def test_factor_and_constant_are_found(factor: float, constant: int) -> None:
    state = learned([(size, round(factor * size + constant)) for size in SIZES * 6])
    assert state.factor == pytest.approx(factor, abs=0.03)
    assert state.tokens(3_000) == pytest.approx(factor * 3_000 + constant, rel=0.02)
    assert state.report()["pairs"] == 60


def test_reminders_that_nobody_sees_move_nothing() -> None:
    """Every fourth turn brings 650 tokens that no transcript shows."""
    pairs = [(size, round(1.1 * size) + (650 if number % 4 == 0 else 0)) for number, size in enumerate(SIZES * 6)]
    found = learned(pairs).report()
    assert found["factor"] == pytest.approx(1.1, abs=0.02)
    assert abs(found["per_turn"]) < 20
    assert found["median_error"] < 0.05 < found["p95_error"]


def test_an_error_is_that_of_a_prediction_made_before() -> None:
    """The first is the bare estimate's."""
    state = learned([(1_000, 1_250)])
    assert state.errors == (0.2,)
    assert (state.factor, state.per_turn) == (1.0, 0), "one pair that is far off is no reason to believe it"


@pytest.mark.parametrize("growth", [0, -5_000])
def test_what_is_no_growth_is_left_out(growth: int) -> None:
    assert calibration.observe(Calibration(), 500, growth) == Calibration()


def test_turns_of_a_transcript() -> None:
    """Those that can be compared; where more thinking left than came in the estimate is 0."""
    added = [Added(results=500), Added(results=100, dropped=400), Added(said=80)]
    sizes = [(1_000, 1_600), (1_600, 1_700), (0, 9_000)]
    turns = [ApiTurn("m", before, after, one) for one, (before, after) in zip(added, sizes, strict=True)]
    assert calibration.learned(turns).pairs == ((500, 600), (0, 100))


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(-(10**6), 10**6)), max_size=80))
def test_what_is_remembered_is_bounded(pairs: list[tuple[int, int]]) -> None:
    state = learned(pairs)
    assert len(state.pairs) <= 60
    assert isinstance(state.tokens(100), int)
