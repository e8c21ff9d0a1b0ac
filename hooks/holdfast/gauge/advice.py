"""What should be done about the window now, where nobody but the client changes the messages?

Rule: the cascade's steps as advice, each from the share of the limit at which a loop would take it: narrow results
(.75), delegate (.85), compact (.92), hand over (.95). The furthest step speaks, then a part of the window that runs
out, then a turn that brought far more than usual; three lines at most, none where nothing is to do. A session under a
client has no eviction, so its results can only be kept from growing. Source: requirements K6 and T, as far as hooks
can follow them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.gauge.budget import SOFT

NARROW = "narrow the next outputs (a pattern, a range, `--stat`), and give wide searches to a sub-agent"
STEPS = (
    (0.95, "save a checkpoint and go on in a new session, or compact this moment: the next large result may not fit"),
    (0.92, "compact now"),
    (0.85, "compact at the next breakpoint; give further reading and searching to a sub-agent"),
    (0.75, NARROW),
)
"""(share of the limit from which on, what to do)."""
MOST = 3


def advice(share: float | None, parts: Sequence[Mapping[str, Any]], spiked: bool) -> list[str]:
    """Lines for the user. share: used / limit, None when that is not known.

    parts: of the window, each with name, used, limit, turns_left and urgency (None where they are not known).
    """
    step = next((todo for bound, todo in STEPS if share is not None and share >= bound), "")
    return [line for line in (step, *_running_out(parts, step), _spike(spiked)) if line][:MOST]


def _running_out(parts: Sequence[Mapping[str, Any]], said: str) -> list[str]:
    """The part that is over its share, or will be first; of results what keeps them small, unless that was said."""
    tight = [part for part in parts if part["limit"] and part["urgency"] == "critical"]
    if not tight:
        return []
    worst = max(tight, key=lambda part: int(part["used"]) / int(part["limit"]))
    name, used, limit = worst["name"], int(worst["used"]), int(worst["limit"])
    if used < SOFT * limit:
        return []
    many = name.endswith("s")
    over = "are over their share" if many else "is over its share"
    soon = "reach their share" if many else "reaches its share"
    when = over if used > limit else f"{soon} in {worst['turns_left']} turns"
    todo = f": {NARROW}" if name == "results" and said != NARROW else ""
    return [f"{name} {when} ({used:,} of {limit:,} tokens){todo}"]


def _spike(spiked: bool) -> str:
    return "the last turn brought more than three times the usual: was all of that output needed?" if spiked else ""
