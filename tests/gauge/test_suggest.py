"""When /compact is suggested, at which moments, and in which words; also by hooks that run at once."""

import itertools
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.gauge import breakpoints
from holdfast.gauge.pressure import ZONES
from holdfast.gauge.suggest import PATIENCE, Decision, Facts, Moment, Past, Steps, after_compaction, decide, message
from holdfast.hot import call_log
from holdfast.worklog import model as worklog

Make = Callable[..., Any]
DEFAULT = Steps((50, 100, 150), 50, 10)
RANKS = {"unknown": 0, **{zone: rank for rank, zone in enumerate(ZONES)}}
STEPS = st.builds(
    lambda fixed, every, gap: Steps(tuple(sorted(fixed)), every, gap),
    st.sets(st.integers(1, 60), max_size=4),
    st.integers(0, 30),
    st.integers(0, 20),
)


def run(zones: list[str], breaks: list[bool], steps: Steps = DEFAULT) -> list[tuple[int, str]]:
    """(call, key) of what is said, looking only where the last decision said."""
    past, look, eager, spoken = Past(), steps.following(0), False, []
    for call, (zone, at) in enumerate(zip(zones, breaks, strict=True), 1):
        worse = RANKS[zone] > (RANKS[zones[call - 2]] if call > 1 else 0)  # the mark of the next zone
        if call < look and not worse and not (eager and at):
            continue
        decision = decide(Moment(call, zone, at), past, steps)
        past, look, eager = decision.past, decision.next_check_call, decision.check_at_breakpoint
        spoken += [(call, decision.key)] if decision.key else []
    return spoken


def looking_always(calls: list[Moment], steps: Steps) -> list[tuple[int, str]]:
    """(call, key) of what is said when every call is looked at."""
    past, spoken = Past(), []
    for now in calls:
        decision: Decision = decide(now, past, steps)
        past = decision.past
        spoken += [(now.call, decision.key)] if decision.key else []
    return spoken


@given(st.lists(st.tuples(st.sampled_from(list(RANKS)), st.booleans()), max_size=150), STEPS)
def test_never_twice_for_a_reason_and_never_within_the_gap(calls: list[tuple[str, bool]], steps: Steps) -> None:
    """Any sequence of zones and breakpoints."""
    spoken = looking_always([Moment(call, *one) for call, one in enumerate(calls, 1)], steps)
    assert len({key for _, key in spoken}) == len(spoken)
    assert all(later - earlier >= steps.gap for (earlier, _), (later, _) in itertools.pairwise(spoken))


@given(st.integers(1, 400), STEPS)
def test_looking_only_when_told_misses_no_step(calls: int, steps: Steps) -> None:
    """With no pressure, looking at the calls that are named says the same as looking at every call."""
    quiet = run(["green"] * calls, [False] * calls, steps)
    assert quiet == looking_always([Moment(call, "green", False) for call in range(1, calls + 1)], steps)


@pytest.mark.parametrize("calls", [49, 50, 99, 100, 150, 151, 200, 1000])
def test_default_steps(calls: int) -> None:
    """50, 100, 150, then every 50, each at its call; a breakpoint alone is no reason."""
    expected = [(call, f"step-{call}") for call in range(50, calls + 1, 50)]
    assert run(["green"] * calls, [True] * calls) == run(["unknown"] * calls, [False] * calls) == expected


