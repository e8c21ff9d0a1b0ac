"""How far estimates of tokens are off on recorded sessions: HOLDFAST_DATA, else ../shared/data beside the checkout."""

import os
from pathlib import Path

import pytest

from benchmarks import token_estimates
from benchmarks.replay import sessions as recorded
from holdfast.gauge import calibration
from holdfast.report import breakdown

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("HOLDFAST_DATA") or ROOT.parent / "shared" / "data") / "transcripts"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no recorded sessions at {DATA}; set HOLDFAST_DATA to a folder with transcripts/"
)


@pytest.mark.parametrize("half", [0, 1])
def test_the_growth_of_a_turn_is_estimated_to_five_percent(half: int) -> None:
    """At the median, on either half of the sessions; the window's size to a thousandth."""
    files = recorded.transcripts([str(DATA)])[half::2]
    errors = [error for file in files for error in token_estimates.errors_of(token_estimates.comparable(file))]
    assert len(errors) > 2_000
    assert calibration.quantile([error.calibrated for error in errors], 0.5) < token_estimates.TARGET
    assert calibration.quantile([error.window for error in errors], 0.5) < 0.001
    assert calibration.quantile([error.window for error in errors], 0.95) < 0.01


def test_every_session_has_an_account() -> None:
    """From 1.0.17 on; the parts never come to less than nothing."""
    for file in recorded.transcripts([str(DATA)])[::3]:
        facts = breakdown.account(file, 167_000, "default")
        assert all(one.used > 0 for one in facts.components), file
