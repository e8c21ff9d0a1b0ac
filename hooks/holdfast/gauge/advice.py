"""What should be done about the window now, where nobody but the client changes the messages?

The steps that a loop of one's own would take, as advice, each from the share of the limit at which the engine takes it.
The furthest step speaks, then results that take more than their share, then a turn that brought far more than usual. A
session under a client has no eviction, so its results can only be kept from growing. Source: requirements K6 and T, as
far as hooks can follow them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.session.context import PROGRAM

STEPS = {
    95: f"save a handoff package (`{PROGRAM} handoff package --kind continuation`) and go on in a new session, or "
    "compact this moment: the next large result may not fit",
    92: "compact now",
    85: "compact at the next breakpoint; give further reading and searching to a sub-agent",
    75: "narrow the next outputs (a pattern, a range, `--stat`), and give wide searches to a sub-agent",
}
"""Percent of the limit from which on -> what to do."""


def advice(share: float | None, parts: Sequence[Mapping[str, Any]], spiked: bool) -> list[str]:
    """At most three lines for the user. share: used / limit, None when that is not known.

    parts: of the window, each with name, used, limit, turns_left and urgency (None where they are not known).
    """
    step = next((todo for percent, todo in STEPS.items() if share is not None and share * 100 >= percent), "")
    tight = [one for one in parts if one["name"] == "results" and one["limit"] and one["urgency"] == "critical"]
    part = _running_out(tight[0], step) if tight else ""  # of other parts nobody can keep anything small
    spike = "the last turn brought more than three times the usual: was all of that output needed?" if spiked else ""
    return [line for line in (step, part, spike) if line]


def _running_out(part: Mapping[str, Any], said: str) -> str:
    """Where results have 80 % of their share or more: what keeps them small, unless that was said."""
    used, limit = int(part["used"]), int(part["limit"])
    if used * 100 < 80 * limit or said == STEPS[75]:
        return ""
    when = "are over their share" if used > limit else f"reach their share in {part['turns_left']} turns"
    return f"results {when} ({used:,} of {limit:,} tokens): {STEPS[75]}"
