"""In which order is room made, and when is it enough?

Rule: cheapest first, each step from its share of the limit on: merge what is said twice, digest results and evict
(where the caller acts, .75), progressive shortening (.85), compaction (.92); at .95 the window is handed over, with a
word on what a sub-agent should have done. It stops as soon as the target (.60) is met, and each step tells what it
freed and how many calls of a model it took. A step that cannot store what it takes away changes nothing and says so.
Source: requirement K6.
"""

from collections.abc import Callable

from holdfast.engine import compaction, delegation, eviction, progressive, results
from holdfast.engine.blocks import Plan
from holdfast.engine.strategy import StrategyInput
from holdfast.engine.window_state import HAND_OVER

Step = Callable[[StrategyInput], Plan]


STEPS: tuple[tuple[int, str, Step], ...] = (
    (0, "merge", results.merge),
    (0, "summarise", results.summarise),
    (0, "evict", eviction.evict),
    (85, "progressive", progressive.progressive),
    (92, "compact", compaction.compact),
    (HAND_OVER, "delegate", delegation.advice),
)
"""(per cent of the limit from which on, 0 where the caller acts; name; step); `options.STEPS` names the same."""


def due(share: float, names: tuple[str, ...]) -> list[tuple[str, Step]]:
    """The steps to take at this share of the limit, in order; names: those that are switched on."""
    return [(name, step) for percent, name, step in STEPS if share * 100 >= percent and name in names]


def attempt(name: str, step: Step, given: StrategyInput) -> Plan:
    """A step's plan, whole or without changes.

    It changes nothing where a text that would leave cannot be stored, where the caller's archive or model breaks, and
    where too little is freed; the calls of a model that were made are told all the same.
    """
    try:
        plan = step(given)
    except Exception as error:  # noqa: BLE001 - archives and models are the caller's: whatever breaks, nothing leaves
        told = f"{type(error).__name__}: {error}"[:200]
        if isinstance(error, OSError):
            told = f"a whole text cannot be stored ({error.strerror or type(error).__name__})"
        return Plan(name, note=f"nothing was changed: {told}", short=given.wanted)
    if plan.freed >= min(given.wanted, least(given.used, given.limit)):
        return plan
    return plan._replace(changes=(), freed=0, short=given.wanted, cut=0)


def least(used: int, limit: int) -> float:
    """Tokens that a step must free at this use, since everything behind its first change is cached anew."""
    return (5 if used * 100 < 85 * limit else 1) * limit / 100
