"""By how much do this project's texts differ from the estimate of their tokens?

Rule: growth of the window = factor x estimate + a constant per turn. Each pair (estimate of what came in, growth of the
usage that followed) is first predicted with what was known before it, then learned. The fit takes medians in turn (the
factor given the constant, the constant given the factor), so that a reminder that no transcript shows moves neither.
It begins at factor 1 and constant 0, which weigh as much as a few turns. Source: requirement C3; memory and weights are
ours, on recorded sessions from 30 to 120 pairs make no difference (`holdfast bench tokens`).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from holdfast.transcript.usage import Turn


class Calibration(NamedTuple):
    """What the last 60 turns have taught.

    pairs: (estimate, growth), oldest first; errors: of predictions, each made before its pair was known:
    |predicted - growth| / growth.
    """

    pairs: tuple[tuple[int, int], ...] = ()
    errors: tuple[float, ...] = ()


class Fit(NamedTuple):
    """The factor that is used, the tokens that each turn brings beside its estimate, and what they rest on.

    pairs: how many it was fitted to; errors: None before the first eight predictions.
    """

    factor: float = 1.0
    per_turn: int = 0
    pairs: int = 0
    median_error: float | None = None
    p95_error: float | None = None

    def tokens(self, estimate: int) -> int:
        """What the window will grow by."""
        return round(self.factor * estimate + self.per_turn)


def observe(state: Calibration, estimate: int, growth: int) -> Calibration:
    """Learn one pair, tokens. A growth of 0 or less is a compaction, a rewind or a change of model: it is left out.

    An estimate is below 0 where more thinking left the window than came in: it counts as 0.
    """
    if growth <= 0:
        return state
    estimate = max(0, estimate)
    factor, constant = _fitted(state.pairs)
    error = round(abs(factor * estimate + constant - growth) / growth, 4)
    return Calibration((*state.pairs, (estimate, growth))[-60:], (*state.errors, error)[-60:])


def learned(turns: Iterable[Turn]) -> Calibration:
    """What the turns of a transcript teach."""
    state = Calibration()
    for turn in turns:
        if turn.before:
            state = observe(state, turn.added.total(), turn.after - turn.before)
    return state


def fit(state: Calibration) -> Fit:
    """The factor for the next estimate, with the error of those before."""
    factor, constant = _fitted(state.pairs)
    bands = [quantile(state.errors, share) for share in (0.5, 0.95)] if len(state.errors) >= 8 else (None, None)
    return Fit(round(factor, 4), round(constant), len(state.pairs), *bands)


def _fitted(pairs: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """(factor, constant) of these pairs. An estimate below 100 is mostly frame: it tells the constant alone.

    No pair weighs more than one of 2,000 tokens; factor 1 weighs 3,000 tokens, constant 0 as much as ten turns.
    """
    factor, constant = 1.0, 0.0
    for _ in range(3 if pairs else 0):
        ratios = [((growth - constant) / known, min(known, 2_000)) for known, growth in pairs if known >= 100]
        factor = _median([*ratios, (1.0, 3_000)])
        constant = _median([*((growth - factor * known, 1) for known, growth in pairs), (0.0, 10)])
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
