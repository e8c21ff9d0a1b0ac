"""How full is the window before this request, how fast does it fill, and what has just changed?

Rule: a size that the model reports is taken as it is; an estimate is raised by 5 % for what no client counts. Where
both are given they are compared, and a gap above 15 % is told. Zones, marks, velocity over 5 turns and turns left are
those of gauge/pressure.py. The baseline is the mean of the growths, the newest weighing 0.3; a spike is one turn's
growth above three times it. (A mean over five turns cannot be the measure: one result of 15K tokens in turns of 2K
moves it to 4.6K.) A compaction is no growth. Source: requirements P, R7 and R8; the 15 % are ours, three margins.
"""

from typing import NamedTuple

from holdfast.gauge import pressure

MARGIN = 1.05
"""Of an estimate."""


class Monitor(NamedTuple):
    """What is remembered from turn to turn.

    limit: tokens at which the window counts as full, 0 when it is not known; sizes: the last ones, oldest first;
    baseline: tokens per turn, 0 before the first growth; zone: the last one that was known.
    """

    limit: int = 0
    preset: str = "default"
    sizes: tuple[int, ...] = ()
    baseline: float = 0
    zone: str = "green"


class GaugeEvent(NamedTuple):
    """What a caller may want to log: "zone" with the names, "spike" with the baseline and the growth."""

    kind: str
    before: str | float
    after: str | float


class Reading(NamedTuple):
    """The gauge at one moment.

    share: of the limit, may be above 1; velocity: tokens per turn; baseline: the one that this turn's growth was held
    against; source: "reported" or "estimated"; disagreement: |reported - estimated| / reported, where that is above
    15 %. None is what is not known.
    """

    tokens: int
    limit: int
    share: float | None
    zone: str
    velocity: float
    baseline: float
    turns_to_red: int | None
    turns_to_limit: int | None
    spike: bool
    source: str
    disagreement: float | None
    events: tuple[GaugeEvent, ...]
    advice: str


def measure(state: Monitor, *, reported: int = 0, estimated: int = 0) -> tuple[Monitor, Reading]:
    """One turn. reported: the last usage's tokens; estimated: by text/tokens.py; 0 for not given."""
    tokens = reported or int(estimated * MARGIN)
    bounds, gap = pressure.marks(state.limit, state.preset), abs(reported - estimated)
    zone = pressure.zone(tokens, bounds)
    growth = tokens - state.sizes[-1] if state.sizes and tokens else 0
    spike = growth > 3 * state.baseline > 0
    events = [GaugeEvent("zone", state.zone, zone)] if zone not in ("unknown", state.zone) else []
    events += [GaugeEvent("spike", round(state.baseline, 1), float(growth))] if spike else []
    sizes = (*state.sizes, tokens)[-(pressure.VELOCITY_TURNS + 1) :] if tokens else state.sizes
    velocity = pressure.velocity(list(sizes))
    reading = Reading(
        tokens=tokens,
        limit=state.limit,
        share=tokens / state.limit if state.limit else None,
        zone=zone,
        velocity=velocity,
        baseline=state.baseline,
        turns_to_red=pressure.turns_left(tokens, bounds[-1] if bounds else 0, velocity),
        turns_to_limit=pressure.turns_left(tokens, state.limit, velocity),
        spike=spike,
        source="reported" if reported else "estimated",
        disagreement=gap / reported if reported and estimated and gap * 100 > 15 * reported else None,
        events=tuple(events),
        advice=pressure.advice(zone, state.preset),
    )
    baseline = state.baseline
    if growth > 0:
        baseline = (30 * growth + 70 * baseline) / 100 if baseline else growth
    return state._replace(sizes=sizes, baseline=baseline, zone=state.zone if zone == "unknown" else zone), reading
