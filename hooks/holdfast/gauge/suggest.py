"""Is now the moment to suggest /compact to the user, and in which words?

On entering a worse zone: red at once, orange at the next natural breakpoint or 5 calls later, yellow at the next
breakpoint or 15 calls later; the end of a turn is one. At 50, 100, 150 tool calls and every 50 after that, unless the
window is green: there steps are passed in silence. A step that is at most the gap away speaks for the zone too, unless
that is red. One message per reason, none within 10 calls of the last (or of a compaction), but at the end of a turn;
what falls into the gap waits for its end. Natural breakpoints, when compacting costs least, are a commit that was made,
tests that pass after edits, a to-do list with nothing left open, a sub-agent's return. Sources: requirement H2; the
patience is ours.

The message has two lines: what is so (calls, use and limit, turns left, the moment), and what can be pasted as it is.
"""

from typing import Any, NamedTuple

from holdfast.gauge import pressure
from holdfast.gauge.pressure import ADVICE, ZONES, left, use
from holdfast.text.lines import without_colours
from holdfast.transcript.commands import commit_made, has_own_exit, runs_tests
from holdfast.transcript.outputs import passes, tests_passed
from holdfast.worklog.model import Worklog

PATIENCE = {"yellow": 15, "orange": 5, "red": 0}
"""Calls that a zone waits for a breakpoint."""
NEVER = 1_000_000_000
LIST_DONE = "a finished to-do list"


class WindowUse(NamedTuple):
    """How full the window is; source: where the limit is known from, "" when it is not known."""

    tokens: int
    limit: int
    source: str
    zone: str
    per_turn: float
    turns_left: int | None
    model: str


class Occasion(NamedTuple):
    """What is known at a tool call, or at the end of a turn; breakpoint: what it is, "" for none."""

    call: int
    zone: str
    breakpoint: str = ""
    ends: bool = False


class Past(NamedTuple):
    """What has been suggested before.

    last_call: of the last message or compaction; step: the last that was reached, whether or not it was worth a message
    of its own; zone: the worst one told since the last compaction; entered: the call at which a worse one was first
    seen, 0 when there is none.
    """

    last_call: int = -NEVER
    step: int = 0
    zone: str = "green"
    entered: int = 0


class Timing(NamedTuple):
    """Speak or not, and when to look again.

    key: reason to speak, unique per message ("step-50", "zone-red-120"), "" to stay silent; next_check_call: the call
    at which the ordinary road is due; check_at_breakpoint: whether a breakpoint makes it due earlier.
    """

    key: str
    past: Past
    next_check_call: int
    check_at_breakpoint: bool


