"""By how much do this project's texts differ from the estimate of their tokens?

Rule: growth of the window = factor x estimate + a constant per turn. Each pair (estimate of what came in, growth of the
usage that followed) is first predicted with what was known before it, then learned. The fit takes medians in turn (the
factor given the constant, the constant given the factor), so that a reminder that no transcript shows moves neither.
It begins at factor 1 and constant 0, which weigh as much as a few turns. Source: requirement C3; memory and weights are
ours, on recorded sessions from 30 to 120 pairs make no difference (`holdfast bench tokens`).
"""

from collections.abc import Iterable
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.transcript.usage import Turn

MEMORY = 60
"""Pairs that are remembered."""
LEAST = 100
"""Estimates below are mostly frame; they tell the constant and not the factor."""
HEAVIEST = 2_000
"""No pair weighs more than one of this many tokens."""
START_TOKENS, START_TURNS = 3_000, 10
"""Weight of factor 1, in tokens, and of constant 0, in turns."""
ROUNDS = 3
EARLY = 8
"""Below so many predictions there is no error band."""


class Calibration(NamedTuple):
    """What has been learned."""

    pairs: tuple[tuple[int, int], ...] = ()
    """(estimate, growth), oldest first."""
    errors: tuple[float, ...] = ()
    """Of past predictions, each made before its pair was known: |predicted - growth| / growth."""
    seen: int = 0


class Fit(NamedTuple):
    """The factor that is used, and what it rests on."""

    factor: float = 1.0
    per_turn: int = 0
    """Tokens that each turn brings beside its estimate."""
    pairs: int = 0
    """How many pairs it was fitted to; 0 means that nothing has been learned."""
    median_error: float | None = None
    p95_error: float | None = None

    def tokens(self, estimate: int) -> int:
        """What the window will grow by."""
        return round(self.factor * estimate + self.per_turn)


def observe(state: Calibration, estimate: int, growth: int) -> Calibration:
    """Learn one pair, tokens. A growth of 0 or less is a compaction, a rewind or a change of model: it is left out.

    Raises BadInput for a negative estimate.
    """
    if estimate < 0:
        raise BadInput(f"is {estimate}", "estimate", "Give tokens, 0 or more")
    if growth <= 0:
        return state
    factor, constant = fitted(state.pairs)
    error = round(abs(factor * estimate + constant - growth) / growth, 4)
    pairs = (*state.pairs, (estimate, growth))[-MEMORY:]
    return Calibration(pairs, (*state.errors, error)[-MEMORY:], state.seen + 1)


def learned(turns: Iterable[Turn]) -> Calibration:
    """What the turns of a transcript teach."""
    state = Calibration()
    for turn in turns:
        if turn.before:
            state = observe(state, max(0, turn.added.total()), turn.after - turn.before)
    return state


def fit(state: Calibration) -> Fit:
    """The factor for the next estimate, with the error of those before."""
    factor, constant = fitted(state.pairs)
    known = len(state.errors) >= EARLY
    bands = (quantile(state.errors, 0.5), quantile(state.errors, 0.95)) if known else (None, None)
    return Fit(round(factor, 4), round(constant), len(state.pairs), *bands)


def fitted(pairs: Iterable[tuple[int, int]]) -> tuple[float, float]:
    """(factor, constant) of these pairs."""
    known = list(pairs)
    large = [(estimate, growth, min(estimate, HEAVIEST)) for estimate, growth in known if estimate >= LEAST]
    factor, constant = 1.0, 0.0
    for _ in range(ROUNDS if known else 0):
        ratios = [((growth - constant) / estimate, weight) for estimate, growth, weight in large]
        factor = _median([*ratios, (1.0, START_TOKENS)])
        rests = [(growth - factor * estimate, 1) for estimate, growth in known]
        constant = _median([*rests, (0.0, START_TURNS)])
    return factor, constant


def quantile(values: Iterable[float], share: float) -> float:
    """The value that `share` of all are not above; 0.0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _median(weighed: list[tuple[float, int]]) -> float:
    """The value with half the weight on either side."""
    half, so_far = sum(weight for _, weight in weighed) / 2, 0.0
    for value, weight in sorted(weighed):
        so_far += weight
        if so_far >= half:
            return value
    return 0.0
