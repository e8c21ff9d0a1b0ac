"""How is a suggestion put to the user?

Rule: two lines. The first says what is so: calls, use and limit, turns left, the moment. The second can be
pasted as it is. Unknown figures are called unknown. Source: requirement H2.
"""

from typing import NamedTuple

from holdfast.gauge.pressure import ADVICE, short

PARALLEL = 8
"""Calls that may run at once: whichever of them speaks names the step, a later one its own number."""


class Facts(NamedTuple):
    """What the message is about. `key` as in suggest.Decision; limit and tokens 0 when not known."""

    key: str
    call: int
    tokens: int
    limit: int
    zone: str
    turns_left: int | None
    breakpoint: str


def suggestion(facts: Facts, compact_line: str) -> str:
    """The message for the screen."""
    step = int(facts.key.rsplit("-", 1)[1]) if facts.key.startswith("step-") else 0
    calls = step if step and facts.call - step < PARALLEL else facts.call
    parts = [f"{calls} tool calls", use(facts.tokens, facts.limit), left(facts.turns_left)]
    moment = f"good moment: {facts.breakpoint}" if facts.breakpoint else ADVICE.get(facts.zone, "")
    return f"Holdfast: {', '.join(part for part in [*parts, moment] if part)}.\n{compact_line}"


def use(tokens: int, limit: int) -> str:
    """ "84k of 167k tokens used (50 %)", honest about what is not known."""
    if tokens <= 0:
        return "context used: not known yet"
    if limit <= 0:
        return f"{short(tokens)} tokens used, limit unknown"
    return f"{short(tokens)} of {short(limit)} tokens used ({tokens * 100 // limit} %)"


def left(turns: "int | None") -> str:
    """ "about 12 turns left"; "" when it cannot be told."""
    if turns is None:
        return ""
    return f"about {turns} {'turn' if turns == 1 else 'turns'} left"
