import pytest

from holdfast.engine.shared import gate
from holdfast.engine.shared.gate import FanOut

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
def test_each_criterion_refuses_alone_and_says_why(change: dict[str, object], criterion: str, told: str) -> None:
    """At its bound it holds, past it the verdict names it, its reason and what to do."""
    assert gate.judge(WELL) == gate.GateAnswer(True, ())
    verdict = gate.judge(WELL._replace(**change))  # type: ignore[arg-type]  # fields by name
    assert not verdict.allowed
    assert [failed.criterion for failed in verdict.failed] == [criterion]
    assert told in verdict.failed[0].reason
    assert verdict.failed[0].todo


def test_at_the_bounds_it_is_well() -> None:
    """2,000 of 2,000, 90 %, 40 %, one compression that waits."""
    assert gate.judge(FanOut(2, 2_000, 2_000, 1_800, 24_000, 60_000, backlog=1)).allowed


def test_one_agent_and_what_is_not_known_refuse_nothing() -> None:
    """The gate is for fan-outs, and a missing figure is no bad figure."""
    assert gate.judge(FanOut(1, 9_999, ordered=("x",))).allowed
    assert gate.judge(FanOut(9)).allowed
