"""How far estimates of tokens are off on recorded sessions."""

import pytest

from benchmarks import token_estimates
from holdfast.gauge import calibration
from holdfast.report import breakdown


@pytest.mark.parametrize("half", [0, 1])
def test_the_growth_of_a_turn_is_estimated_to_five_percent(files: list[str], half: int) -> None:
    """At the median, on either half of the sessions; the window's size to a thousandth."""
    errors = [error for file in files[half::2] for error in token_estimates.errors_of(token_estimates.comparable(file))]
    assert len(errors) > 2_000
    assert calibration.quantile([error.calibrated for error in errors], 0.5) < token_estimates.TARGET
    assert calibration.quantile([error.window for error in errors], 0.5) < 0.001
    assert calibration.quantile([error.window for error in errors], 0.95) < 0.01


def test_every_session_has_an_account(files: list[str]) -> None:
    """From 1.0.17 on; the parts never come to less than nothing."""
    for file in files[::3]:
        facts = breakdown.account(file, 167_000, "default")
        assert all(one.used > 0 for one in facts.components), file
