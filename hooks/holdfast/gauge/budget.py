"""How much of the window may each component take, and when will it have taken it?

Six components share the limit by a profile. From 80 % of its share on a component is warned about, beyond 100 %
additions are refused. Tracking never refuses: what stands in the window is counted whatever the budget says. The output
reserve is at least 4,000 tokens; what it lacks comes out of the largest other share. A component's burn rate is its
mean growth over the last 20 turns; turns left below 3 are critical, below 10 a warning. Source: requirement T, whose
table the profiles are.
"""

from collections.abc import Mapping
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.gauge import pressure
from holdfast.gauge.pressure import percent

NAMES = ("system", "tools", "history", "results", "memory", "output")
PROFILES = {
    profile: {name: percent / 100 for name, percent in zip(NAMES, row, strict=True)}
    for profile, row in {
        "default": (6, 4, 65, 12, 8, 5),
        "code_review": (6, 5, 60, 18, 6, 5),
        "research": (5, 5, 55, 15, 15, 5),
        "support": (8, 3, 70, 8, 6, 5),
    }.items()
}
LEAST_OUTPUT = 4_000


class Budget(NamedTuple):
    """Tokens by component. A value: each change gives a new one.

    growing: what each has grown by in this turn so far; turns: growth of each in the last turns, oldest first.
    """

    limits: Mapping[str, int]
    used: Mapping[str, int]
    growing: Mapping[str, int]
    turns: tuple[Mapping[str, int], ...] = ()


class Verdict(NamedTuple):
    """Whether an addition fits.

    warning: it comes to 80 % of the component's budget or more; excess: tokens beyond the budget; said: the finding in
    words, "" when there is nothing to say.
    """

    allowed: bool
    warning: bool
    excess: int
    said: str


class ComponentUse(NamedTuple):
    """One component's account.

    share: used / limit, of a component without a budget 1 when it holds something, else 0; turns_left: None when it
    does not grow; urgency: critical, warning or normal.
    """

    component: str
    used: int
    limit: int
    share: float
    per_turn: float
    turns_left: int | None
    urgency: str


def allocate(limit: int, profile: str = "default", shares: Mapping[str, float] | None = None) -> Budget:
    """Divide a limit, tokens, by a profile or by other shares, which add up to 1; components left out have none.

    Raises BadInput for a limit in which the output reserve has no room, as it has none in an unknown one.
    """
    parts, none = shares or PROFILES[profile], dict.fromkeys(NAMES, 0)
    limits = {name: int(limit * parts.get(name, 0)) for name in NAMES}
    limits[max(limits, key=limits.__getitem__)] += limit - sum(limits.values())
    lacking, giver = max(0, LEAST_OUTPUT - limits["output"]), max(NAMES[:-1], key=limits.__getitem__)
    if lacking >= limits[giver] and lacking:
        raise BadInput(
            f"leaves {limits['output']:,} tokens for output and {limits[giver]:,} for {giver}",
            "limit",
            f"The output reserve is {LEAST_OUTPUT:,} tokens: give a larger limit",
        )
    return Budget({**limits, "output": limits["output"] + lacking, giver: limits[giver] - lacking}, none, none)


def track(budget: Budget, component: str, tokens: int) -> Budget:
    """Count what came in, however much it is."""
    return settle(budget, {component: budget.used[component] + tokens})


def settle(budget: Budget, used: Mapping[str, int]) -> Budget:
    """Take what stands in the window as the truth, e.g. `blocks.by_component`; components left out keep theirs.

    What has grown since counts for the burn rate; what has shrunk was evicted and does not.
    """
    growing = {name: budget.growing[name] + max(0, tokens - budget.used[name]) for name, tokens in used.items()}
    return budget._replace(used={**budget.used, **used}, growing={**budget.growing, **growing})


def end_turn(budget: Budget) -> Budget:
    """Close the turn: its growth joins the burn rate."""
    return budget._replace(growing=dict.fromkeys(NAMES, 0), turns=(*budget.turns, budget.growing)[-20:])


def allow(budget: Budget, component: str, tokens: int) -> Verdict:
    """Whether so many more tokens fit; counts nothing. Raises BadInput for an unknown component, and below 0."""
    if component not in NAMES:
        raise BadInput(f"there is no {component!r}", "component", f"Give one of {', '.join(NAMES)}")
    if tokens < 0:
        raise BadInput(f"is {tokens}", f"tokens of {component}", "Give tokens, 0 or more")
    limit, after = budget.limits[component], budget.used[component] + tokens
    excess = max(0, after - limit)
    if after <= 0 or after * 100 < 80 * limit:
        return Verdict(True, False, 0, "")
    share = f" ({percent(after, limit)})" if limit else ""
    said = f"{component}: {after:,} of {limit:,} tokens{share}" + (f", {excess:,} too many" if excess else "")
    return Verdict(not excess, True, excess, said)


def rows(budget: Budget) -> list[ComponentUse]:
    """The account of every component."""
    return [_row(budget, name) for name in NAMES]


def _row(budget: Budget, name: str) -> ComponentUse:
    used, limit = budget.used[name], budget.limits[name]
    rate = sum(turn[name] for turn in budget.turns) / max(1, len(budget.turns))
    left = 0 if used > limit else pressure.turns_left(used, limit, rate)
    urgency = "normal" if left is None or left >= 10 else "warning" if left >= 3 else "critical"
    return ComponentUse(name, used, limit, used / limit if limit else float(used > 0), rate, left, urgency)
