"""By how much do this project's texts differ from the estimate of their tokens?

Rule: growth of the window = factor x estimate + a constant per turn. Each pair (estimate of what came in, growth of the
usage that followed) is first predicted with what was known before it, then learned. The fit takes medians in turn (the
factor given the constant, the constant given the factor), so that a reminder that no transcript shows moves neither.
It begins at factor 1 and constant 0, which weigh as much as a few turns. Source: requirement C3; memory and weights are
ours, on recorded sessions from 30 to 120 pairs make no difference (`holdfast bench tokens`).
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from holdfast.transcript.usage import ApiTurn


class Calibration(NamedTuple):
    """What the last 60 turns have taught: growth = factor x estimate + per_turn.

    pairs: (estimate, growth), oldest first; errors: of predictions, each made before its pair was known:
    |predicted - growth| / growth.
    """

    pairs: tuple[tuple[int, int], ...] = ()
    errors: tuple[float, ...] = ()
    factor: float = 1.0
    per_turn: int = 0

    def tokens(self, estimate: int) -> int:
        """What the window will grow by."""
        return round(self.factor * estimate + self.per_turn)

    def report(self) -> dict[str, Any]:
        """factor, per_turn, pairs (how many), median_error and p95_error: None before the first eight predictions."""
        bands = [quantile(self.errors, share) for share in (0.5, 0.95)] if len(self.errors) >= 8 else (None, None)
        fit = {"factor": self.factor, "per_turn": self.per_turn, "pairs": len(self.pairs)}
        return {**fit, "median_error": bands[0], "p95_error": bands[1]}


def observe(state: Calibration, estimate: int, growth: int) -> Calibration:
    """Learn one pair, tokens. A growth of 0 or less is a compaction, a rewind or a change of model: it is left out.

    An estimate is below 0 where more thinking left the window than came in: it counts as 0.
    """
    if growth <= 0:
        return state
    pair = max(0, estimate), growth
    error = round(abs(state.factor * pair[0] + state.per_turn - growth) / growth, 4)
    pairs = (*state.pairs, pair)[-60:]
    return Calibration(pairs, (*state.errors, error)[-60:], *_fitted(pairs))


def learned(turns: Iterable[ApiTurn]) -> Calibration:
    """What the turns of a transcript teach."""
    state = Calibration()
    for turn in turns:
        if turn.before:
            state = observe(state, turn.added.total(), turn.after - turn.before)
    return state


def _fitted(pairs: Sequence[tuple[int, int]]) -> tuple[float, int]:
    """(factor, tokens per turn) of these pairs. An estimate below 100 is mostly frame: it tells the constant alone.

    No pair weighs more than one of 2,000 tokens; factor 1 weighs 3,000 tokens, constant 0 as much as ten turns.
    """
    factor, constant = 1.0, 0.0
    for _ in range(3):
        ratios = [((growth - constant) / known, min(known, 2_000)) for known, growth in pairs if known >= 100]
        factor = _median([*ratios, (1.0, 3_000)])
        constant = _median([*((growth - factor * known, 1) for known, growth in pairs), (0.0, 10)])
    return round(factor, 4), round(constant)


def quantile(values: Iterable[float], share: float) -> float:
    """The value that `share` of all are not above; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def _median(weighed: list[tuple[float, int]]) -> float:
    """The value with half the weight on either side."""
    half, so_far = sum(weight for _, weight in weighed) / 2, 0.0
    for value, weight in sorted(weighed):
        so_far += weight
        if so_far >= half:
            return value
    return 0
