"""The gauge as hooks read it: the reading, the thresholds that it leaves for the hot road, the suggestion."""

import os
import time
from collections.abc import Callable
from typing import TypeVar

from holdfast.config import load
from holdfast.gauge import limit as limits
from holdfast.gauge import pressure, suggest
from holdfast.gauge.suggest import Occasion, Past, Steps, Timing, WindowUse
from holdfast.hot import call_log, thresholds, usage_tail
from holdfast.hot.files import Lock, read_bytes, read_text
from holdfast.hot.jsonc import loads_object, whole_numbers
from holdfast.hot.paths import InSession
from holdfast.hot.patterns import matches
from holdfast.session import liveness
from holdfast.session.context import Session, skill
from holdfast.session.event import Event
from holdfast.session.worklog import fold
from holdfast.worklog import model as worklog
from holdfast.worklog.model import Worklog

LOOK = 3
"""Call at which a session whose limit was not known at its start is looked at again: its transcript has begun."""
Kept = TypeVar("Kept", int, bool, str)


def read(event: Event, session: Session, *, by_hooks: bool = False) -> WindowUse:
    """The window's size and limit at this moment.

    by_hooks: the limit as the session's hooks last knew it, for a command: in another terminal neither the client's
    command line nor its environment can be seen.
    """
    tokens, model = usage_tail.newest(event.transcript_path, 400_000)  # bytes: rows may be large
    told = event.fields.get("context_tokens")  # the client says it at a resume
    tokens = tokens or (told if isinstance(told, int) and told > 0 else 0)
    known = thresholds.load(session.path(InSession.THRESHOLDS))
    candidates = _limit_candidates(session, model)
    if by_hooks:  # a setting of the user's goes before, as it will at the turn's end
        candidates.insert(1, (_kept(known, "limit", 0), _kept(known, "limit_source", "")))
    size = session.read(InSession.WINDOW).get("size")
    limit, source = limits.choose(candidates, tokens, size if isinstance(size, int) else 0)
    bounds = pressure.marks(limit, session.config["pressure.preset"])
    per_turn = pressure.per_turn(whole_numbers(known.get("turns")), tokens)
    left = pressure.turns_left(tokens, limit, per_turn)
    return WindowUse(tokens, limit, source, pressure.zone(tokens, bounds), per_turn, left, model)


def wait_for_end(event: Event) -> None:
    """Wait, 200 ms at most, until the client has written the answer that ends this turn: it does so up to 100 ms late
    (2.1.329), and without it a turn that ends in red is not seen to."""
    said = event.fields.get("last_assistant_message")
    for _ in range(40 if said and liveness.client()["pid"] else 0):
        if usage_tail.ends_with(usage_tail.read_tail(event.transcript_path), str(said)):
            break
        time.sleep(5 / 1_000)


def named(session: Session, model: str) -> None:
    """Note the model that a start names: whether it has the large window stands nowhere else. Raises OSError."""
    if model:
        session.write(InSession.WINDOW, {**session.read(InSession.WINDOW), "model": model})


def _limit_candidates(session: Session, model: str) -> list[tuple[int, str]]:
    """Possible limits, most trusted first."""
    window = session.read(InSession.WINDOW)
    told, size = str(window.get("model") or ""), window.get("size")
    environment = _environment(session, told or model)
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


def _environment(session: Session, model: str) -> dict[str, str]:
    """The environment, and what the client's command line and settings say beside it."""
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    own = [f"{session.project}/.claude/settings.local.json", f"{session.project}/.claude/settings.json"]
    files = [*(read_bytes(path) for path in own), read_bytes(f"{home}/settings.json", follow=True)]
    arguments = read_text(f"/proc/{liveness.client()['pid']}/cmdline").split("\0")
    return {**limits.configured(arguments, list(map(loads_object, files)), model), **os.environ}


def _steps(session: Session, limit: int) -> Steps:
    """The configured steps; those of the defaults as far apart as the window is large. limit: tokens."""
    config = session.config
    steps, standard = (
        Steps(tuple(values["suggest.steps"]), values["suggest.every"], config["suggest.gap"])
        for values in (config, load.defaults())
    )
    return steps.apart(limit) if steps == standard else steps


