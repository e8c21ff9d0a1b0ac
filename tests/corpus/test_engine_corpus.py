"""A window's manager on every fourth recorded session."""

from pathlib import Path

import pytest

from benchmarks.replay import compare, ways
from benchmarks.replay.api_messages import read_recording
from benchmarks.replay.compare import Case


@pytest.fixture(scope="module")
def cases(files: list[str]) -> list[Case]:
    """Sessions that were compacted and are seen from their beginning."""
    compacted = (file for file in files if b"compact_boundary" in Path(file).read_bytes())
    found = [compare.case(read_recording(file)) for file in compacted]
    return [one for one in found if one][::4]


def test_twice_the_calls_without_harm(cases: list[Case]) -> None:
    """With four fifths of the room: seen, not extrapolated; names .97 and edits .99 held, the user whole, no model."""
    figures = compare.figures(compare.runs(cases, ways.WAYS[ways.DEFAULT], compare.TIGHT))
    assert figures["calls"]["sessions"] >= 5
    assert figures["calls"]["ratio"] >= 2.0
    assert figures["harm"]["names_held"] >= 0.97
    assert figures["harm"]["edits_held"] >= 0.99
    assert figures["harm"]["user_texts_whole"] >= 0.98
    assert figures["model_calls"] == 0
    assert figures["input"]["after"] < figures["input"]["recorded"]
