import pytest

from holdfast.engine.shared import escalation
from holdfast.engine.shared.escalation import Load, Week


@pytest.mark.parametrize(
    ("load", "to"),
    [
        (Load(full_batches=1, next_phase=0.49, denials=3, debt=0.30), []),
        (Load(full_batches=2), ["context agent"]),
        (Load(next_phase=0.5), ["context agent"]),
        (Load(denials=3, debt=0.31), ["orchestrator"]),
        (Load(denials=3), []),
        (Load(loses_open_detail=True, full_batches=4), ["context agent", "user"]),
        (Load(), []),
    ],
)
def test_whom_to_tell_follows_the_table(load: Load, to: list[str]) -> None:
    """The user last, and only when something unresolved would be lost; what is not known tells nobody."""
    found = escalation.escalations(load)
    assert [one.to for one in found] == to
    assert all(one.why and one.what for one in found)


@pytest.mark.parametrize(
    ("week", "verdict", "threshold"),
    [
        (Week((0.8,) * 9, 10, 4), "raise", 2_500),
        (Week((0.75,) * 9, 10, 4), "keep", 2_000),
        (Week((0.8,) * 9, 10, 3), "keep", 2_000),
        (Week((0.8,) * 9), "keep", 2_000),
        (Week((0.3,) * 9, idle_macros=3), "lower", 1_600),
        (Week((0.4,) * 9, idle_macros=3), "keep", 2_000),
        (Week((0.3,) * 9, idle_macros=2), "keep", 2_000),
        (Week((0.9,) * 6, 10, 9), "keep", 2_000),
    ],
    ids=["raise", "full", "granted", "none asked", "lower", "used", "useful", "too few"],
)
def test_the_threshold_changes_only_when_both_figures_say_so(week: Week, verdict: str, threshold: int) -> None:
    """And a week has been seen."""
    found = escalation.change(week)
    assert (found.verdict, found.threshold) == (verdict, threshold)
    assert found.reasons
