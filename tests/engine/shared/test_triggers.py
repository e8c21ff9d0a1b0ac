import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.shared import triggers
from holdfast.engine.shared.triggers import Measures


def names(**values: object) -> list[str]:
    """The triggers that fire on these measures."""
    return [one.trigger.name for one in triggers.fired(Measures(**values))]  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize(
    ("name", "below", "above"),
    [
        ("phase boundary", {"phase_ended": False}, {"phase_ended": True}),
        ("slice fills", {"slice_share": 0.70}, {"slice_share": 0.71}),
        ("context debt", {"debt": 0.249}, {"debt": 0.25}),
        ("before a burst", {"growth": 0.15}, {"growth": 0.16}),
        ("creeping growth", {"batches": 3, "grown": 0.1}, {"batches": 3, "grown": 0.11}),
        ("guardrail", {"guardrail_share": 1.0}, {"guardrail_share": 1.01}),
        ("emergency", {"projected_share": 1.0}, {"projected_share": 1.01}),
        ("stream overflow", {"events": 50}, {"events": 51}),
        ("not resumable", {"resumable": True}, {"resumable": False}),
        ("long", {"text_tokens": 1_000}, {"text_tokens": 1_001}),
        ("worse answers", {"worse": False}, {"worse": True}),
        ("alike but foreign", {"alike": 0.3}, {"alike": 0.31}),
        ("thin", {"density": 0.7}, {"density": 0.69}),
        ("irrelevant", {"irrelevant": 0.4}, {"irrelevant": 0.41}),
        ("redundant", {"redundancy": 0.25}, {"redundancy": 0.26}),
        ("stale", {"staleness": 0.3}, {"staleness": 0.31}),
        ("distractor", {"distractors": False}, {"distractors": True}),
        ("long block", {"longest_block": 200}, {"longest_block": 201}),
        ("buried", {"placement": 0.25}, {"placement": 0.26}),
        ("no borders", {"separated": True}, {"separated": False}),
        ("order", {"ordered": True}, {"ordered": False}),
        ("task's own bound", {"irrelevant_over": 0.0}, {"irrelevant_over": 0.01}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_trigger_fires_past_its_bound_and_not_before(
    name: str, below: dict[str, object], above: dict[str, object]
) -> None:
    """And only that one."""
    assert names(**below) == []
    assert names(**above) == [name]


@given(st.builds(Measures), st.sampled_from(Measures._fields))
def test_what_is_not_known_fires_nothing(measures: Measures, field: str) -> None:
    """To forget a value never makes a trigger fire, and stops those that look at it."""
    fewer = triggers.fired(measures._replace(**{field: None}))
    looking = [row for row in triggers.TABLE if any(one.measure == field for one in row.conditions)]
    assert fewer == [one for one in triggers.fired(measures) if one.trigger not in looking]
    assert triggers.fired(Measures()) == []


def test_the_smallest_tier_comes_first_and_the_largest_answers_all() -> None:
    """Several coalesce into one summary."""
    found = triggers.fired(Measures(guardrail_share=2.0, slice_share=0.9, debt=0.4))
    assert [one.trigger.tier for one in found] == ["micro", "phase", "macro"]
    assert triggers.coalesced(found) == "macro"
    assert triggers.coalesced(triggers.fired(Measures(separated=False))) == ""
    assert found[1].why == "debt 0.4 >= 0.25"


@pytest.mark.parametrize(
    ("after", "tier"),
    [
        ({"micro": 880, "phase": 500}, "micro"),
        ({"micro": 881, "phase": 500}, "phase"),
        ({"phase": 881, "macro": 881}, ""),
        ({}, ""),
    ],
)
def test_the_smallest_summary_that_saves_enough_is_taken(after: dict[str, int], tier: str) -> None:
    """Twelve per cent of the slice."""
    assert triggers.smallest(1_000, after) == tier


@pytest.mark.parametrize(("limit", "tokens"), [(0, 8_000), (8_000, 8_000), (160_000, 80_000)])
def test_the_guardrail_follows_the_window(limit: int, tokens: int) -> None:
    """The yellow mark where it is known, never under the source's figure."""
    assert triggers.guardrail(limit) == tokens


def test_the_task_s_own_bound_is_what_is_above_it() -> None:
    """30 % foreign content is much for a short task and little for a long one."""
    measured = Measures(irrelevant=0.35)
    assert [one.trigger.name for one in triggers.fired(triggers.adapted(measured, 300))] == ["task's own bound"]
    assert triggers.fired(triggers.adapted(measured, 3_000)) == []
    assert triggers.adapted(Measures(), 300) == Measures()
