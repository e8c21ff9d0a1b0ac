"""What the policy for shared context says of a window: debt, quality, the shared slice, and all of it in one report."""

import json
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine import assess
from holdfast.engine.blocks import Block, BlockKind, BlockState
from holdfast.engine.options import Options
from holdfast.engine.shared import context, quality, triggers
from holdfast.engine.shared import slice as slices
from holdfast.engine.strategy import ScoringContext
from holdfast.engine.usage_tracker import UsageTracker
from holdfast.engine.window_state import Audited
from holdfast.errors import BadInput
from holdfast.handoff import orchestrator
from holdfast.handoff.model import Handoff
from tests.engine.conversations import Json, asked, conversations, indexed, looked

PROMPT = Block(
    "system_prompt", BlockKind.SYSTEM, "Do it.\n\n" + "Every word of this stands in one paragraph. " * 40, 500
)


def result(number: int, tokens: int = 2_000, about: str = "") -> Block:
    """A result of its own source."""
    return Block(f"result:{number}", BlockKind.RESULT, "", tokens, number, about=about or f"Read {number}.py")


def gauge(limit: int, *sizes: int) -> UsageTracker:
    """A meter that has seen windows of these sizes."""
    meter = UsageTracker(limit, Options())
    for size in sizes:
        meter.read([Block("x", BlockKind.RESULT, "", size)])
    return meter


def fired(found: Json) -> set[str]:
    """Names of the triggers that fire."""
    return {row["name"] for row in found["fired"]}


def test_a_fresh_window_has_nothing_to_do() -> None:
    """What is not known is left out, and fires nothing."""
    found = assess.report([], ScoringContext(0), gauge(0), [])
    assert (found["fired"], found["tier"], found["escalations"]) == ([], "", [])
    assert found["measures"] == {"guardrail_share": 0.0}
    assert (found["debt"]["due"], found["debt"]["tokens"]) == (False, 0)


@pytest.mark.parametrize(
    ("tool", "inputs"),
    [
        ("query_db", {"sql": "SELECT %d", "rows": 9}),
        ("Grep", {"pattern": "user%d", "path": "src"}),
        ("add", {"id": "%d"}),
    ],
)
def test_only_the_same_call_replaces_a_result(tool: str, inputs: Json) -> None:
    def made(number: int) -> Json:
        return {key: value % number if key != "rows" and "%" in str(value) else value for key, value in inputs.items()}

    calls = [looked(number, tool, made(number % 3), f"row {number} " * 99) for number in range(4)]
    index = indexed([asked("Find it"), *(one for pair in calls for one in pair)])
    assert {name: why for name, (why, _) in quality.owed(index.blocks, 5).items()} == {"result:c0": "superseded"}


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("Fix the expiry of reservations", "expiry of a reservation is checked in release"),
        ("店舗の予約の期限切れを修正する", "予約の期限切れは店舗で解放される"),
        ("修复商店的预订过期", "商店中过期的预订会被释放"),
    ],
)
def test_what_serves_the_task_is_not_foreign_to_it_in_any_script(goal: str, text: str) -> None:
    index = indexed(
        [asked(goal), *looked(1, "bash", {}, text * 9), *looked(2, "bash", {}, "ok"), *looked(3, "bash", {}, "")]
    )
    assert "irrelevant" not in fired(assess.report(index.blocks, ScoringContext(index.turn), gauge(100_000), []))


def test_debt_is_told_with_its_reasons() -> None:
    """Three reads of one file: the older two owe."""
    blocks = [PROMPT, *(result(turn, about="Read a.py") for turn in (1, 2, 3))]
    found = assess.report(blocks, ScoringContext(3), gauge(100_000), [])
    assert {"context debt", "stale"} <= fired(found)
    assert found["debt"]["reasons"] == {"placeholder": 0, "superseded": 4_000, "repeated": 0, "stale": 0}
    assert (found["debt"]["due"], found["debt"]["tokens"], found["debt"]["of"]) == (True, 4_000, 6_500)
    assert found["quality"]["staleness"] == pytest.approx(4_000 / 6_500)
    assert all(row["todo"] and row["why"] for row in found["fired"])


@pytest.mark.parametrize(
    ("sizes", "bursts"),
    [((6_000, 9_000, 12_000), True), ((54_000, 57_000, 60_000), False), ((6_000,), None)],
    ids=["3,000 on 12,000", "3,000 on 60,000", "one turn tells no growth"],
)
def test_a_burst_is_predicted_from_the_last_turns(sizes: tuple[int, ...], bursts: bool | None) -> None:
    """Above 15 % a turn."""
    found = assess.report([result(1, sizes[-1])], ScoringContext(1), gauge(0, *sizes), [])
    assert ("before a burst" in fired(found)) == bool(bursts)
    assert ("growth" in found["measures"]) == (bursts is not None)


