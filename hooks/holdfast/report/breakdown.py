"""What the window of a session is made of, how fast its parts grow, and how well sizes are estimated here.

Made from the transcript alone, which shows neither the system prompt nor the tools: they are what the first request of
a window held beside its texts, in the window where that was least, and count as one part. What else the transcript does
not show (reminders, files that the client puts back after a compaction) counts for the history.
"""

from holdfast.errors import BadInput
from holdfast.gauge import budget, calibration, monitor
from holdfast.hot.usage_tail import read_tail
from holdfast.report.schema import Account, Component, EstimateFit
from holdfast.text.lines import counted
from holdfast.transcript import rows as transcript
from holdfast.transcript.usage import Added, ApiTurn, turns

SHARES = budget.PROFILES["default"]
NAMES = {"system": "system and tools", "memory": "attached by client and hooks"}
TOGETHER = {**SHARES, "system": SHARES["system"] + SHARES["tools"], "tools": 0}


def account(path: str, limit: int, preset: str) -> Account:
    """Of the transcript at `path`. limit: tokens, 0 when not known."""
    rows = transcript.parse_chunk(read_tail(path, transcript.LARGEST)).rows
    seen = list(turns(rows))
    window = sum(map(transcript.is_boundary, filter(transcript.is_main, rows)))
    fit, newest = calibration.learned(seen), [turn for turn in seen if turn.window == window]
    state, spikes, last = monitor.Monitor(limit, preset), 0, False
    for place, turn in enumerate(newest, 1):
        if place == len(newest) or newest[place].asked:  # else the same turn goes on: all that follows a prompt is one
            state, reading = monitor.measure(state, reported=turn.after)
            spikes, last = spikes + reading.spike, reading.spike
    return Account(
        components=components(seen, newest, limit, fit),
        baseline=round(state.baseline) or None,
        spikes=spikes,
        last_turn_spiked=last,
        calibration=EstimateFit(**fit.report()),
    )


def components(seen: list[ApiTurn], newest: list[ApiTurn], limit: int, fit: calibration.Calibration) -> list[Component]:
    """The parts of the newest window, largest first; what needs a limit to divide is None without one.

    seen: the turns of all windows; newest: those of the one that they are told of, none where nothing was answered yet.
    """
    if not newest:
        return []
    divided, known = _divided(limit)
    for number, turn in enumerate(newest):
        divided = budget.end_turn(divided) if number and turn.asked else divided
        for name, tokens in _parts(turn.added, fit).items():
            divided = budget.track(divided, name, tokens)
        divided = divided if number else divided._replace(growing=dict.fromkeys(budget.NAMES, 0))
    firsts = {turn.window: turn for turn in reversed(seen)}.values()
    bare = (turn.after - sum(_parts(turn.added, fit).values()) for turn in firsts)
    system = max(0, min(bare))
    unseen = newest[-1].after - system - sum(divided.used.values())
    history = max(0, divided.used["history"] + unseen)
    rows = budget.rows(budget.settle(divided, {"system": system, "history": history}))
    return sorted((_component(row, known) for row in rows if row.used), key=lambda one: -one.used)


def _divided(limit: int) -> tuple[budget.Budget, bool]:
    """The budget of this limit, and whether it is one; without a limit only what is used can be told."""
    try:
        return budget.allocate(limit, shares=TOGETHER), True
    except BadInput:
        return budget.allocate(budget.LEAST_OUTPUT * 100, shares=TOGETHER), False


def _parts(added: Added, fit: calibration.Calibration) -> dict[str, int]:
    """Component -> calibrated tokens; at least 0, also where more thinking left than came in."""
    kept = added.said + added.told + added.frames + added.thinking - added.dropped
    return {
        "history": max(0, fit.tokens(kept)),
        "results": round(fit.factor * added.results),
        "memory": round(fit.factor * added.memory),
    }


def _component(row: budget.ComponentUse, known: bool) -> Component:
    known = known and row.component == "results"  # the share of another part is nothing that a user could keep to
    return Component(
        name=NAMES.get(row.component, row.component),
        used=row.used,
        tokens_per_turn=round(row.per_turn),
        limit=row.limit if known else None,
        turns_left=row.turns_left if known else None,
        urgency=row.urgency if known else None,
    )


def told(one: Component) -> str:
    """The same for a reader."""
    if one.limit is None:
        return f"{one.name}: {one.used:,} tokens"
    near = "within" if one.urgency == "normal" else f"{counted(one.turns_left or 0, 'turn')} below"
    return f"{one.name}: {one.used:,} tokens, {'over' if one.used > one.limit else near} their share of {one.limit:,}"