@given(st.lists(st.integers(-8, 8), min_size=160, max_size=160))
def test_every_step_exactly_once_when_calls_overtake_each_other(shifts: list[int]) -> None:
    """Eight calls at a time in any order within their batch: each step is claimed, once."""
    order = sorted(range(1, 161), key=lambda call: (call // 8, shifts[call - 1]))
    spoken = looking_always([Moment(call, "green", False) for call in order], DEFAULT)
    assert list(dict.fromkeys(key for _, key in spoken)) == ["step-50", "step-100", "step-150"]


@pytest.mark.parametrize("zone", ["yellow", "orange", "red"])
def test_a_worse_zone_is_told_in_time(zone: str) -> None:
    """At once for red, else after its patience, and only once; earlier at a natural breakpoint."""
    assert run(["green"] * 4 + [zone] * 40, [False] * 44) == [(5 + PATIENCE[zone], f"zone-{zone}-5")]
    at_nine = [False] * 8 + [True] + [False] * 35
    assert run(["green"] * 4 + [zone] * 40, at_nine)[0][0] == min(9, 5 + PATIENCE[zone])


def test_after_a_compaction_zones_begin_again() -> None:
    """The gap counts from it, the steps go on."""
    past = after_compaction(Past(50, 50, "red", 48), 60)
    assert past == Past(60, 50, "green", 0)
    assert decide(Moment(65, "red", False), past, DEFAULT).key == ""
    assert decide(Moment(70, "red", False), past, DEFAULT).key == "zone-red-70"


@pytest.mark.parametrize(
    ("facts", "first"),
    [
        (
            Facts("step-50", 51, 84_000, 167_000, "yellow", 12, ""),
            "50 tool calls, 84k of 167k tokens used (50 %), about 12 turns left, "
            "compact at the next natural breakpoint",
        ),
        (
            Facts("zone-red-7", 7, 160_000, 167_000, "red", 1, "a commit"),
            "7 tool calls, 160k of 167k tokens used (95 %), about 1 turn left, good moment: a commit",
        ),
        (Facts("step-50", 60, 84_000, 0, "unknown", None, ""), "60 tool calls, 84k tokens used, limit unknown"),
        (Facts("step-50", 50, 0, 0, "unknown", None, ""), "50 tool calls, context used: not known yet"),
    ],
    ids=["step", "zone", "no limit", "nothing known"],
)
def test_a_suggestion_is_two_lines(facts: Facts, first: str) -> None:
    """What is so, then the line to paste; unknown figures are called unknown."""
    assert message(facts, "/compact keep x").split("\n") == [f"Holdfast: {first}.", "/compact keep x"]


COMMITTED = {"stdout": "[main 1234abc] Fix\n 1 file changed"}


@pytest.mark.parametrize(
    ("tool", "inputs", "response", "edited", "expected"),
    [
        ("Bash", {"command": "git commit -m x"}, COMMITTED, True, "a commit"),
        ("Bash", {"command": "git commit -m x"}, {"stdout": "nothing to commit"}, True, ""),
        ("Bash", {"command": "git -C a commit -m x"}, COMMITTED, False, "a commit"),
        ("Bash", {"command": "cat log"}, COMMITTED, True, ""),
        ("Bash", {"command": "git " * 60_000}, COMMITTED, True, ""),
        ("Bash", {"command": "pytest -q"}, {"stdout": "3 passed"}, True, "green tests"),
        ("Bash", {"command": "pytest -q"}, {"stdout": "3 passed"}, False, ""),
        ("Bash", {"command": "pytest -q 2>&1 | tail -5"}, {"stdout": "1 failed, 9 passed in 0.30s"}, True, ""),
        ("TodoWrite", {"todos": [{"status": "completed"}]}, {}, False, "a finished to-do list"),
        ("TodoWrite", {"todos": [{"status": "completed"}, {"status": "pending"}]}, {}, False, ""),
        ("TodoWrite", {"todos": []}, {}, False, ""),
        ("TaskUpdate", {"taskId": "2", "status": "completed"}, {}, False, "a finished to-do list"),
        ("TaskUpdate", {"taskId": "2", "status": "in_progress"}, {}, False, ""),
        ("TaskUpdate", {"taskId": "1", "status": "completed"}, {}, False, ""),
        ("Agent", {}, {"status": "completed"}, False, "a sub-agent's return"),
        ("Task", {}, {"status": "async_launched"}, False, ""),
        ("Read", {}, {}, True, ""),
    ],
)
def test_what_is_a_breakpoint(tool: str, inputs: dict[str, Any], response: Any, edited: bool, expected: str) -> None:
    """A commit that was made, green tests after edits, a finished list, a return; nothing else."""
    tasks: dict[str, worklog.PlanItem] = {
        "1": {"text": "a", "status": "completed"},
        "2": {"text": "b", "status": "in_progress"},
    }
    assert breakpoints.name(tool, inputs, response, {**worklog.empty(), "dirty": edited, "tasks": tasks}) == expected


@pytest.mark.parametrize("odd", [None, 5, "text", [], [1], {"stdout": 5}, {"todos": "x"}, {"todos": [None]}], ids=str)
@pytest.mark.parametrize("tool", ["Bash", "TodoWrite", "TaskUpdate", "Agent", "x"])
def test_odd_shapes_are_no_breakpoint(tool: str, odd: Any) -> None:
    """Another shape of input or response is never an error."""
    inputs = odd if isinstance(odd, dict) else {"command": odd, "todos": odd}
    tasks: dict[str, worklog.PlanItem] = {"1": {"text": "a", "status": "pending"}}
    assert breakpoints.name(tool, inputs, odd, {**worklog.empty(), "dirty": True, "tasks": tasks}) == ""


@pytest.fixture
def at_once(hook_command: Make, payload: Make) -> Callable[..., list[str]]:
    """Starts hooks for so many calls at the same time and gives what they said to the user."""

    def run(count: int, **changes: Any) -> list[str]:
        command, env = hook_command("post_tool_use")
        data = json.dumps(payload("PostToolUse.Bash", **changes)).encode()
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started = [subprocess.Popen(command, env=env, **pipe) for _ in range(count)]  # type: ignore[call-overload]  # the same pipes for each
        for process in started:  # all are up and waiting for their input
            process.stdin.write(data)
        for process in started:
            process.stdin.close()
        out = []
        for process in started:
            text, errors = process.stdout.read(), process.stderr.read()
            assert (process.wait(30), errors) == (0, b"")
            process.stdout.close()
            process.stderr.close()
            out.append(json.loads(text).get("systemMessage", "") if text else "")
        return [said for said in out if said]

    return run


@pytest.fixture
def begin(run_hook: Make, payload: Make, state: Path) -> Callable[..., Path]:
    """A session in which so many calls have been made, with a limit of 100,000 tokens."""

    def run(made: int, **config: int) -> Path:
        state.mkdir(parents=True)
        (state / "config.json").write_text(json.dumps({"window.limit": 100_000, **config}))
        run_hook("session_start", payload("SessionStart.startup"))
        session = next((state / "sessions").iterdir())
        with (session / "calls.log").open("ab") as file:
            file.write(call_log.line(1, 0, "Bash") * made)
        return session

    return run


@pytest.mark.parametrize("made", [43, 46, 49], ids=lambda made: f"calls {made + 1} to {made + 8}")
def test_call_50_is_told_once(made: int, at_once: Make, begin: Make, state: Path) -> None:
    """Eight calls at once around the fiftieth: one message, and one only; every call is counted."""
    session = begin(made)
    said = at_once(8) + at_once(4)
    assert len(said) == 1
    assert said[0].startswith("Holdfast: 50 tool calls, ")
    assert call_log.count(str(session / "calls.log")) == made + 12
    assert at_once(3, agent_id="a1", agent_type="Explore") == []  # a sub-agent's are neither counted nor commented
    assert call_log.count(str(session / "calls.log")) == made + 12
    assert not (state / "logs" / "faults.log").exists()


def test_a_worse_zone_is_told_once(at_once: Make, begin: Make, transcript: Any) -> None:
    """Eight calls at once that all see the window in the red zone: one message."""
    begin(5)
    transcript.assistant("x", tokens=95_000)
    said = at_once(8) + at_once(4)
    assert len(said) == 1
    assert "95k of 100k tokens used (95 %)" in said[0]


@pytest.mark.parametrize(("made", "tokens", "expected"), [(47, 95_000, [48, 58]), (3, 60_000, [19])])
def test_what_waits_outlives_the_end_of_a_turn(  # noqa: PLR0917 - fixtures and parameters are arguments
    made: int, tokens: int, expected: list[int], begin: Make, run_hook: Make, payload: Make, transcript: Any
) -> None:
    """Red at call 48 lets step 50 wait for call 58; yellow waits 15 calls; a Stop in between changes nothing."""
    begin(made)
    transcript.assistant("x", tokens=tokens)
    told: list[int] = []
    for call in range(made + 1, expected[-1] + 2):
        if "systemMessage" in run_hook("post_tool_use", payload("PostToolUse.Bash")).reply:
            told.append(call)
        if call == made + 5:
            run_hook("stop", payload("Stop"))
    assert told == expected


def test_after_a_compaction_the_zones_are_told_again(
    begin: Make, run_hook: Make, payload: Make, transcript: Any
) -> None:
    """The old size stands in the transcript while the compaction runs; it must not hide the next rise."""
    begin(3, **{"suggest.gap": 0})
    transcript.assistant("x", tokens=99_000)
    run_hook("post_tool_use", payload("PostToolUse.Bash"))
    run_hook("pre_compact", payload("PreCompact.auto"))
    run_hook("session_start", payload("SessionStart.compact"))
    transcript.boundary()
    transcript.assistant("y", tokens=96_000)
    assert "96k of 100k" in run_hook("post_tool_use", payload("PostToolUse.Bash")).reply["systemMessage"]