def next_step(session: Session, reading: WindowUse) -> int | None:
    """The tool call at which the next step is reached; None when there is none."""
    following = _steps(session, reading.limit).following(session.call)
    return following if following < suggest.NEVER else None


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
    session: Session, reading: WindowUse, decide: Callable[[Past], Timing] | None = None, turn_ends: bool = False
) -> Timing | None:
    """Write the numbers that the hot road compares with; gives the decision. Raises OSError.

    decide: of a suggestion, by what has been suggested; without it what waits for its moment goes on waiting. What
    other rooms put there stays (thresholds.update).
    """
    config, path = session.config, session.path(InSession.THRESHOLDS)
    bounds = pressure.marks(reading.limit, config["pressure.preset"])
    made = call_log.count(session.path(InSession.CALLS))
    following = _steps(session, reading.limit).following(made)
    if not reading.limit and made < LOOK:
        following = LOOK
    with Lock(path + ".lock"):  # parallel calls decide one after the other
        old = thresholds.load(path)
        decision = decide(past_of(old)) if decide else None
        due, at_breakpoint = _kept(old, "next_check_call", 0) or following, _kept(old, "check_at_breakpoint", False)
        past = decision.past if decision else past_of(old)
        if decision:
            due, at_breakpoint = decision.next_check_call, decision.check_at_breakpoint
        turns = whole_numbers(old.get("turns"))
        if turn_ends and reading.tokens:
            turns = [*turns, reading.tokens][-pressure.VELOCITY_TURNS - 1 :]
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
                "next_zone_tokens": suggest.next_mark(reading, bounds, past),
                "check_at_breakpoint": at_breakpoint,
                "zones": bounds,
                "limit": reading.limit,
                "limit_source": reading.source,
                "preset": config["pressure.preset"],
                "handoff_limits": load.handoff_limits(config),
                "queue": _kept(old, "queue", False),
                "recall": _kept(old, "recall", ""),
                "team": _kept(old, "team", ""),
                "turns": turns,
                "past": list(past),
            },
        )
    return decision


def mark_compacted(session: Session) -> None:
    """A compaction has happened: earlier results are no longer in the window, and the zones start over."""
    path = session.path(InSession.THRESHOLDS)
    old = thresholds.load(path)
    made = call_log.count(session.path(InSession.CALLS))
    past = past_of(old)._replace(last_call=made, zone="green", entered=0)  # the gap counts from here
    thresholds.update(path, {"epoch": _kept(old, "epoch", 0) + 1, "past": list(past), "turns": []})


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
    at = "" if event.fields.get("error") else suggest.breakpoint_at(tool, event.mapping("tool_input"), result, work)
    return _said(session, reading, Occasion(call, reading.zone, at), lambda: compact_line(work))


def at_turn_end(session: Session, reading: WindowUse, compact_line: Callable[[], str]) -> str:
    """As `suggestion`, at the end of a turn, which is the best moment of all. Raises OSError."""
    made = call_log.count(session.path(InSession.CALLS))
    return _said(session, reading, Occasion(made, reading.zone, "the end of a turn", ends=True), compact_line)


def _said(session: Session, reading: WindowUse, now: Occasion, compact_line: Callable[[], str]) -> str:
    steps = _steps(session, reading.limit)
    decision = compile_thresholds(session, reading, lambda past: suggest.decide(now, past, steps), now.ends)
    known = thresholds.load(session.path(InSession.THRESHOLDS))
    wanted = session.config["suggest.on"] and decision and decision.key
    # the window counts too: one without a tool call enters its zones at the call of the one before
    if not wanted or not decision or not session.once(f"suggest-{_kept(known, 'epoch', 0)}-{decision.key}"):
        return ""
    # with the turn that ends here, as the status line has it
    rate = pressure.per_turn(whole_numbers(known.get("turns")), reading.tokens)
    left = pressure.turns_left(reading.tokens, reading.limit, rate)
    reading = reading._replace(per_turn=rate, turns_left=left)
    return suggest.message(decision.key, now, reading, compact_line(), skill("handoff"))