DONE = Audited(turn=4, by="eviction", freed=900, calls=0, note="")
OVER = Audited(turn=9, by="hand_over", freed=80_000, calls=0, note="")
NONE = Audited(turn=9, by="x", freed=0, calls=0, note="")


@pytest.mark.parametrize(
    ("audit", "last"),
    [([], None), ([DONE], 4), ([DONE, NONE], 4), ([DONE, OVER], None), ([OVER, DONE], 4)],
    ids=["none", "one", "one that freed nothing", "of the last window", "after a hand-over"],
)
def test_the_last_compression_is_this_windows(audit: list[Audited], last: int | None) -> None:
    """A plan without effect is none."""
    assert assess.last_plan(audit) == last


def test_what_the_caller_knows_goes_first() -> None:
    """A phase that has ended, agents that were refused, debt by a measure of its own; what cannot be is refused."""
    known = {"phase_ended": True, "denials": 3, "debt": 0.4}
    found = assess.report([PROMPT], ScoringContext(1), gauge(0), [], known)
    assert {"phase boundary", "context debt"} <= fired(found)
    assert [row["to"] for row in found["escalations"]] == ["orchestrator"]
    assert found["measures"]["debt"] == 0.4
    for wrong, told in (({"mood": 1.0}, "mood: is no measure.*phase_ended"), ({"debt": "much"}, "debt: 'much'")):
        with pytest.raises(BadInput, match=told):
            assess.report([], ScoringContext(0), gauge(0), [], wrong)


@given(conversations())
def test_any_window_gives_plain_json_of_known_triggers(messages: list[Json]) -> None:
    """No infinity, no tuple that is not a list, no name that the table lacks."""
    track = indexed(messages)
    context = ScoringContext(track.turn, track.goal, track.request)
    found = assess.report(track.blocks, context, gauge(0, 1_000, 2_000), [DONE])
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert fired(found) <= {row.name for row in triggers.TABLE}
    assert 0 <= found["debt"]["share"] <= 1


def test_each_reason_of_debt_is_found() -> None:
    blocks = [
        Block("a", BlockKind.RESULT, "", 40, 9, state=BlockState.PLACEHOLDER),
        Block("b", BlockKind.RESULT, "", 100, 9, about="Read x"),
        Block("c", BlockKind.ASSISTANT, "", 200, 9, repeat=0.5),
        Block("d", BlockKind.THINKING, "", 50, 7),
        Block("e", BlockKind.THINKING, "", 50, 7, used=9),
        Block("f", BlockKind.RESULT, "", 100, 10, about="Read x"),
        Block("g", BlockKind.THINKING, "", 70, 1, keep=True),
        Block("h", BlockKind.SYSTEM, "", 900, 0, repeat=1.0),
    ]
    debt = quality.owed(blocks, 10)
    assert debt == {"a": ("placeholder", 40), "b": ("superseded", 100), "c": ("repeated", 100), "d": ("stale", 50)}
    assert quality.by_reason(debt) == {"placeholder": 40, "superseded": 100, "repeated": 100, "stale": 50}


def said(name: str, tokens: int = 100, relevance: float = 0.8, repeat: float = 0.0, keep: bool = False) -> Block:
    """A block of the first turn that belongs to the task."""
    return Block(name, BlockKind.USER, "", tokens, 1, relevance=relevance, repeat=repeat, keep=keep)


GOOD = [said("a", keep=True), *map(said, "bcde")]
LISTING = Block("x", BlockKind.RESULT, "", 100, 1, relevance=0.8, about="ls")


@pytest.mark.parametrize(
    ("blocks", "measure", "value"),
    [
        ([*GOOD, said("x", 140, relevance=0.1)], "relevance", 500 / 640),
        (GOOD[::-1], "placement", 0.9),
        ([*GOOD, said("x", 130, repeat=1.0)], "redundancy", 130 / 630),
        ([*GOOD, LISTING, LISTING._replace(id="y")], "staleness", 100 / 700),
        ([*GOOD, said("x", 2_000)], "block_size", 2_500 / 6),
        ([Block("a", BlockKind.USER, "", 10)], "relevance", None),
        ([Block("a", BlockKind.USER, "", 10)], "placement", None),
    ],
    ids=["foreign", "buried", "twice", "superseded", "long", "nobody has measured", "nothing critical"],
)
def test_each_measure_of_quality_tells_its_own(blocks: list[Block], measure: str, value: float | None) -> None:
    """A clean context is relevant, has the critical first and nothing twice; an empty one tells nothing."""
    assert getattr(quality.measure(blocks, quality.owed(blocks, 2)), measure) == pytest.approx(value)
    assert quality.measure(GOOD, {}) == quality.Quality(1.0, 0.1, 0.0, 0.0, 1.0, 100.0)
    assert quality.measure([], {}) == quality.Quality()


