import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.shared import slice as slices
from holdfast.handoff import orchestrator
from holdfast.handoff.model import Handoff

PLAN = [
    {"text": "read the code", "status": "completed"},
    {"text": "fix refresh", "status": "in_progress"},
    {"text": "write tests", "status": "pending"},
    {"text": "old idea", "status": "cancelled"},
]


def worked() -> orchestrator.State:
    """The state after an agent came back with a question."""
    handoff = Handoff(
        context_summary="two ways to refresh",
        decision="CLARIFY",
        files_changed=("src/auth.py",),
        errors=("error: token expires twice",),
    )
    state = orchestrator.with_task(orchestrator.empty(), "repair the login", "see docs/spec.md")
    return orchestrator.absorb(state, "research", handoff, (900, 100), "")


def test_the_slice_holds_what_all_agents_share() -> None:
    """Mission, phase, open checklist, risks, what is undecided, anchors; nothing that was cancelled."""
    found = slices.build(worked(), PLAN)
    assert found.goal == "repair the login"
    assert (found.phase, found.progress, found.current) == ("research", "1 of 4 done", "fix refresh")
    assert found.done == ("read the code",)
    assert found.next == ("write tests",)
    assert found.issues == ("error: token expires twice",)
    assert found.decisions == (("research", "CLARIFY"),)
    assert found.anchors == ("docs/spec.md", "src/auth.py")
    assert "old idea" not in str(found)


@given(
    st.lists(
        st.builds(dict, text=st.text(max_size=300), status=st.sampled_from(["pending", "in_progress"])), max_size=40
    ),
    st.integers(20, 2_000),
)
def test_the_slice_keeps_within_its_limit(plan: list[dict[str, str]], limit: int) -> None:
    """Whatever the plan holds; what is needed least goes first."""
    found = slices.build(worked(), plan, limit)
    assert slices.size(found) <= max(limit, 20)
    assert not found.anchors or found.next == slices.build(worked(), plan, 100_000).next


@pytest.mark.parametrize(
    ("working", "reads", "prompts", "left", "over", "predicted"),
    [
        (10_000, [1_000], [500], 50_000, 0, False),
        (10_000, [1_000], [501], 50_000, 0, True),
        (100_000, [5_000], [500], 5_000, 500, True),
        (100_000, [5_000], [], None, None, False),
        (0, [], [], 0, 0, False),
    ],
)
def test_a_burst_is_growth_or_what_does_not_fit(  # noqa: PLR0917 - parameters are arguments
    working: int, reads: list[int], prompts: list[int], left: int | None, over: int | None, predicted: bool
) -> None:
    """More than 15 % of the working set, or more than is left; what is not known is not exceeded."""
    found = slices.burst(working, reads, prompts, left)
    assert (found.tokens, found.over, found.predicted) == (sum(reads) + sum(prompts), over, predicted)
