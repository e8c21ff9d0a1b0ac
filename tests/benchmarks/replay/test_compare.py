"""Figures, way by way."""

from benchmarks.replay import compare
from benchmarks.replay.api_messages import recording
from benchmarks.replay.managed import Run
from benchmarks.replay.retention import Tally
from tests.benchmarks.replay.test_api_messages import prompt
from tests.benchmarks.replay.test_managed import FIRST, STEP, session
from tests.benchmarks.replay.test_sessions import BOUNDARY, said


def test_only_sessions_that_were_compacted_and_are_seen_from_their_beginning_count() -> None:
    """Without a compaction there is no limit; one that begins half full has a beginning that is in no file."""
    assert compare.case(session(30)) is None
    late = [prompt("Go."), said("One.", 90_000, "m1"), {**BOUNDARY, "compactMetadata": {"preTokens": 150_000}}]
    assert compare.case(recording([*late, prompt("On."), said("Two.", 30_000, "m2")])) is None
    assert compare.case(recording([])) is None
    found = compare.case(session(30, 20))
    assert found is not None
    assert (found.first, found.limit) == (FIRST, FIRST + STEP * 20)
    assert found.room(1.0) == found.limit
    assert found.room(0.5) == FIRST + STEP * 10


def test_the_figures_are_sums_and_shares() -> None:
    """Over two sessions; the peak is the highest, the slowest turn the slowest."""
    harm = Tally(100, 97, at_risk=10, at_risk_held=7, edits=10, edits_shown=8, edits_readable=2, told=4, told_shown=3)
    one = Run(100, 40, 90, 1, 200, 90, 800, 1_000, 600, 100, 150, 50, 3, 0, 10, 0.5, 0.2, harm)
    figures = compare.figures([one, one._replace(peak_after=80, ended=0, slowest=0.1)])
    assert figures["calls"] == {"before": 80, "after": 180, "ratio": 2.25, "recording_ended_first": 1, "sessions": 2}
    assert figures["peak"] == {"before": 200, "after": 90}
    assert figures["input"] == {"recorded": 1_600, "before": 2_000, "after": 1_200, "saved": 0.4}
    assert list(figures["cache"].values()) == [100, 0.9, 0.75, 430, 465]
    assert list(figures["harm"].values()) == [200, 0.97, 20, 0.7, 20, 0.8, 1.0, 8, 0.75]
    assert (figures["ms_per_turn"], figures["ms_slowest"]) == (50.0, 200.0)
