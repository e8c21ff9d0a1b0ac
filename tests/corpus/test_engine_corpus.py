"""A window's manager on every fourth recorded session: HOLDFAST_DATA, else ../shared/data beside the checkout."""

import os
from pathlib import Path

import pytest

from benchmarks.replay import compare, sessions, ways
from benchmarks.replay.api_messages import read_recording
from benchmarks.replay.compare import Case

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("HOLDFAST_DATA") or ROOT.parent / "shared" / "data") / "transcripts"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no recorded sessions at {DATA}; set HOLDFAST_DATA to a folder with transcripts/"
)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Sessions that were compacted and are seen from their beginning."""
    found = [compare.case(read_recording(file)) for file in sessions.transcripts([str(DATA)])]
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