class Steps(NamedTuple):
    """The configured steps."""

    fixed: tuple[int, ...]
    every: int
    gap: int

    def apart(self, limit: int) -> "Steps":
        """As far apart as the window is larger than the usual one; limit: tokens, 0 when not known."""
        times = max(1, limit // 160_000)
        return Steps(tuple(step * times for step in self.fixed), self.every * times, self.gap)

    def reached(self, call: int) -> int:
        """The last step at or before `call`; 0 before the first."""
        last = self.fixed[-1] if self.fixed else 0
        if call > last and self.every:
            return last + (call - last) // self.every * self.every
        return max((step for step in self.fixed if step <= call), default=0)

    def following(self, call: int) -> int:
        """The first step after `call`; a number never reached when there is none."""
        last = self.fixed[-1] if self.fixed else 0
        later = last + ((call - last) // self.every + 1) * self.every if self.every else NEVER
        return next((step for step in self.fixed if step > call), later)


def breakpoint_at(tool: str, inputs: dict[str, Any], response: Any, work: Worklog) -> str:
    """Which breakpoint this call is, for the message; "" for none. `work`: the worklog before this call."""
    result = response if isinstance(response, dict) else {}
    open_items: list[object] = [None]
    match tool:
        case "Bash":
            start = str(inputs.get("command") or "")[:2_000]  # a script given inline may be very long
            return _command(start, without_colours(str(result.get("stdout") or "")), work)
        case "Agent" | "Task":
            return "a sub-agent's return" if result.get("status") == "completed" else ""
        case "TodoWrite" if isinstance(items := inputs.get("todos"), list) and items:
            open_items = [one for one in items if not isinstance(one, dict) or one.get("status") != "completed"]
        case "TaskUpdate":
            tasks = {number: task["status"] for number, task in work["tasks"].items()}
            tasks[str(inputs.get("taskId") or "")] = str(inputs.get("status") or "")
            open_items = [status for status in tasks.values() if status not in ("completed", "deleted")]
    return "" if open_items else LIST_DONE


def _command(command: str, printed: str, work: Worklog) -> str:
    if commit_made(command, printed):
        return "a commit"
    is_told = has_own_exit(command) or passes(printed)  # else the exit code is that of what cuts the output
    green = work["dirty"] and runs_tests(command) and is_told and tests_passed(printed)
    return "green tests" if green else ""


def decide(now: Occasion, past: Past, steps: Steps) -> Timing:
    """The decision at this call."""
    worse = _rank(now.zone) > _rank(past.zone)
    entered = (past.entered or now.call) if worse else 0
    past = past._replace(entered=entered)
    step, following = steps.reached(now.call), steps.following(now.call)
    if now.zone == "green":
        past = past._replace(step=max(past.step, step))
    freed = past.last_call + steps.gap
    if step > past.step and now.call >= freed:
        return _speak(f"step-{step}", now, past, steps)
    waits = worse and (now.ends or now.zone == "red" or following - now.call > steps.gap)  # else the step speaks for it
    patience = entered + PATIENCE[now.zone] if waits else NEVER
    if waits and (now.ends or (now.call >= freed and (now.breakpoint or now.call >= patience))):
        return _speak(f"zone-{now.zone}-{entered}", now, past, steps)
    due = [following, *([freed] if step > past.step else []), *([max(patience, freed)] if waits else [])]
    return Timing("", past, min(due), waits and now.call >= freed)


def next_mark(reading: WindowUse, bounds: list[int], past: Past) -> int:
    """The tokens at which to look again: of a worse zone that nobody has looked at yet its own mark; 0 for none."""
    unseen = not past.entered and _rank(reading.zone) > _rank(past.zone)
    return bounds[_rank(past.zone)] if unseen else pressure.next_mark(reading.tokens, bounds)


def _rank(zone: str) -> int:
    return ZONES.index(zone) if zone in ZONES else 0


def _speak(key: str, now: Occasion, past: Past, steps: Steps) -> Timing:
    worst = max(now.zone, past.zone, key=_rank)
    new = Past(now.call, max(past.step, steps.reached(now.call)), worst, 0)
    return Timing(key, new, steps.following(now.call), False)


def message(key: str, now: Occasion, reading: WindowUse, compact_line: str, hand_over: str) -> str:
    """The two lines for the screen; hand_over: the command that makes a package, told in red and when all is done."""
    step = int(key.rsplit("-", 1)[1]) if key.startswith("step-") else now.call
    calls = step if now.call - step < 8 else now.call  # may run at once: whichever of them speaks names the step
    moment = f"good moment to compact: {now.breakpoint}" if now.breakpoint else ADVICE.get(now.zone, [""])[0]
    made = f"{calls} tool call{'s' * (calls != 1)}" if calls else ""
    instead = f"or hand on what is done: {hand_over} complete" if now.breakpoint == LIST_DONE else ""
    if now.zone == "red":  # no moment is better than this one
        moment, instead = "compact now", f"or go on in a new session: {hand_over} continuation"
    parts = made, use(reading.tokens, reading.limit), left(reading.turns_left), moment, instead
    return f"Holdfast: {', '.join(filter(None, parts))}.\n{compact_line}"
