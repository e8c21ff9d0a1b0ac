"""The gauge as hooks read it: the reading, the thresholds that it leaves for the hot road, the suggestion."""

import os
from collections.abc import Callable
from typing import TypedDict, TypeVar, cast

from holdfast.config import load
from holdfast.gauge import breakpoints, pressure, suggest
from holdfast.gauge import limit as limits
from holdfast.gauge.suggest import Decision, Moment, Past, Reading, Steps
from holdfast.hot import call_log, thresholds, usage_tail
from holdfast.hot.files import Lock
from holdfast.hot.paths import InSession
from holdfast.hot.patterns import matches
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.worklog import fold
from holdfast.worklog import model as worklog
from holdfast.worklog.model import Worklog

Kept = TypeVar("Kept", int, bool, str)


class Window(TypedDict, total=False):
    """`window.json`: what the status line and the start tell of the window."""

    size: int
    """Tokens; the client tells it to the status line alone."""
    sizes: list[int]
    """Tokens in it at the last turns, oldest first."""
    model: str


def read(event: Event, session: Session) -> Reading:
    """The window's size and limit at this moment."""
    tail = usage_tail.read_tail(event.transcript_path, 400_000)  # bytes: enough for the last few turns
    found = usage_tail.sizes(tail, pressure.VELOCITY_TURNS + 1)
    told = event.fields.get("context_tokens")  # the client says it at a resume
    tokens, model = found[0] if found else (told if isinstance(told, int) and told > 0 else 0, "")
    limit, source = limits.choose(_limit_candidates(session, model), tokens)
    bounds = pressure.marks(limit, session.config["pressure.preset"])
    per_turn = pressure.velocity([size for size, _ in reversed(found)])
    left = pressure.turns_left(tokens, limit, per_turn)
    return Reading(tokens, limit, source, pressure.zone(tokens, bounds), per_turn, left, model)


def _limit_candidates(session: Session, model: str) -> list[tuple[int, str]]:
    """Possible limits, most trusted first."""
    environment, window = os.environ, cast("Window", session.read(InSession.WINDOW))
    told, size = str(window.get("model") or ""), window.get("size")
    past = worklog.load(session.read(InSession.STATE))["boundaries"]
    fired = [row["before"] for row in past if row["trigger"] == "auto" and isinstance(row["before"], int)]
    return [
        (session.config["window.limit"], "config"),
        (limits.threshold(size if isinstance(size, int) else 0, environment), "status line"),
        (limits.threshold(limits.window_of(told, marked=True), environment), "model"),
        (limits.threshold(limits.window_of(model), environment), "model"),
        (limits.threshold(0, environment), "environment"),
        (fired[-1] if fired else 0, "last compaction"),
    ]


def _steps(session: Session) -> Steps:
    config = session.config
    return Steps(tuple(config["suggest.steps"]), config["suggest.every"], config["suggest.gap"])


def past_of(found: "thresholds.Thresholds") -> Past:
    """What has been suggested."""
    match found.get("past"):
        case [int(last_call), int(step), str(zone), int(entered)]:
            return Past(last_call, step, zone, entered)
    return Past()


def _kept(old: "thresholds.Thresholds", name: str, blank: Kept) -> Kept:
    """What stands there, where it is of its type: a damaged file heals with the next writing."""
    value: object = old.get(name)
    return value if type(value) is type(blank) else blank


def compile_thresholds(
    session: Session, reading: Reading, decide: Callable[[Past], Decision] | None = None
) -> Decision | None:
    """Write the numbers that the hot road compares with; gives the decision. Raises OSError.

    decide: of a suggestion, by what has been suggested; without it what waits for its moment goes on waiting. What
    other rooms put there stays (thresholds.update).
    """
    config, path = session.config, session.path(InSession.THRESHOLDS)
    bounds = pressure.marks(reading.limit, config["pressure.preset"])
    following = _steps(session).following(call_log.count(session.path(InSession.CALLS)))
    with Lock(path + ".lock"):  # parallel calls decide one after the other
        old = thresholds.load(path)
        decision = decide(past_of(old)) if decide else None
        due, at_breakpoint = _kept(old, "next_check_call", 0) or following, _kept(old, "check_at_breakpoint", False)
        if decision:
            due, at_breakpoint = decision.next_check_call, decision.check_at_breakpoint
        thresholds.save(
            path,
            {
                "off": [event for event in load.EVENTS if matches(event, config["hooks.off"])],
                "digest_bytes": config["digest.tokens"] * thresholds.CHARS_PER_TOKEN,
                "digest_tools": config["digest.tools"] if config["digest.on"] else [],
                "digest_tokens": config["digest.tokens"],
                "digest_repeats": config["digest.duplicates"],
                "epoch": _kept(old, "epoch", 0),
                "next_check_call": min(due, following),
                "next_zone_tokens": pressure.next_mark(reading.tokens, bounds),
                "check_at_breakpoint": at_breakpoint,
                "zones": bounds,
                "limit": reading.limit,
                "preset": config["pressure.preset"],
                "handoff_limits": load.handoff_limits(config),
                "queue": _kept(old, "queue", False),
                "recall": _kept(old, "recall", ""),
                "past": list(decision.past if decision else past_of(old)),
            },
        )
    return decision


def mark_compacted(session: Session) -> None:
    """A compaction has happened: earlier results are no longer in the window, and the zones start over."""
    path = session.path(InSession.THRESHOLDS)
    old = thresholds.load(path)
    made = call_log.count(session.path(InSession.CALLS))
    past = past_of(old)._replace(last_call=made, zone="green", entered=0)  # the gap counts from here
    thresholds.update(path, {"epoch": _kept(old, "epoch", 0) + 1, "past": list(past)})


def suggestion(event: Event, session: Session, compact_line: Callable[[Worklog], str]) -> str:
    """A message to the user when one is due; the next moment to look goes into the thresholds. Raises OSError.

    compact_line: what may be pasted, from the worklog.
    """
    reading, call = read(event, session), session.call
    if not call:  # the hot road has not counted this one
        line = call_log.line(session.now, reading.tokens, event.text("tool_name"))
        call = call_log.record(session.path(InSession.CALLS), line)
    work = fold(event, session)
    tool, result = event.text("tool_name"), event.fields.get("tool_response")
    at = "" if event.fields.get("error") else breakpoints.name(tool, event.mapping("tool_input"), result, work)
    now, steps = Moment(call, reading.zone, at), _steps(session)
    decision = compile_thresholds(session, reading, lambda past: suggest.decide(now, past, steps))
    wanted = session.config["suggest.on"] and decision and decision.key
    if not wanted or not decision or not session.once(f"suggest-{decision.key}"):
        return ""
    return suggest.message(decision.key, now, reading, compact_line(work))
