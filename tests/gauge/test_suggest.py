import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.gauge.suggest import PATIENCE, RANK, Decision, Moment, Past, Steps, after_compaction, decide

DEFAULT = Steps((50, 100, 150), 50, 10)
ZONES = st.sampled_from(list(RANK))
STEPS = st.builds(
    lambda fixed, every, gap: Steps(tuple(sorted(fixed)), every, gap),
    st.sets(st.integers(1, 60), max_size=4),
    st.integers(0, 30),
    st.integers(0, 20),
)


def run(zones: list[str], breaks: list[bool], steps: Steps = DEFAULT) -> list[tuple[int, Decision]]:
    """The decisions that speak, looking only where the last decision said."""
    past, look, eager, spoken = Past(), steps.following(0), False, []
    for call, (zone, at) in enumerate(zip(zones, breaks, strict=True), 1):
        worse = RANK[zone] > RANK[zones[call - 2]] if call > 1 else RANK[zone] > 0  # the mark of the next zone
        if call < look and not worse and not (eager and at):
            continue
        decision = decide(Moment(call, zone, at), past, steps)
        past, look, eager = decision.past, decision.look, decision.eager
        if decision.key:
            spoken.append((call, decision))
    return spoken


@given(st.lists(st.tuples(ZONES, st.booleans()), max_size=150), STEPS)
def test_never_twice_for_a_key_and_never_within_the_gap(calls: list[tuple[str, bool]], steps: Steps) -> None:
    """Any sequence of zones and breakpoints: each reason once, and a gap between two messages."""
    past, keys, last = Past(), [], None
    for call, (zone, at) in enumerate(calls, 1):
        decision = decide(Moment(call, zone, at), past, steps)
        past = decision.past
        if decision.key:
            keys.append(decision.key)
            assert last is None or call - last >= steps.gap
            last = call
    assert len(keys) == len(set(keys))


@given(st.integers(1, 400), STEPS)
def test_looking_only_when_told_misses_no_step(calls: int, steps: Steps) -> None:
    """With no pressure, looking at the calls that `look` names says the same as looking at every call."""
    quiet = [decision.key for _, decision in run(["green"] * calls, [False] * calls, steps)]
    past, every = Past(), []
    for call in range(1, calls + 1):
        decision = decide(Moment(call, "green", False), past, steps)
        past = decision.past
        every += [decision.key] if decision.key else []
    assert quiet == every


@pytest.mark.parametrize("calls", [49, 50, 99, 100, 149, 150, 151, 200, 1000])
def test_default_steps(calls: int) -> None:
    """50, 100, 150, then every 50, each at its call."""
    spoken = run(["green"] * calls, [False] * calls)
    assert [call for call, _ in spoken] == list(range(50, calls + 1, 50))
    assert [decision.key for _, decision in spoken] == [f"step-{call}" for call in range(50, calls + 1, 50)]


@given(st.permutations(range(1, 121)))
def test_every_step_once_in_any_order(order: list[int]) -> None:
    """Parallel calls arrive in any order, each with the state that the one before it left: a key is claimed once."""
    past, claims, steps = Past(), [], Steps((40, 80), 40, 0)
    for call in order:
        decision = decide(Moment(call, "green", False), past, steps)
        past = decision.past
        if decision.key and decision.key not in claims:
            claims.append(decision.key)
    assert len(claims) == len(set(claims))
    assert claims[-1] == "step-120"  # the last step reached is always told


@given(st.lists(st.integers(-8, 8), min_size=160, max_size=160))
def test_every_step_exactly_once_when_calls_overtake_each_other(shifts: list[int]) -> None:
    """Eight calls at a time in any order within their batch: each step is claimed, once."""
    order = sorted(range(1, 161), key=lambda call: (call // 8, shifts[call - 1]))
    past, claims = Past(), []
    for call in order:
        decision = decide(Moment(call, "green", False), past, DEFAULT)
        past = decision.past
        if decision.key and decision.key not in claims:
            claims.append(decision.key)
    assert claims == ["step-50", "step-100", "step-150"]


@pytest.mark.parametrize("zone", ["yellow", "orange", "red"])
def test_a_worse_zone_is_told_in_time(zone: str) -> None:
    """At once for red, else after its patience, and only once."""
    spoken = run(["green"] * 4 + [zone] * 40, [False] * 44)
    assert [(call, decision.key) for call, decision in spoken] == [(5 + PATIENCE[zone], f"zone-{zone}-5")]


def test_a_breakpoint_brings_it_forward() -> None:
    """The next natural breakpoint is better than the end of the patience."""
    spoken = run(["green"] * 4 + ["yellow"] * 20, [False] * 8 + [True] + [False] * 15)
    assert [call for call, _ in spoken] == [9]


def test_a_breakpoint_alone_says_nothing() -> None:
    """With the window green there is no reason."""
    assert run(["green"] * 40, [True] * 40) == []
    assert run(["unknown"] * 40, [True] * 40) == []


def test_what_falls_into_the_gap_waits_for_its_end() -> None:
    """Red at call 48 is told at once; step 50 ten calls later."""
    spoken = run(["green"] * 47 + ["red"] * 30, [False] * 77)
    assert [(call, decision.key) for call, decision in spoken] == [(48, "zone-red-48"), (58, "step-50")]


def test_each_worse_zone_has_its_message() -> None:
    """Yellow, then orange, then red; going back to a milder one says nothing."""
    zones = ["yellow"] * 20 + ["orange"] * 10 + ["red"] * 3 + ["orange"] * 5 + ["red"] * 2
    keys = [decision.key for _, decision in run(zones, [False] * 40, Steps((), 0, 1))]
    assert [key.split("-")[1] for key in keys] == ["yellow", "orange", "red"]


def test_after_a_compaction_zones_begin_again() -> None:
    """The gap counts from it, the steps go on."""
    past = after_compaction(Past(50, 50, "red", 48), 60)
    assert past == Past(60, 50, "green", 0)
    assert decide(Moment(65, "red", False), past, DEFAULT).key == ""
    assert decide(Moment(70, "red", False), past, DEFAULT).key == "zone-red-70"


@given(STEPS, st.integers(0, 300))
def test_steps_are_a_ladder(steps: Steps, call: int) -> None:
    """The step reached is at or before the call, the following one after it, and none lies between."""
    reached, following = steps.reached(call), steps.following(call)
    assert reached <= call < following
    assert steps.reached(min(following - 1, 10_000)) == reached
    assert following >= 1_000_000_000 or steps.reached(following) == following
