"""When to compress, whom to tell, and what may run at once."""

import pytest

from holdfast.engine.shared import escalation, gate, triggers
from holdfast.engine.shared.escalation import Load, Week
from holdfast.engine.shared.gate import FanOut
from holdfast.engine.shared.triggers import Measures


def names(measures: Measures) -> list[str]:
    """The triggers that fire."""
    return [trigger.name for trigger, _ in triggers.fired(measures)]


@pytest.mark.parametrize(
    ("name", "measure", "below", "above"),
    [
        ("phase boundary", "phase_ended", False, True),
        ("slice fills", "slice_share", 0.70, 0.71),
        ("context debt", "debt", 0.249, 0.25),
        ("before a burst", "growth", 0.15, 0.16),
        ("creeping growth", "grown", 0.1, 0.11),
        ("guardrail", "guardrail_share", 1.0, 1.01),
        ("emergency", "projected_share", 1.0, 1.01),
        ("stream overflow", "events", 50, 51),
        ("not resumable", "resumable", True, False),
        ("long", "text_tokens", 1_000, 1_001),
        ("worse answers", "worse", False, True),
        ("alike but foreign", "alike", 0.3, 0.31),
        ("thin", "density", 0.7, 0.69),
        ("irrelevant", "irrelevant", 0.4, 0.41),
        ("redundant", "redundancy", 0.25, 0.26),
        ("stale", "staleness", 0.3, 0.31),
        ("distractor", "distractors", False, True),
        ("long block", "longest_block", 200, 201),
        ("buried", "placement", 0.25, 0.26),
        ("no borders", "separated", True, False),
        ("order", "ordered", True, False),
        ("task's own bound", "irrelevant_over", 0.0, 0.01),
    ],
)
def test_each_trigger_fires_past_its_bound_and_not_before(name: str, measure: str, below: float, above: float) -> None:
    """And only that one; what is not known fires nothing."""
    fires = [names(Measures(**{"batches": 3, measure: value})) for value in (below, above)]  # type: ignore[arg-type]
    assert fires == [[], [name]]
    assert names(Measures(batches=2, grown=0.2)) == names(Measures(grown=0.2)) == names(Measures()) == []


def test_the_smallest_tier_comes_first_and_the_largest_answers_all() -> None:
    """Several coalesce into one summary."""
    found = triggers.fired(Measures(guardrail_share=2.0, slice_share=0.9, debt=0.4))
    assert [trigger.tier for trigger, _ in found] == ["micro", "phase", "macro"]
    assert triggers.coalesced(found) == "macro"
    assert triggers.coalesced(triggers.fired(Measures(separated=False))) == ""
    assert found[1][1] == "debt 0.4 >= 0.25"


def test_the_guardrail_follows_the_window() -> None:
    """The yellow mark where it is known, never under the source's figure."""
    assert [triggers.guardrail(limit) for limit in (0, 8_000, 160_000)] == [8_000, 8_000, 80_000]


@pytest.mark.parametrize(
    ("load", "to"),
    [
        (Load(full_batches=1, next_phase=0.49, denials=3, debt=0.30), []),
        (Load(full_batches=2), ["context agent"]),
        (Load(next_phase=0.5), ["context agent"]),
        (Load(denials=3, debt=0.31), ["orchestrator"]),
        (Load(loses_open_detail=True, full_batches=4), ["context agent", "user"]),
        (Load(), []),
    ],
)
def test_whom_to_tell_follows_the_table(load: Load, to: list[str]) -> None:
    """The user last, and only when something unresolved would be lost; what is not known tells nobody."""
    found = escalation.escalations(load)
    assert [one["to"] for one in found] == to
    assert all(one["why"] and one["what"] for one in found)


@pytest.mark.parametrize(
    ("week", "verdict", "threshold"),
    [
        (Week((0.8,) * 9, 10, 4), "raise", 2_500),
        (Week((0.75,) * 9, 10, 4), "keep", 2_000),
        (Week((0.8,) * 9, 10, 3), "keep", 2_000),
        (Week((0.3,) * 9, idle_macros=3), "lower", 1_600),
        (Week((0.4,) * 9, idle_macros=3), "keep", 2_000),
        (Week((0.3,) * 9, idle_macros=2), "keep", 2_000),
        (Week((0.9,) * 6, 10, 9), "keep", 2_000),
    ],
    ids=["raise", "full", "granted", "lower", "used", "useful", "too few"],
)
def test_the_threshold_changes_only_when_both_figures_say_so(week: Week, verdict: str, threshold: int) -> None:
    """And a week has been seen."""
    found = escalation.change(week)
    assert (found.verdict, found.threshold) == (verdict, threshold)
    assert found.reasons


WELL = FanOut(3, 900, 2_000, 1_500, 1_500, 60_000, (), (), 0, (), ())


@pytest.mark.parametrize(
    ("change", "criterion", "told"),
    [
        ({"slice_tokens": 2_001}, "slice", "2,001 tokens, at most 2,000"),
        ({"merged": 1_801}, "slice", "1,801 of 2,000"),
        ({"payload": 24_001}, "payload", "meet 60,000 that are left"),
        ({"ordered": ("b needs a",)}, "order", "b needs a"),
        ({"escalations": ("keys leaked",)}, "escalation", "keys leaked"),
        ({"backlog": 2}, "backlog", "overdue"),
        ({"unspecified": ("a says nothing",)}, "schema", "a says nothing"),
        ({"incomplete": ("a leans",)}, "stateless", "a leans"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_criterion_of_the_gate_refuses_alone_and_says_why(
    change: dict[str, object], criterion: str, told: str
) -> None:
    """Past its bound the verdict names it, its reason and what to do; at the bounds it is well."""
    verdict = gate.judge(WELL._replace(**change))  # type: ignore[arg-type]  # fields by name
    assert not verdict.allowed
    assert [failed.criterion for failed in verdict.failed] == [criterion]
    assert told in verdict.failed[0].reason
    assert verdict.failed[0].todo
    alone, unknown = FanOut(1, 9_999, ordered=("x",)), FanOut(9)
    assert gate.judge(WELL) == gate.GateAnswer(True, ())
    assert all(gate.judge(one).allowed for one in (FanOut(2, 2_000, 2_000, 1_800, 24_000, 60_000, backlog=1), unknown))
    assert gate.judge(alone).allowed
