"""What is a loop told before each request?

Rule: what to send, how full the window is, and all that was done to get there. Source: requirements P and K6.
"""

from typing import NamedTuple

from holdfast.engine.messages import Message
from holdfast.engine.plan import Cost, Plan
from holdfast.gauge.monitor import Reading


class Turn(NamedTuple):
    """What to send, and what was done to get there."""

    messages: list[Message]
    used: int
    """Tokens of the request, as far as is known."""
    reading: Reading
    """Zone, velocity, turns left and what has changed, before anything was done."""
    plans: tuple[Plan, ...]
    """What was done, in order; () for most turns."""
    cost: Cost | None
    """What that costs in the prompt cache."""
    hand_over: bool
    """True when not even that makes room: call `on_overflow`."""
