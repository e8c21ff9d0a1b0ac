from typing import Any

import pytest

from holdfast.engine import pipeline
from holdfast.gauge import advice
from holdfast.gauge.advice import NARROW


def part(name: str, used: int, limit: int | None = 10_000, urgency: str = "critical") -> dict[str, Any]:
    """One part of the window."""
    return {"name": name, "used": used, "limit": limit, "turns_left": 2, "urgency": urgency}


@pytest.mark.parametrize(
    ("share", "begins"),
    [
        (0.75, "narrow"),
        (0.85, "compact at the next"),
        (0.92, "compact now"),
        (0.95, "save a checkpoint"),
        (1.2, "save"),
    ],
)
def test_the_furthest_step_speaks(share: float, begins: str) -> None:
    """As far as the window is full."""
    assert advice.advice(share, [], False)[0].startswith(begins)


@pytest.mark.parametrize("share", [None, 0.0, 0.74])
def test_nothing_to_do_is_nothing_said(share: float | None) -> None:
    """Also where the limit is not known: a guess is no advice."""
    assert advice.advice(share, [part("results", 9_000, None), part("history", 100, urgency="normal")], False) == []


def test_its_shares_are_those_of_the_cascade() -> None:
    """One order of steps, for loops and for people."""
    later = {bound for bound, _, _ in pipeline.STEPS if bound}
    assert {bound for bound, _ in advice.STEPS} - {0.75} == later


def test_a_part_over_its_share_is_named_with_what_to_do() -> None:
    """The worst of several; what is merely growing fast and small is not worth a line."""
    found = advice.advice(0.4, [part("history", 9_000), part("results", 15_000), part("memory", 10)], False)
    assert found == [f"results are over their share (15,000 of 10,000 tokens): {NARROW}"]
    assert advice.advice(0.4, [part("memory", 10)], False) == []


def test_what_was_said_is_not_said_again() -> None:
    """And three lines are the most."""
    found = advice.advice(0.8, [part("results", 9_000)], True)
    assert found[0] == NARROW
    assert found[1] == "results reach their share in 2 turns (9,000 of 10,000 tokens)"
    assert "three times the usual" in found[2]
