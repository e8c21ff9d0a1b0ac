"""What the policy for shared context says of a window."""

import json

import pytest
from hypothesis import given

from holdfast.engine import assess
from holdfast.engine.blocks import Block, Kind
from holdfast.engine.eviction import ScoringContext
from holdfast.engine.options import Options
from holdfast.engine.shared import triggers
from holdfast.engine.usage_tracker import UsageTracker
from holdfast.errors import BadInput
from tests.engine.conversations import Json, conversations, indexed

PROMPT = Block("system_prompt", Kind.SYSTEM, "Do it.\n\n" + "Every word of this stands in one paragraph. " * 40, 500)


def result(number: int, tokens: int = 2_000, about: str = "") -> Block:
    """A result of its own source."""
    return Block(f"result:{number}", Kind.RESULT, "", tokens, number, about=about or f"Read {number}.py")


def gauge(limit: int, *sizes: int) -> UsageTracker:
    """A meter that has seen windows of these sizes."""
    meter = UsageTracker(limit, Options())
    for size in sizes:
        meter.read([Block("x", Kind.RESULT, "", size)])
    return meter


def fired(found: Json) -> set[str]:
    """Names of the triggers that fire."""
    return {row["name"] for row in found["fired"]}


def test_a_fresh_window_has_nothing_to_do() -> None:
    """What is not known is left out, and fires nothing."""
    found = assess.report([], ScoringContext(0), UsageTracker(0, Options()), [])
    assert (found["fired"], found["tier"], found["escalations"]) == ([], "", [])
    assert found["measures"] == {"guardrail_share": 0.0}
    assert (found["debt"]["due"], found["debt"]["tokens"]) == (False, 0)


def test_debt_is_told_with_its_reasons() -> None:
    """Three reads of one file: the older two owe."""
    blocks = [PROMPT, *(result(turn, about="Read a.py") for turn in (1, 2, 3))]
    found = assess.report(blocks, ScoringContext(3), UsageTracker(100_000, Options()), [])
    assert {"context debt", "stale"} <= fired(found)
    assert found["debt"]["reasons"] == {"placeholder": 0, "superseded": 4_000, "repeated": 0, "stale": 0}
    assert (found["debt"]["due"], found["debt"]["tokens"], found["debt"]["of"]) == (True, 4_000, 6_500)
    assert found["quality"]["staleness"] == pytest.approx(4_000 / 6_500)
    assert all(row["todo"] and row["why"] for row in found["fired"])


def test_a_burst_is_predicted_from_the_last_turns() -> None:
    """3,000 a turn on 12,600 are more than 15 %; on 60,000 they are not."""
    assert "before a burst" in fired(
        assess.report([result(1, 12_000)], ScoringContext(1), gauge(0, 6_000, 9_000, 12_000), [])
    )
    assert "before a burst" not in fired(
        assess.report([result(1, 60_000)], ScoringContext(1), gauge(0, 54_000, 57_000, 60_000), [])
    )
    assert "growth" not in assess.report([result(1)], ScoringContext(1), gauge(0, 6_000), [])["measures"]


DONE = {"turn": 4, "by": "eviction", "freed": 900}


@pytest.mark.parametrize(
    ("audit", "last"),
    [
        ([], None),
        ([DONE], 4),
        ([DONE, {"turn": 9, "by": "delegation", "freed": 0}], 4),
        ([DONE, {"turn": 9, "by": "hand_over", "freed": 80_000}], None),
        ([{"turn": 9, "by": "hand_over", "freed": 80_000}, DONE], 4),
    ],
    ids=["none", "one", "one that freed nothing", "of the last window", "after a hand-over"],
)
def test_the_last_compression_is_this_windows(audit: list[Json], last: int | None) -> None:
    """A plan without effect is none."""
    assert assess.last_plan(audit) == last


def test_what_the_caller_knows_goes_first() -> None:
    """A phase that has ended, agents that were refused, debt by a measure of its own."""
    known = {"phase_ended": True, "denials": 3, "debt": 0.4}
    found = assess.report([PROMPT], ScoringContext(1), UsageTracker(0, Options()), [], known)
    assert {"phase boundary", "context debt"} <= fired(found)
    assert [row["to"] for row in found["escalations"]] == ["orchestrator"]
    assert found["measures"]["debt"] == 0.4


@pytest.mark.parametrize(
    ("known", "message"), [({"mood": 1.0}, "mood: is no measure.*phase_ended"), ({"debt": "much"}, "debt: 'much'")]
)
def test_a_measure_that_cannot_be_is_refused_by_name(known: Json, message: str) -> None:
    """With the names that there are, or what to give."""
    with pytest.raises(BadInput, match=message):
        assess.report([], ScoringContext(0), UsageTracker(0, Options()), [], known)


@given(conversations())
def test_any_window_gives_plain_json_of_known_triggers(messages: list[Json]) -> None:
    """No infinity, no tuple that is not a list, no name that the table lacks."""
    track = indexed(messages)
    found = assess.report(
        track.blocks, ScoringContext(track.turn, track.goal, track.request), gauge(0, 1_000, 2_000), [DONE]
    )
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert fired(found) <= {row.name for row in triggers.TABLE}
    assert 0 <= found["debt"]["share"] <= 1
