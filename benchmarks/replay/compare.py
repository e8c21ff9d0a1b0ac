"""What a window's manager would have done on recorded sessions: the figures, way by way.

Two limits. `recorded`: the size at which the client compacted that session first. `tight`: with four fifths of the room
between the first request and that size, since most recordings end before a managed window of the true size is full.
Sessions that the client never compacted are left out, and those that begin with more than half of the limit in the
window already, whose beginning is in no file.

Calls are counted until a request is over the limit; where the recording ends first, the count is a lower bound and says
of how many sessions. `extrapolated` is the convention of benchmarks/replay/savings.py: the same growth carries more
calls. What is
taken off is all that may leave, so it says when a window is full in spite of everything.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchmarks.replay import managed
from benchmarks.replay.api_messages import Recording
from benchmarks.replay.managed import Run
from benchmarks.replay.retention import Tally, added
from benchmarks.replay.savings import MOST_SAVED
from benchmarks.replay.ways import Way

TIGHT = 0.8
"""Share of the room."""
UNSEEN = 0.5
"""Of the limit, in the first request: then the session's beginning is not in the file."""


class Case(NamedTuple):
    """A recording that can be replayed."""

    recording: Recording
    first: int
    """Tokens of its first request."""
    limit: int

    def room(self, share: float) -> int:
        """The limit with that share of the room."""
        return int(self.first + (self.limit - self.first) * share)


def case(recording: Recording) -> Case | None:
    """None for a session without a compaction, or without its beginning."""
    asked = managed.asks(recording)
    limit = next((size for _, size in recording.compacted if size), 0)
    usable = asked and limit and asked[0].size <= limit * UNSEEN
    return Case(recording, asked[0].size, limit) if usable else None


def runs(cases: Iterable[Case], way: Way, share: float = 1.0) -> list[Run]:
    """Each case through a new manager, with that share of its room."""
    found = []
    for one in cases:
        limit = one.room(share)
        found.append(managed.run(one.recording, way(limit, one.recording.model), limit))
    return found


def extrapolated(cases: Sequence[Case], found: Sequence[Run]) -> float | None:
    """Mean calls until a window is full with all gone that may leave; None without sessions."""
    calls = []
    for one, run in zip(cases, found, strict=True):
        growth = managed.floor(one.recording, one.limit)
        share = max(1 - MOST_SAVED, growth.least / max(1, growth.before))
        calls.append(run.before / share)
    return round(sum(calls) / len(calls), 1) if calls else None


def figures(found: Sequence[Run]) -> dict[str, Any]:
    """The sums over sessions. Shares are None where there was nothing to share."""
    harm = added([run.harm for run in found])
    total = Run(**{name: sum(getattr(run, name) for run in found) for name in Run._fields[:-1]}, harm=harm)
    return {
        "calls": {
            "before": total.before,
            "after": total.after,
            "ratio": _share(total.after, total.before),
            "recording_ended_first": total.ended,
            "sessions": len(found),
        },
        "peak": {
            "before": max((run.peak_before for run in found), default=0),
            "after": max((run.peak_after for run in found), default=0),
        },
        "input": {
            "recorded": total.input_recorded,
            "before": total.input_before,
            "after": total.input_after,
            "saved": _share(total.input_before - total.input_after, total.input_before),
        },
        "cache": _cache(total),
        "evictions": total.evictions,
        "model_calls": total.models,
        "harm": _harm(harm),
        "ms_per_turn": round(total.seconds * 1_000 / total.turns, 2) if total.turns else None,
        "ms_slowest": round(max((run.slowest for run in found), default=0.0) * 1_000, 1),
    }


def _cache(total: Run) -> dict[str, Any]:
    return {
        "rewritten": total.rewritten,
        "read_before": _share(total.input_before - total.written_before, total.input_before),
        "read_after": _share(total.input_after - total.written_after, total.input_after),
        "price_before": _price(total.input_before, total.written_before),
        "price_after": _price(total.input_after, total.written_after),
    }


def _price(sent: int, written: int) -> int:
    """In input tokens at full price."""
    return int((sent - written) * 0.1 + written * 1.25)  # a cache read and a write, in input tokens


def _harm(harm: Tally) -> dict[str, Any]:
    return {
        "names_used": harm.uses,
        "names_held": _share(harm.held, harm.uses),
        "names_at_risk": harm.at_risk,
        "names_at_risk_held": _share(harm.at_risk_held, harm.at_risk),
        "edits": harm.edits,
        "edits_in_window": _share(harm.edits_shown, harm.edits),
        "edits_held": _share(harm.edits_shown + harm.edits_readable, harm.edits),
        "user_texts": harm.told,
        "user_texts_whole": _share(harm.told_shown, harm.told),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