def test_the_bound_for_foreign_content_grows_with_the_task() -> None:
    """35 % is much for a short one."""
    sizes = (0, 499, 500, 2_000, 2_001)
    assert [quality.irrelevant_bound(tokens) for tokens in sizes] == [0.2, 0.2, 0.3, 0.3, 0.4]
    for size, much in ((3, True), (30, False)):
        blocks = [result(1, 65 * size)._replace(relevance=1), result(2, 35 * size)._replace(relevance=0)]
        found = assess.report(blocks, ScoringContext(9), gauge(0), [])
        assert ("task's own bound" in fired(found)) == much


PLAN = [
    {"text": "read the code", "status": "completed"},
    {"text": "fix refresh", "status": "in_progress"},
    {"text": "write tests", "status": "pending"},
    {"text": "old idea", "status": "cancelled"},
]


def worked() -> orchestrator.OrchestratorState:
    """The state after an agent came back with a question."""
    errors = ("error: token expires twice",)
    handoff = Handoff(context_summary="two ways", decision="CLARIFY", files_changed=("src/auth.py",), errors=errors)
    state = orchestrator.with_task(orchestrator.empty(), "repair the login", "see docs/spec.md")
    return orchestrator.absorb(state, ("a1", "research"), handoff, (900, 100), "")


def test_the_slice_holds_what_all_agents_share() -> None:
    assert slices.build(worked(), PLAN)._asdict().items() >= {
        ("goal", "repair the login"),
        ("phase", "research"),
        ("progress", "1 of 4 done"),
        ("current", "fix refresh"),
        ("done", ("read the code",)),
        ("next", ("write tests",)),
        ("issues", ("error: token expires twice",)),
        ("decisions", (("research", "CLARIFY"),)),
        ("anchors", ("docs/spec.md", "src/auth.py")),
    }


@pytest.mark.parametrize("field", [*context.SHAPES])
def test_a_slice_is_bounded_whatever_fills_it(field: str) -> None:
    long: Json = {"text": "word " * 5_000, "list": ("word " * 99,) * 99, "pairs": (("a", "word " * 99),) * 99}
    whole = context.Context(**{"goal": "all of it", field: long[context.SHAPES[field]]})
    found = slices.bounded(whole)
    assert slices.size(found) <= 2_000 < slices.size(whole)
    assert found.goal


def test_a_long_slice_loses_no_more_than_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 4,000 anchors the newest that have room stay, and it is written a few times only."""
    size = slices.size
    written = Mock(side_effect=size)
    monkeypatch.setattr(slices, "size", written)
    whole = context.Context(goal="all of it", anchors=tuple(f"src/file_{number}.py" for number in range(4_000)))
    found = slices.bounded(whole)
    assert found.anchors == whole.anchors[-len(found.anchors) :]
    assert size(found) <= 2_000 < size(found._replace(anchors=whole.anchors[-len(found.anchors) - 1 :]))
    assert written.call_count < 40


ITEMS: st.SearchStrategy[dict[str, str]] = st.builds(
    dict, text=st.text(max_size=300), status=st.sampled_from(["pending", "in_progress"])
)


@given(st.lists(ITEMS, max_size=40), st.integers(20, 2_000))
def test_the_slice_keeps_within_its_limit(plan: list[dict[str, str]], limit: int) -> None:
    """Whatever the plan holds; what is needed least goes first."""
    found = slices.build(worked(), plan, limit)
    assert slices.size(found) <= max(limit, 20)
    assert not found.anchors or found.next == slices.build(worked(), plan, 100_000).next


@pytest.mark.parametrize(
    ("brings", "left", "found"),
    [
        (([100], [50]), None, (150, 0.15, None, False)),
        (([100], [51]), None, (151, 0.151, None, True)),
        (([100], []), 99, (100, 0.1, 1, True)),
        (([100], []), 100, (100, 0.1, 0, False)),
    ],
)
def test_a_burst_is_growth_or_what_does_not_fit(
    brings: tuple[list[int], list[int]], left: int | None, found: tuple[int, float, int | None, bool]
) -> None:
    assert slices.burst(1_000, *brings, left) == found
