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


def evict(given: StrategyInput) -> Plan:
    """The lowest scores leave."""
    options = given.options
    ids = eviction.evict(given.blocks, given.wanted, given.context, options.policy, options.settings)
    return eviction.planned(given.blocks, ids, given.wanted, given.placeholder, given.count)


def prune(given: StrategyInput) -> Plan:
    """What the agent itself lets go leaves."""
    return eviction.prune(given.blocks, given.context, given.placeholder, given.count)


ACT = 0.0  # a step that is taken wherever the caller's own threshold says that something is to be done
LEAST, PRESSED, AT_LEAST = 0.05, 0.85, 0.01
"""Share of the limit that a step must free to be carried out, since everything behind its first change is cached anew;
from a use of PRESSED on the smaller share is enough."""
STEPS: tuple[tuple[float, str, Step], ...] = (
    (ACT, "merge", results.merge),
    (ACT, "summarise", results.summarise),
    (ACT, "evict", evict),
    (0.85, "progressive", progressive.progressive),
    (0.92, "compact", compaction.compact),
    (HAND_OVER, "delegate", delegation.advice),
)
"""(share of the limit from which on, name, step); `options.STEPS` names the same."""
_TOLD_CHARS = 200


def due(share: float, names: tuple[str, ...]) -> list[tuple[str, Step]]:
    """The steps to take at this share of the limit, in order; names: those that are switched on."""
    return [(name, step) for threshold, name, step in STEPS if share >= threshold and name in names]


def attempt(name: str, step: Step, given: StrategyInput) -> Plan:
    """A step's plan, whole or without changes.

    It changes nothing where a text that would leave cannot be stored, where the caller's archive or model breaks, and
    where too little is freed; the calls of a model that were made are told all the same.
    """
    try:
        plan = step(given)
    except Exception as error:  # noqa: BLE001 - archives and models are the caller's: whatever breaks, nothing leaves
        return Plan(name, note=f"nothing was changed: {_told(error)}", short=given.wanted)
    if plan.freed >= min(given.wanted, least(given.used, given.limit)):
        return plan
    return plan._replace(changes=(), freed=0, short=given.wanted, cut=0)


def _told(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"a whole text cannot be stored ({error.strerror or type(error).__name__})"
    return f"{type(error).__name__}: {error}"[:_TOLD_CHARS]


def least(used: int, limit: int) -> float:
    """Tokens that a step must free at this use."""
    return (LEAST if used < PRESSED * limit else AT_LEAST) * limit
