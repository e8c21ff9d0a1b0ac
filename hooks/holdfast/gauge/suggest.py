"""Is now the moment to suggest /compact to the user?

Rule: at 50, 100, 150 tool calls and every 50 after that; and on entering a worse zone: red at once, orange
at the next natural breakpoint or 5 calls later, yellow at the next breakpoint or 15 calls later. A step that is
at most the gap away speaks for the zone too, unless that is red. One message per reason, none within 10 calls of
the last (or of a compaction); what falls into the gap waits for its end. A breakpoint is a moment when little is
in the air: a commit, green tests after edits, a finished to-do list, a sub-agent's return. Sources: requirement
H2; the patience is ours.
"""

from typing import NamedTuple

PATIENCE = {"yellow": 15, "orange": 5, "red": 0}
RANK = {"unknown": 0, "green": 0, "yellow": 1, "orange": 2, "red": 3}


class Moment(NamedTuple):
    """What is known at a tool call."""

    call: int
    zone: str
    breakpoint: bool


class Past(NamedTuple):
    """What has been suggested before."""

    last_call: int = -1_000_000
    """Call of the last message or compaction."""
    step: int = 0
    """The last step that was reached, whether or not it was worth a message of its own."""
    zone: str = "green"
    """Worst zone told since the last compaction."""
    entered: int = 0
    """Call at which a worse zone than that was first seen; 0 when there is none."""


class Decision(NamedTuple):
    """Speak or not, and when to look again."""

    key: str
    """Reason to speak, unique per message ("step-50", "zone-red-120"); "" to stay silent."""
    past: Past
    look: int
    """The call at which the ordinary road is due."""
    eager: bool
    """Whether a breakpoint makes it due earlier."""


class Steps(NamedTuple):
    """The configured steps."""

    fixed: tuple[int, ...]
    every: int
    gap: int

    def reached(self, call: int) -> int:
        """The last step at or before `call`; 0 before the first."""
        last = self.fixed[-1] if self.fixed else 0
        if call > last and self.every:
            return last + (call - last) // self.every * self.every
        return max((step for step in self.fixed if step <= call), default=0)

    def following(self, call: int) -> int:
        """The first step after `call`; a number never reached when there is none."""
        for step in self.fixed:
            if step > call:
                return step
        last = self.fixed[-1] if self.fixed else 0
        return last + ((call - last) // self.every + 1) * self.every if self.every else 1_000_000_000


def decide(now: Moment, past: Past, steps: Steps) -> Decision:
    """The decision at this call."""
    worse = RANK[now.zone] > RANK[past.zone]
    entered = (past.entered or now.call) if worse else 0
    past = past._replace(entered=entered)
    step = steps.reached(now.call)
    free = now.call >= past.last_call + steps.gap
    if step > past.step and free:
        return _speak(f"step-{step}", now, past, steps)
    soon = now.zone != "red" and steps.following(now.call) - now.call <= steps.gap
    if worse and free and not soon and (now.breakpoint or now.call >= entered + PATIENCE[now.zone]):
        return _speak(f"zone-{now.zone}-{entered}", now, past, steps)
    due = [steps.following(now.call)]
    if step > past.step:
        due.append(past.last_call + steps.gap)
    if worse and not soon:
        due.append(max(entered + PATIENCE[now.zone], past.last_call + steps.gap))
    return Decision("", past, min(due), worse and free and not soon)


def _speak(key: str, now: Moment, past: Past, steps: Steps) -> Decision:
    worst = max(now.zone, past.zone, key=lambda name: RANK[name])
    new = Past(now.call, max(past.step, steps.reached(now.call)), worst, 0)
    return Decision(key, new, steps.following(now.call), False)


def after_compaction(past: Past, call: int) -> Past:
    """The zones start over, and the gap counts from the compaction."""
    return past._replace(last_call=call, zone="green", entered=0)
